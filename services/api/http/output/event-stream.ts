/**
 * One response of server-sent events (WHATWG HTML §9.2). It is bounded: a client that reads too
 * slowly, or receives more than its share, misses events and is told so by `stream.gap`.
 */
import type { ServerResponse } from 'node:http';
import { z } from 'zod';

import type { LiveEventView } from '../../../core/event/live-event.ts';
import { timestamp } from '../../../core/timestamp.ts';

/** The response schema of an endpoint that streams: a function that takes over the response. */
export const EventStream = z.custom<(response: ServerResponse) => void>(
  (value) => typeof value === 'function',
);

export type EventWriter = {
  send(view: LiveEventView, cursor: string): void;
  /**
   * Sends an event that is never skipped: the caller bounds how many there are.
   * @param cursor undefined: a client that resumes does so after the event before
   */
  sendAlways(view: LiveEventView, cursor?: string): void;
  missed(since: Date): void;
  end(): void;
};

const RECONNECT_MS = 2_000;
/** Events of a moment are written together. */
const FLUSH_MS = 20;
/** More unread bytes than this, and events are skipped. */
const UNREAD_MAX_BYTES = 256 * 1024;
const BURST_EVENTS = 300;

/** @param eventsPerSecond the share of this client at this moment */
export function writeEvents(
  response: ServerResponse,
  { heartbeatMs, eventsPerSecond }: { heartbeatMs: number; eventsPerSecond: () => number },
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

  const reportMissed = (): void => {
    if (missedSince === undefined || response.writableLength > 0 || refill() < 1) return;
    pending += textOf(gapSince(missedSince));
    missedSince = undefined;
  };

  const flush = (): void => {
    flushing = undefined;
    reportMissed();
    if (pending !== '') response.write(pending);
    pending = '';
  };

  const refill = (): number => {
    const now = performance.now();
    allowance = Math.min(BURST_EVENTS, allowance + ((now - allowedAt) / 1_000) * eventsPerSecond());
    allowedAt = now;
    return allowance;
  };

  const heartbeat = setInterval(() => {
    if (response.writableLength > UNREAD_MAX_BYTES) return; // the stall timeout disconnects it
    pending += ': ping\n\n';
    flush();
  }, heartbeatMs);
  response.once('close', () => {
    clearInterval(heartbeat);
    clearTimeout(flushing);
  });

  return {
    send: (view, cursor) => {
      const isUnread = response.writableLength + pending.length > UNREAD_MAX_BYTES;
      if (isUnread || missedSince !== undefined || refill() < 1) {
        missedSince ??= new Date();
        flushing ??= setTimeout(flush, FLUSH_MS);
        return;
      }
      allowance--;
      pending += textOf(view, cursor);
      flushing ??= setTimeout(flush, FLUSH_MS);
    },
    sendAlways: (view, cursor) => {
      pending += textOf(view, cursor);
      flushing ??= setTimeout(flush, FLUSH_MS);
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

const textOf = (view: LiveEventView, cursor?: string): string =>
  `event: ${view.type}\n${cursor === undefined ? '' : `id: ${cursor}\n`}data: ${JSON.stringify(view)}\n\n`;
