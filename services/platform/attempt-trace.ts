/**
 * The trace of one attempt: the `traceparent` that its webhook carries, with or without a collector,
 * and its spans (D42).
 */
import { pooledRandom } from '../adapters/process/randomness.ts';
import type { Tracing } from '../adapters/tracing/span.ts';
import type { Outcome } from '../core/delivery/retry.ts';
import { idOf, mailTrace, SPAN_ID_BYTES, traceparent } from '../core/id/trace-context.ts';

type AttemptTrace = {
  traceId: string;
  /** Header of the webhook. It has the span id of the attempt. */
  traceparent: string;
  /** Adds the span of the attempt, which has ended. */
  attempted(facts: AttemptFacts): void;
  /** Adds the span of writing its outcome to MongoDB. */
  recorded(startedAt: Date, durationMs: number): void;
};

type AttemptFacts = {
  accountId: string;
  addressId: string;
  /** undefined when there was no receiver to call. */
  url: string | undefined;
  /** Counts from 1. */
  attempt: number;
  startedAt: Date;
  /** Includes the time to read the payload. */
  durationMs: number;
  outcome: Outcome;
};

/** @param options.isStored whether a gateway stored the event, so that the attempt follows its spans */
export type BeginAttemptTrace = (eventId: string, options: { isStored: boolean }) => AttemptTrace;

const newSpanId = () => idOf(pooledRandom(SPAN_ID_BYTES));

/** @param tracing undefined when it is off */
export function createAttemptTraces(
  tracing: Pick<Tracing, 'isSampled' | 'add'> | undefined,
): BeginAttemptTrace {
  return function beginAttemptTrace(eventId, { isStored }) {
    const { traceId, storeSpanId } = mailTrace(eventId);
    const spanId = newSpanId();
    const isSampled = tracing?.isSampled(traceId) ?? false;
    return {
      traceId,
      traceparent: traceparent(traceId, spanId, isSampled),
      attempted: (facts) => {
        if (!isSampled) return;
        tracing?.add({
          name: 'attempt',
          kind: 'client',
          traceId,
          spanId,
          parentSpanId: isStored ? storeSpanId : undefined,
          startedAt: facts.startedAt,
          durationMs: facts.durationMs,
          attributes: { 'inlet.event_id': eventId, ...attributesOf(facts) },
          isError: facts.outcome.kind !== 'accepted',
        });
      },
      recorded: (startedAt, durationMs) => {
        if (!isSampled) return;
        tracing?.add({
          name: 'record',
          kind: 'internal',
          traceId,
          spanId: newSpanId(),
          parentSpanId: spanId,
          startedAt,
          durationMs,
          attributes: { 'inlet.event_id': eventId },
        });
      },
    };
  };
}

/** Named by the semantic conventions for HTTP clients. The path of a URL can be a secret. */
function attributesOf({ accountId, addressId, url, attempt, outcome }: AttemptFacts) {
  const target = url === undefined ? null : URL.parse(url);
  return {
    'inlet.account_id': accountId,
    'inlet.address_id': addressId,
    'inlet.attempt': attempt,
    'inlet.outcome': outcome.kind,
    'http.request.method': 'POST',
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    ...(target && {
      'server.address': target.hostname,
      'server.port': Number(target.port || 443),
    }),
    ...('status' in outcome && { 'http.response.status_code': outcome.status }),
    ...(outcome.kind !== 'accepted' && { 'error.type': errorTypeOf(outcome) }),
  };
}

function errorTypeOf(outcome: Outcome): string {
  if ('status' in outcome) return String(outcome.status);
  return outcome.kind === 'unreachable' ? outcome.reason : outcome.kind;
}
