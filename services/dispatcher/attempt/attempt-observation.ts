/** What metrics, traces and the log say about an attempt. Nothing here decides anything. */
import type { WebhookResult } from '../../adapters/http/webhook.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { QueuedMail } from '../../adapters/stream/pull.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import {
  addressIdOfEvent,
  furtherReceiverFields,
  isNotification,
} from '../../core/delivery/mail-event.ts';
import type { Step } from '../../core/delivery/retry.ts';
import type { BeginAttemptTrace } from '../../platform/attempt-trace.ts';
import type { DispatcherMetrics, ReceiverKind } from '../process/metrics.ts';

type Begun = {
  /** Attempts before this one. */
  retryCount: number;
  /** When a retry was due; null for a first attempt. */
  dueAt: Date | null;
  target: WebhookTarget | undefined;
};

/** The three moments of one attempt. */
type AttemptObservation = {
  /** Header of the webhook. */
  traceparent: string;
  attempted(result: WebhookResult, step: Step): void;
  /** The outcome is in MongoDB. */
  recorded(step: Step): void;
};
export type Observe = (
  mail: Pick<QueuedMail, 'event' | 'lane'>,
  begun: Begun,
) => AttemptObservation;

export const createObserve = (
  metrics: DispatcherMetrics,
  beginTrace: BeginAttemptTrace,
  clock: () => Date,
  log: Log,
): Observe =>
  function observe({ event, lane }, { retryCount, dueAt, target }) {
    const { event_id, account_id } = event;
    const address_id = addressIdOfEvent(event);
    const counts = isNotification(event_id) ? metrics.ofNotification : metrics;
    const kind = kindOf(event, target);
    const startedAt = clock();
    const startedMs = performance.now();
    const trace = beginTrace(event_id, { isStored: true });
    let ended = { at: startedAt, ms: startedMs };
    if (retryCount === 0)
      counts.firstAttempt(startedAt.getTime() - event.received_at_ms, lane === 'retry');
    else if (dueAt) counts.retried(startedAt.getTime() - dueAt.getTime());
    return {
      traceparent: trace.traceparent,
      attempted: ({ outcome, durationMs, detail, error, unusualPort }, step) => {
        ended = { at: clock(), ms: performance.now() };
        trace.attempted({
          accountId: account_id,
          addressId: address_id,
          url: target?.webhook_url ?? undefined,
          attempt: retryCount + 1,
          startedAt,
          durationMs: ended.ms - startedMs,
          outcome,
        });
        counts.attempted(outcome, durationMs, account_id, kind);
        log.info('delivery.attempted', {
          event_id,
          trace_id: trace.traceId,
          address_id,
          ...furtherReceiverFields(event),
          attempt: retryCount + 1,
          duration_ms: durationMs,
          outcome: outcome.kind,
          status: 'status' in outcome ? outcome.status : undefined,
          reason: detail ?? error ?? undefined,
          next: step.kind,
          unusual_port: unusualPort,
        });
      },
      recorded: (step) => {
        trace.recorded(ended.at, performance.now() - ended.ms);
        if (step.kind !== 'retry')
          counts.ended(step.kind === 'done' ? 'delivered' : 'failed', account_id, kind);
      },
    };
  };

const kindOf = (event: QueuedMail['event'], target: WebhookTarget | undefined): ReceiverKind =>
  target?.service
    ? 'service'
    : furtherReceiverFields(event).receiver_id === undefined
      ? 'own'
      : 'further';
