/**
 * The events of GET /stream, across reconnects: `Last-Event-ID` continues where the last connection
 * ended (docs/api.md#stream).
 */
import type { LiveEvent } from '../../../core/api/api-types.generated.ts';
import type { Operations } from './operations.generated.ts';
import { InletError } from './error.ts';
import { pauseBeforeRetryMs, sleep } from './retry.ts';

type StreamQuery = NonNullable<Parameters<Operations['stream']['streamEvents']>[0]>;

export type EventsQuery = Omit<StreamQuery, 'types'> & {
  /**
   * Only these: `['email.received', 'webhook.failed']`. `stream.ready` and `stream.gap` come only when
   * they are listed, too.
   */
  types?: readonly LiveEvent['type'][];
};

/** Three heartbeats: a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;
/** The longest line that the API sends is far below it. */
const LINE_MAX_CHARS = 1_000_000;
const LONGEST_PAUSE_AFTER = 5;

/** Ends when the signal is aborted. @throws InletError when the API refuses the stream for good */
export async function* listenToEvents(
  open: Operations['stream']['streamEvents'],
  { types, ...query }: EventsQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<LiveEvent> {
  const named = types?.filter((type) => !type.startsWith('stream.')) ?? [];
  const wanted = { ...query, ...(named.length > 0 && { types: named.join(',') }) };
  let lastId: string | undefined;
  for (let failures = 0; !signal?.aborted;) {
    try {
      for await (const { id, data } of connected(open, wanted, lastId, signal)) {
        lastId = id ?? lastId;
        failures = 0;
        const event = JSON.parse(data) as LiveEvent;
        if (types === undefined || types.includes(event.type)) yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof InletError) || pauseMs(error, 1) === undefined) throw error;
    }
    const attempt = Math.min(++failures, LONGEST_PAUSE_AFTER);
    const lost = new InletError('unreachable', 'The stream ended');
    await sleep(pauseMs(lost, attempt) ?? 0, signal).catch(() => undefined);
  }
}

const pauseMs = (error: InletError, attempt: number) =>
  pauseBeforeRetryMs(error, { attempt, maxRetries: attempt }, true, Math.random());

type Message = { id: string | undefined; data: string };

async function* connected(
  open: Operations['stream']['streamEvents'],
  query: StreamQuery,
  lastId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const body = await open(query, {
      signal: AbortSignal.any(signal ? [signal, silence.signal] : [silence.signal]),
      headers: {
        accept: 'text/event-stream',
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      },
    });
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = createParser();
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new InletError('unreachable', 'The connection broke', { cause });
      });
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      yield* parser(decoder.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
    silence.abort(); // closes the connection
  }
}

/** Reads server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
function createParser(): (chunk: string) => Message[] {
  let rest = '';
  let id: string | undefined;
  let data: string[] = [];
  return (chunk) => {
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > LINE_MAX_CHARS)
      throw new InletError('unexpected_response', 'The stream has a line that is too long');
    return lines.flatMap((line) => {
      const [, field, value = ''] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
      if (field === 'id') id = value;
      if (field === 'data') data.push(value);
      if (line !== '' || data.length === 0) return [];
      const message = { id, data: data.join('\n') };
      data = [];
      return [message];
    });
  };
}
