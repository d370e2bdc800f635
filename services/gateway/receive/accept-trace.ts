/**
 * The first two spans of an email's trace: `accept` lasts from DATA to the 250, `store` until the
 * event is on disk. They are added afterwards, so large emails need nothing in their thread.
 */
import { pooledRandom } from '../../adapters/process/randomness.ts';
import type { Tracing } from '../../adapters/tracing/span.ts';
import { idOf, mailTrace, SPAN_ID_BYTES } from '../../core/id/trace-context.ts';
import type { StoredEvent } from './received-mail.ts';

/** Adds the spans of an email that is accepted now: a trace for each recipient. */
export type TraceAccepted = (accepted: {
  events: readonly StoredEvent[];
  /** Size of the raw email. */
  bytes: number;
  dataFrom: Date;
  /** End of DATA. */
  dataUntil: Date;
}) => void;

export function createTraceAccepted(
  tracing: Pick<Tracing, 'isSampled' | 'add'>,
  clock: () => Date,
): TraceAccepted {
  return function traceAccepted({ events, bytes, dataFrom, dataUntil }) {
    const durationMs = clock().getTime() - dataFrom.getTime();
    for (const { eventId, accountId, addressId, isRepeat, storedFrom, storeMs } of events) {
      const { traceId, acceptSpanId, storeSpanId } = mailTrace(eventId);
      if (!tracing.isSampled(traceId)) continue;
      const attributes = {
        'inlet.event_id': eventId,
        'inlet.account_id': accountId,
        'inlet.address_id': addressId,
      };
      tracing.add({
        name: 'accept',
        kind: 'server',
        traceId,
        // a repeat belongs to the trace of the first email
        spanId: isRepeat ? idOf(pooledRandom(SPAN_ID_BYTES)) : acceptSpanId,
        parentSpanId: isRepeat ? acceptSpanId : undefined,
        startedAt: dataFrom,
        durationMs,
        attributes: {
          ...attributes,
          'inlet.size_bytes': bytes,
          'inlet.recipients': events.length,
          'inlet.data_ms': dataUntil.getTime() - dataFrom.getTime(),
          'inlet.is_repeat': isRepeat,
        },
      });
      if (isRepeat) continue;
      tracing.add({
        name: 'store',
        kind: 'producer',
        traceId,
        spanId: storeSpanId,
        parentSpanId: acceptSpanId,
        startedAt: storedFrom,
        durationMs: storeMs,
        attributes,
      });
    }
  };
}
