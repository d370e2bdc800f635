/**
 * W3C Trace Context (www.w3.org/TR/trace-context). The ids of an email's trace are a function of its
 * event id. So nothing is stored for them, and all processes, attempts and replays share one trace.
 */
import { createHash } from 'node:crypto';

/** Trace ids have 32 hex digits, span ids 16. */
type MailTrace = { traceId: string; acceptSpanId: string; storeSpanId: string };

export const TRACE_ID_BYTES = 16;
export const SPAN_ID_BYTES = 8;

/** The trace of an email at one address, and the spans that the gateway adds to it. */
export function mailTrace(eventId: string): MailTrace {
  const digest = createHash('sha256').update(eventId).digest('hex'); // crypto.hash needs Node 20.12
  return {
    traceId: digest.slice(0, 32),
    acceptSpanId: digest.slice(32, 48),
    storeSpanId: digest.slice(48),
  };
}

export const idOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** @param isSampled whether the span is recorded */
export const traceparent = (traceId: string, spanId: string, isSampled: boolean): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

type ParentSpan = { traceId: string; spanId: string; isSampled: boolean };

// a later version may append fields (section 4.3); version ff is invalid
const TRACEPARENT =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Reads a `traceparent` header; undefined when it is absent or invalid. */
export function readTraceparent(header: string | undefined): ParentSpan | undefined {
  const [, version, traceId, spanId, flags = '', rest] = TRACEPARENT.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
