/**
 * All metrics of the dispatcher except the queue. Labels are bounded: known statuses, the busiest
 * accounts, never an address.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import { createAccountLabels } from '../adapters/process/account-labels.ts';
import type { Lane } from '../adapters/stream/pull.ts';
import type { Outcome } from '../core/delivery/retry.ts';

const ATTEMPT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const WAIT_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800];
const KNOWN_STATUSES: ReadonlySet<number> = new Set([
  200, 201, 202, 204, 301, 302, 307, 308, 400, 401, 403, 404, 405, 410, 413, 415, 422, 429, 500,
  502, 503, 504,
]);

const OUTCOMES: readonly Outcome['kind'][] = [
  'accepted',
  'refused',
  'busy',
  'unreachable',
  'blocked',
];
const LANES: readonly Lane[] = ['mail', 'retry'];
const ENDS = ['delivered', 'failed'] as const;

export function createDispatcherMetrics(
  registry: Registry,
  { namedAccounts, inFlight }: { namedAccounts: number; inFlight: () => number },
) {
  const registers = [registry];
  const attempts = new Counter({
    name: 'inlet_webhook_attempts_total',
    help: 'webhook attempts by outcome and status',
    labelNames: ['outcome', 'status'],
    registers,
  });
  const attemptSeconds = new Histogram({
    name: 'inlet_webhook_attempt_seconds',
    help: 'duration of an attempt',
    labelNames: ['outcome'],
    buckets: ATTEMPT_SECONDS,
    registers,
  });
  const firstAttemptSeconds = new Histogram({
    name: 'inlet_mail_to_first_attempt_seconds',
    help: 'time from the end of DATA to the first attempt; paced: the email waited for its receiver or its account',
    labelNames: ['paced'],
    buckets: WAIT_SECONDS,
    registers,
  });
  for (const paced of ['true', 'false']) firstAttemptSeconds.zero({ paced });
  const deliveries = new Counter({
    name: 'inlet_deliveries_total',
    help: 'deliveries that ended, by status',
    labelNames: ['status'],
    registers,
  });
  for (const status of ENDS) deliveries.inc({ status }, 0); // without this 0, increase() misses the first
  const delayed = new Counter({
    name: 'inlet_mail_delayed_total',
    help: 'emails moved to the RETRY lane because their address or their account was at its limit',
    registers,
  });
  const naks = new Counter({
    name: 'inlet_mail_nak_total',
    help: 'times that an email was NAKed for a few seconds because of an error inside Inlet',
    labelNames: ['lane'],
    registers,
  });
  for (const lane of LANES) naks.inc({ lane }, 0);
  new Gauge({
    name: 'inlet_webhook_in_flight',
    help: 'attempts in flight',
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  const inProgress = new Gauge({
    name: 'inlet_mail_in_progress',
    help: 'emails that this dispatcher has pulled and not settled yet',
    labelNames: ['lane'],
    registers,
  });
  const recordSeconds = new Histogram({
    name: 'inlet_record_batch_seconds',
    help: 'duration of one batch of outcome writes',
    buckets: ATTEMPT_SECONDS,
    registers,
  });
  const retryLateSeconds = new Histogram({
    name: 'inlet_retry_late_seconds',
    help: 'time from next_attempt_at of a retry to its start; a wait for its address above 5 s moves it',
    buckets: WAIT_SECONDS,
    registers,
  });
  const accountAttempts = new Counter({
    name: 'inlet_account_attempts_total',
    help: 'webhook attempts by account (the busiest only) and outcome',
    labelNames: ['account', 'outcome'],
    registers,
  });
  const accountDeliveries = new Counter({
    name: 'inlet_account_deliveries_total',
    help: 'deliveries that ended, by account (the busiest only) and status',
    labelNames: ['account', 'status'],
    registers,
  });
  const accounts = createAccountLabels({
    limit: namedAccounts,
    now: Date.now,
    // Starts every series at 0: otherwise increase() misses the first event of each kind.
    onGained: (account) => {
      for (const outcome of OUTCOMES) accountAttempts.inc({ account, outcome }, 0);
      for (const status of ENDS) accountDeliveries.inc({ account, status }, 0);
    },
    onLost: (account) => {
      for (const outcome of OUTCOMES) accountAttempts.remove({ account, outcome });
      for (const status of ENDS) accountDeliveries.remove({ account, status });
    },
  });
  const notificationAttempts = new Counter({
    name: 'inlet_notification_attempts_total',
    help: 'attempts to send a notification, by outcome; no metric of emails or webhooks counts them',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of OUTCOMES) notificationAttempts.inc({ outcome }, 0);
  return {
    ofNotification: {
      attempted: (outcome: Outcome) => notificationAttempts.inc({ outcome: outcome.kind }),
      firstAttempt: () => undefined,
      retried: () => undefined,
      ended: () => undefined,
    },
    attempted(outcome: Outcome, durationMs: number, accountId: string) {
      accountAttempts.inc({ account: accounts.of(accountId), outcome: outcome.kind });
      attempts.inc({ outcome: outcome.kind, status: statusLabel(outcome) });
      attemptSeconds.observe({ outcome: outcome.kind }, durationMs / 1000);
    },
    /** @param isPaced whether it waited for its receiver or its account, and not for Inlet */
    firstAttempt: (waitedMs: number, isPaced: boolean) =>
      firstAttemptSeconds.observe({ paced: String(isPaced) }, waitedMs / 1000),
    /** @param lateMs how long ago it was due */
    retried: (lateMs: number) => retryLateSeconds.observe(Math.max(0, lateMs) / 1000),
    ended(status: (typeof ENDS)[number], accountId: string) {
      deliveries.inc({ status });
      accountDeliveries.inc({ account: accounts.of(accountId), status });
    },
    delayed: () => delayed.inc(),
    onNak: (lane: Lane) => naks.inc({ lane }),
    recorded: (durationMs: number) => recordSeconds.observe(durationMs / 1000),
    inProgress,
  };
}
export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>;

/** What is counted of an email, and of a notification only in part. */
export type DeliveryMetrics = Pick<
  DispatcherMetrics,
  'attempted' | 'firstAttempt' | 'retried' | 'ended'
>;

/** `503`, or `5xx` for an uncommon status; the reason when there was no response. */
function statusLabel(outcome: Outcome): string {
  if (outcome.kind === 'unreachable') return outcome.reason;
  if (outcome.kind === 'blocked') return 'blocked';
  return KNOWN_STATUSES.has(outcome.status)
    ? String(outcome.status)
    : `${Math.floor(outcome.status / 100)}xx`;
}
