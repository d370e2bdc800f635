/**
 * The events of GET /stream, across reconnects: `Last-Event-ID` continues where the last connection
 * ended, and an email is never yielded twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { createParser, type EventSourceMessage } from 'eventsource-parser';

import type { DeliveryListItem, LiveEvent } from '../../core/api/api-types.generated.ts';
import { pathOf } from '../../core/api/calls.ts';
import { addressIdOf } from '../api/address-names.ts';
import { success, unreachable } from '../api/client.ts';
import type { Cli, Connected } from '../api/cli.ts';
import { notFoundFault } from '../terminal/failure.ts';
import { createRetry, isTemporary, type Retrying, pauseMs } from './retry.ts';

type Wanted = {
  addressId?: string | undefined;
  types?: readonly string[] | undefined;
  /** ISO time: earlier events first. */
  since?: string | undefined;
};

type LiveEventsDependencies = Pick<Connected, 'apiUrl' | 'token' | 'api' | 'request'> & {
  retrying: Retrying;
  userAgent: string;
  stopped: AbortSignal;
  /** Called when the connection is lost, before each attempt to reconnect. */
  onLost: (reason: string) => void;
  onReady: () => void;
};

/** What {@link liveEvents} gets from a command, which says when the connection is lost and ready. */
export const liveNeeds = (cli: Cli, connection: Connected): LiveEventsDependencies => {
  const { complain, stopped } = cli.terminal;
  return {
    ...connection,
    retrying: createRetry(cli.terminal),
    userAgent: cli.userAgent,
    stopped,
    onLost: (reason) => complain(`connection lost (${reason}), reconnecting\n`),
    onReady: () => complain(`listening to ${connection.source}\n`),
  };
};

const ID = /^\w{1,64}$/;

/** The id of the address that a command names. @throws Failure when there is none */
export async function wantedAddress(
  { api, retrying }: Pick<LiveEventsDependencies, 'api' | 'retrying'>,
  given: string | undefined,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  if (given.includes('@')) return retrying(() => addressIdOf(api.call, given));
  if (ID.test(given)) return given;
  throw notFoundFault(`address: ${given}`);
}

/** Three heartbeats: a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;
const SEEN_MAX = 10_000;

/** Ends when `stopped` is aborted. @throws Failure when the API refuses the stream for good */
export async function* liveEvents(
  dependencies: LiveEventsDependencies,
  wanted: Wanted,
): AsyncGenerator<LiveEvent> {
  const { stopped, onLost } = dependencies;
  const seen = createSeen();
  let lastId: string | undefined;
  for (let failures = 0; !stopped.aborted;) {
    try {
      for await (const { id, event } of connected(dependencies, wanted, lastId)) {
        lastId = id ?? lastId;
        failures = 0;
        if (event.type === 'stream.ready') dependencies.onReady();
        else if (event.type === 'stream.gap')
          yield* missed(dependencies, wanted, event.since, seen);
        else if (event.type !== 'email.received' || seen.isNew(event.event_id)) yield event;
      }
      if (!stopped.aborted) onLost('the API closed the stream');
    } catch (error) {
      if (stopped.aborted) return;
      if (!isTemporary(error)) throw error;
      onLost(error.message);
    }
    await sleep(pauseMs(++failures), undefined, { signal: stopped }).catch(() => undefined);
  }
}

type Message = { id: string | undefined; event: LiveEvent };

async function* connected(
  { apiUrl, token, request, userAgent, stopped }: LiveEventsDependencies,
  { addressId, types, since }: Wanted,
  lastId: string | undefined,
): AsyncGenerator<Message> {
  const path = pathOf('/stream', {}, { address_id: addressId, types: types?.join(','), since });
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const wished = new Request(`${apiUrl}${path}`, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
        'user-agent': userAgent,
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      },
      signal: AbortSignal.any([stopped, silence.signal]),
    });
    const { body } = await request(wished)
      .catch((error: unknown) => {
        throw unreachable(apiUrl, error);
      })
      .then(success);
    if (body === null) return;
    const messages: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => void messages.push(message) });
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      timer.refresh();
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw unreachable(apiUrl, error);
      });
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const { id, data } of messages.splice(0))
        yield { id, event: JSON.parse(data) as LiveEvent };
    }
  } finally {
    clearTimeout(timer);
    silence.abort(); // closes the connection
  }
}

type Seen = { isNew: (eventId: string | undefined) => boolean };

/** Remembers the last emails, so that a resumed stream repeats none. */
function createSeen(): Seen {
  const ids = new Set<string>();
  function isNew(eventId: string | undefined): boolean {
    if (eventId === undefined || ids.has(eventId)) return false;
    ids.add(eventId);
    const [oldest] = ids;
    if (ids.size > SEEN_MAX && oldest !== undefined) ids.delete(oldest);
    return true;
  }
  return { isNew };
}

const PAGE = 100;

/** Emails that the stream could not replay, oldest first. */
async function* missed(
  { api, retrying }: Pick<LiveEventsDependencies, 'api' | 'retrying'>,
  { addressId, types }: Wanted,
  since: string | undefined,
  seen: Seen,
): AsyncGenerator<LiveEvent> {
  if (since === undefined || types?.includes('email.received') === false) return;
  const found: DeliveryListItem[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const query = { start_date: since, limit: PAGE, offset, address_id: addressId };
    const { data } = await retrying(() => api.call('GET /deliveries', { query }));
    found.push(...data);
    if (data.length < PAGE) break;
  }
  for (const delivery of found.toReversed()) {
    const { event_id, address_id, received_at: at } = delivery;
    if (seen.isNew(event_id)) yield { type: 'email.received', at, event_id, address_id, delivery };
  }
}
