/**
 * One response of server-sent events (WHATWG HTML §9.2). It is bounded: a client that reads too
 * slowly, or receives more than its share, misses events and is told so by `stream.gap`.
 */
import type { ServerResponse } from 'node:http';
import { z } from 'zod';

import type { LiveEventView } from '../../../core/event/live-event.ts';
import { timestamp } from '../../../core/time/timestamp.ts';
import { storableJson } from '../../../core/text/text.ts';

/** The response schema of an endpoint that streams: a function that takes over the response. */
export const EventStream = z.custom<(response: ServerResponse) => void>(
  (value) => typeof value === 'function',
);

export type EventWriter = {
  send(view: LiveEventView, cursor: string): void;
  /** Sends an event that is never skipped. The caller bounds how many there are. */
  sendAlways(view: LiveEventView, cursor: string): void;
  /** Writes texts of events as fast as the client reads them. Resolves also when it has left. */
  sendPast(texts: Iterable<string>): Promise<void>;
  missed(since: Date): void;
  end(): void;
};

type WriterLimits = {
  heartbeatMs: number;
  /** A browser does not show comments to its page: heartbeats are events `ping` with their pause. */
  isBrowser?: boolean;
  /** The streams that the process has at this moment, which share its limits. */
  streams: () => number;
  /** Sent by the process in a second, to all clients together. */
  eventsPerSecond?: number;
};

const RECONNECT_MS = 2_000;
/** Events of a moment are written together. */
const FLUSH_MS = 20;
/** More unread bytes than this, and events are skipped. */
const UNREAD_MAX_BYTES = 256 * 1024;
/** Unread bytes of all streams of the process. */
const ALL_UNREAD_MAX_BYTES = 64 * 1024 * 1024;
/** The past is written in pieces of this size. The next one waits until the client has read. */
const PIECE_CHARS = 32 * 1024;
const EVENTS_PER_SECOND = 5_000;
const MIN_EVENTS_PER_SECOND = 10;
const BURST_EVENTS = 300;

export function writeEvents(
  response: ServerResponse,
  { heartbeatMs, isBrowser, streams, eventsPerSecond = EVENTS_PER_SECOND }: WriterLimits,
): EventWriter {
  let pending = '';
  let flushing: NodeJS.Timeout | undefined;
  let missedSince: Date | undefined;
  let allowance = BURST_EVENTS;
  let allowedAt = performance.now();

  response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  response.setHeader('X-Accel-Buffering', 'no'); // nginx would hold events back
  response.statusCode = 200;
  response.write(`retry: ${RECONNECT_MS}\n\n`);

  const isOpen = (): boolean => !response.destroyed && !response.writableEnded;

  const share = (ofAll: number): number => ofAll / Math.max(1, streams());

  const hasUnread = (): boolean =>
    response.writableLength + pending.length >
    Math.min(UNREAD_MAX_BYTES, share(ALL_UNREAD_MAX_BYTES));

  const reportMissed = (): void => {
    if (missedSince === undefined || response.writableLength > 0 || refill() < 1) return;
    pending += eventText(gapSince(missedSince));
    missedSince = undefined;
  };

  const flush = (): void => {
    clearTimeout(flushing);
    flushing = undefined;
    reportMissed();
    if (pending !== '' && isOpen()) response.write(Buffer.from(pending)); // counted in bytes
    pending = '';
  };

  const refill = (): number => {
    const now = performance.now();
    const perSecond = Math.max(MIN_EVENTS_PER_SECOND, share(eventsPerSecond));
    allowance = Math.min(BURST_EVENTS, allowance + ((now - allowedAt) / 1_000) * perSecond);
    allowedAt = now;
    return allowance;
  };

  const drained = (): Promise<void> =>
    new Promise((resolve) => {
      if (!response.writableNeedDrain) return resolve(); // false once it is closed
      const done = () => {
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });

  const heartbeat = setInterval(() => {
    if (hasUnread()) return; // the stall timeout disconnects it
    pending += isBrowser ? `event: ping\ndata: ${heartbeatMs}\n\n` : ': ping\n\n';
    flush();
  }, heartbeatMs);
  response.once('close', () => {
    clearInterval(heartbeat);
    clearTimeout(flushing);
  });

  return {
    send: (view, cursor) => {
      if (hasUnread() || missedSince !== undefined || refill() < 1) {
        missedSince ??= new Date();
        flushing ??= setTimeout(flush, FLUSH_MS);
        return;
      }
      allowance--;
      pending += eventText(view, cursor);
      flushing ??= setTimeout(flush, FLUSH_MS);
    },
    sendAlways: (view, cursor) => {
      pending += eventText(view, cursor);
      flushing ??= setTimeout(flush, FLUSH_MS);
    },
    sendPast: async function sendPast(texts) {
      for (const text of texts) {
        if (!isOpen()) return;
        pending += text;
        if (pending.length < PIECE_CHARS) continue;
        flush();
        await drained();
      }
      flush();
      await drained();
    },
    missed: (since) => {
      missedSince = missedSince && missedSince < since ? missedSince : since;
      reportMissed();
      flushing ??= setTimeout(flush, FLUSH_MS);
    },
    end: () => {
      flush();
      response.end();
    },
  };
}

/** Events since then may be missing. */
export const gapSince = (since: Date): LiveEventView => ({
  type: 'stream.gap',
  at: timestamp(new Date()),
  since: timestamp(since),
});

/** @param cursor undefined: a client that resumes does so after the event before */
export const eventText = (view: LiveEventView, cursor?: string): string =>
  `event: ${view.type}\n${cursor === undefined ? '' : `id: ${cursor}\n`}data: ${storableJson(view)}\n\n`;
