/** Everything that the dispatcher measures. Labels are bounded: never an address, an account or a status outside the known ones. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import type { Outcome } from '../core/retry.ts';
import type { LaneDepth } from '../adapters/lane-depths.ts';

const ATTEMPT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const WAIT_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800];
const KNOWN_STATUSES: ReadonlySet<number> = new Set([200, 201, 202, 204, 301, 302, 307, 308, 400, 401, 403, 404, 405, 410, 413, 415, 422, 429, 500, 502, 503, 504]);

export function createDispatcherMetrics(registry: Registry, readDepths: () => Promise<LaneDepth[]>) {
  const registers = [registry];
  const attempts = new Counter({ name: 'inlet_webhook_attempts_total', help: 'webhook attempts by outcome and status', labelNames: ['outcome', 'status'], registers });
  const attemptSeconds = new Histogram({ name: 'inlet_webhook_attempt_seconds', help: 'time that an attempt took', labelNames: ['outcome'], buckets: ATTEMPT_SECONDS, registers });
  const firstAttemptSeconds = new Histogram({ name: 'inlet_mail_to_first_attempt_seconds', help: 'time from the end of DATA to the start of the first attempt', buckets: WAIT_SECONDS, registers });
  const deliveries = new Counter({ name: 'inlet_deliveries_total', help: 'deliveries that ended, by how', labelNames: ['status'], registers });
  const delayed = new Counter({ name: 'inlet_mail_delayed_total', help: 'mails sent to the retry lane because their address had its turn later', registers });
  const inFlight = new Gauge({ name: 'inlet_webhook_in_flight', help: 'attempts under way', registers });
  const inHand = new Gauge({ name: 'inlet_mail_in_hand', help: 'mails that this dispatcher has taken from the stream and not settled', registers });
  const recordSeconds = new Histogram({ name: 'inlet_record_batch_seconds', help: 'time that a batch of outcomes took to write', buckets: ATTEMPT_SECONDS, registers });
  new Gauge({
    name: 'inlet_queue_depth',
    help: 'mails on the stream by lane and state: ready to be taken, or taken or asleep',
    labelNames: ['lane', 'partition', 'state'],
    registers,
    collect: async function collectDepths() {
      for (const { lane, partition, ready, pending } of await readDepths()) {
        this.set({ lane, partition, state: 'ready' }, ready);
        this.set({ lane, partition, state: 'pending' }, pending);
      }
    },
  });
  return {
    attempted(outcome: Outcome, durationMs: number) {
      attempts.inc({ outcome: outcome.kind, status: statusLabel(outcome) });
      attemptSeconds.observe({ outcome: outcome.kind }, durationMs / 1000);
    },
    firstAttempt: (waitedMs: number) => firstAttemptSeconds.observe(waitedMs / 1000),
    ended: (status: 'delivered' | 'failed') => deliveries.inc({ status }),
    delayed: () => delayed.inc(),
    recorded: (durationMs: number) => recordSeconds.observe(durationMs / 1000),
    inFlight,
    inHand,
  };
}
export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>;

/** `503`, or `5xx` for a status that few servers send; the reason when there was no answer. */
function statusLabel(outcome: Outcome): string {
  if (outcome.kind === 'unreachable') return outcome.reason;
  if (outcome.kind === 'blocked') return 'blocked';
  return KNOWN_STATUSES.has(outcome.status) ? String(outcome.status) : `${Math.floor(outcome.status / 100)}xx`;
}
