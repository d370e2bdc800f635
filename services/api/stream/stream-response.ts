/** One open stream: resumes, then passes on live events that its caller may see. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { may, type TokenIdentity } from '../../core/account/token.ts';
import { AppError } from '../../core/app-error.ts';
import { type LiveEvent, parseCursor } from '../../core/event/live-event.ts';
import { timestamp } from '../../core/timestamp.ts';
import type { Authenticate } from '../http/authentication.ts';
import { type EventWriter, gapSince, writeEvents } from '../http/output/event-stream.ts';
import type { ReadHistory } from './history.ts';
import type { Hub, Watch } from './hub.ts';

export type StreamFilter = {
  addressId: string | undefined;
  types: ReadonlySet<string> | undefined;
  /** Events since then are sent first; undefined: only new ones. */
  since: Date | undefined;
};

type Needs = { hub: Hub; history: ReadHistory; authenticate: Authenticate; heartbeatMs: number };

/** Sent by this process in a second, to all clients together. */
const EVENTS_PER_SECOND = 5_000;
const MIN_EVENTS_PER_SECOND = 10;
/** A stream ends this long after its token or session at the latest. */
const RECHECK_MS = 10_000;
/** Older events are not sent. */
const HISTORY_MAX_MS = 3_600_000;
/** Live events that arrive while the past is read. */
const BUFFERED_MAX = 1_000;

export const createStreamResponse = ({ hub, history, authenticate, heartbeatMs }: Needs) =>
  /** Resolves when the stream can start. @throws AppError when there are too many watchers */
  async function startStream(
    caller: TokenIdentity,
    request: IncomingMessage,
    filter: StreamFilter,
  ): Promise<(response: ServerResponse) => void> {
    let identity = caller;
    let writer: EventWriter | undefined;
    let isOver = false;
    /** Undefined once the past is sent. */
    let buffered: { event: LiveEvent; cursor: string }[] | undefined = [];
    let missedSince: Date | undefined;

    const isWanted = ({ type, environment, permission, addressId }: LiveEvent): boolean =>
      environment === caller.environment &&
      may(identity, permission) &&
      (filter.types === undefined || filter.types.has(type)) &&
      (filter.addressId === undefined || filter.addressId === addressId);

    const end = (): void => {
      isOver = true;
      writer?.end();
    };

    const watch = await hub.watch(caller, {
      receive: (event, cursor) => {
        if (!isWanted(event)) return;
        if (buffered === undefined) writer?.send(event.view, cursor);
        else if (buffered.length < BUFFERED_MAX) buffered.push({ event, cursor });
        else missedSince ??= new Date();
      },
      missed: (since) => {
        if (buffered === undefined) writer?.missed(since);
        else missedSince ??= since;
      },
      end,
    });

    const sendPast = async (to: EventWriter, watching: Watch): Promise<void> => {
      const lastId = request.headers['last-event-id'];
      const cursor = lastId === undefined ? undefined : parseCursor(String(lastId));
      const from = lastId === undefined ? historyStart(to, filter.since) : cursor;
      const sent = new Set<string>();
      if (from !== undefined) {
        const past = await history(caller, from);
        for (const { event, cursor: place } of past.events) {
          sent.add(event.key);
          if (isWanted(event)) to.sendAlways(event.view, place);
        }
        if (!past.isComplete) missedSince ??= from instanceof Date ? from : new Date(from.t);
      } else if (lastId !== undefined) missedSince ??= new Date();
      for (const { event, cursor: place } of buffered ?? [])
        if (!sent.has(event.key)) to.sendAlways(event.view, place);
      buffered = undefined;
      if (missedSince) to.missed(missedSince);
      to.sendAlways({ type: 'stream.ready', at: timestamp(new Date()) }, watching.cursor());
    };

    const recheck = async (): Promise<void> => {
      try {
        const { identity: now, accountIsSuspended } = await authenticate(request);
        identity = now;
        if (accountIsSuspended) end();
      } catch (error) {
        if (error instanceof AppError && error.kind === 'unauthorized') end();
      }
    };

    return function stream(response) {
      const timer = setInterval(() => void recheck(), RECHECK_MS);
      response.once('close', () => {
        clearInterval(timer);
        watch[Symbol.dispose]();
      });
      const opened = writeEvents(response, {
        heartbeatMs,
        eventsPerSecond: () =>
          Math.max(MIN_EVENTS_PER_SECOND, EVENTS_PER_SECOND / Math.max(1, hub.watchers())),
      });
      writer = opened;
      if (isOver) return opened.end();
      sendPast(opened, watch).catch(() => {
        buffered = undefined; // the past cannot be read now
        opened.missed(missedSince ?? filter.since ?? new Date());
      });
    };
  };

/** Reports first that older events are missing: a client can then show all in order. */
function historyStart(to: EventWriter, since: Date | undefined): Date | undefined {
  const earliest = new Date(Date.now() - HISTORY_MAX_MS);
  if (since === undefined || since >= earliest) return since;
  to.sendAlways(gapSince(since));
  return earliest;
}
