/**
 * All metrics of the dispatcher except the queue. Labels are bounded: known statuses, the busiest
 * accounts, never an address.
 */
import { createAccountLabels } from '../../adapters/process/account-labels.ts';
import { ANY, type Meter } from '../../adapters/process/meter.ts';
import type { Lane } from '../../adapters/stream/pull.ts';
import { FAILED_ENDS, type FailedEnd } from '../../core/delivery/delivery-end.ts';
import { OUTCOMES } from '../../core/delivery/attempt-view.ts';
import type { Outcome } from '../../core/delivery/retry.ts';

const ATTEMPT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const WAIT_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800];
const KNOWN_STATUSES: ReadonlySet<number> = new Set([
  200, 201, 202, 204, 301, 302, 307, 308, 400, 401, 403, 404, 405, 410, 413, 415, 422, 429, 500,
  502, 503, 504,
]);

const LANES: readonly Lane[] = ['mail', 'retry'];
const ENDS = ['delivered', 'failed'] as const;

/** The receiver of an address itself, a further one, or a further one that is a Service. */
const RECEIVER_KINDS = ['own', 'further', 'service'] as const;
export type ReceiverKind = (typeof RECEIVER_KINDS)[number];

/** The busiest accounts only. */
function accountMetrics({ counter }: Meter, limit: number) {
  const accountAttempts = counter(
    'inlet_account_attempts_total',
    'webhook attempts by account (the busiest only) and outcome',
    { account: ANY, outcome: OUTCOMES },
  );
  const accountDeliveries = counter(
    'inlet_account_deliveries_total',
    'deliveries that ended, by account (the busiest only) and status',
    { account: ANY, status: ENDS },
  );
  const accounts = createAccountLabels({
    limit,
    now: Date.now,
    onGained: (account) => {
      accountAttempts.begin({ account });
      accountDeliveries.begin({ account });
    },
    onLost: (account) => {
      accountAttempts.end({ account });
      accountDeliveries.end({ account });
    },
  });
  return {
    attempted: (accountId: string, outcome: Outcome['kind']) =>
      accountAttempts.inc({ account: accounts.of(accountId), outcome }),
    ended: (accountId: string, status: (typeof ENDS)[number]) =>
      accountDeliveries.inc({ account: accounts.of(accountId), status }),
  };
}

/** Emails that end, or begin again, without an attempt, and those that will. */
function unattemptedMetrics({ counter, gauge }: Meter) {
  const setAside = counter(
    'inlet_mail_set_aside_total',
    'emails that failed for good because Inlet itself cannot process them; they can be replayed',
    {},
  );
  const gaveUp = counter(
    'inlet_deliveries_given_up_total',
    'deliveries that Inlet ended as failed without an attempt, by reason',
    { reason: FAILED_ENDS },
  );
  const requeued = counter(
    'inlet_deliveries_requeued_total',
    'deliveries whose next attempt was overdue, and that were queued again from a stored copy',
    {},
  );
  const unread = gauge(
    'inlet_unread_addresses',
    'receivers with the mode pull whose oldest email fails as unread within a tenth of ' +
      'FAILED_RETENTION; counted every minute, and equal in every process of a region',
    {},
  );
  return {
    gaveUp: (reason: FailedEnd) => gaveUp.inc({ reason }),
    requeued: () => requeued.inc(),
    unread: (receivers: number) => unread.set(receivers),
    setAside: () => setAside.inc(),
  };
}

export function createDispatcherMetrics(
  meter: Meter,
  { namedAccounts, inFlight }: { namedAccounts: number; inFlight: () => number },
) {
  const { counter, gauge, histogram } = meter;
  const attempts = counter(
    'inlet_webhook_attempts_total',
    'webhook attempts by outcome, status and kind of receiver',
    { outcome: ANY, status: ANY, receiver_kind: RECEIVER_KINDS },
  );
  const attemptSeconds = histogram(
    'inlet_webhook_attempt_seconds',
    'duration of an attempt',
    { outcome: ANY },
    ATTEMPT_SECONDS,
  );
  const firstAttemptSeconds = histogram(
    'inlet_mail_to_first_attempt_seconds',
    'time from the end of DATA to the first attempt; paced: the email waited for its receiver or its account',
    { paced: ['true', 'false'] },
    WAIT_SECONDS,
  );
  const deliveries = counter(
    'inlet_deliveries_total',
    'deliveries that ended, by status and kind of receiver',
    { status: ENDS, receiver_kind: RECEIVER_KINDS },
  );
  const delayed = counter(
    'inlet_mail_delayed_total',
    'emails moved to the RETRY lane because their address or their account was at its limit',
    {},
  );
  const naks = counter(
    'inlet_mail_nak_total',
    'times that an email was NAKed for a few seconds because of an error inside Inlet',
    { lane: LANES },
  );
  const refused = counter(
    'inlet_outcomes_refused_total',
    'outcomes of attempts that MongoDB refused for good, and that have no record',
    {},
  );
  const unattempted = unattemptedMetrics(meter);
  gauge('inlet_webhook_in_flight', 'attempts in flight', {}, (set) => set({}, inFlight()));
  const inProgress = gauge(
    'inlet_mail_in_progress',
    'emails that this dispatcher has pulled and not settled yet',
    { lane: LANES },
  );
  const recordSeconds = histogram(
    'inlet_record_batch_seconds',
    'duration of one batch of outcome writes',
    {},
    ATTEMPT_SECONDS,
  );
  const retryLateSeconds = histogram(
    'inlet_retry_late_seconds',
    'time from next_attempt_at of a retry to its start; a wait for its address above 5 s moves it',
    {},
    WAIT_SECONDS,
  );
  const accounts = accountMetrics(meter, namedAccounts);
  const notificationAttempts = counter(
    'inlet_notification_attempts_total',
    'attempts to send a notification, by outcome; no metric of emails or webhooks counts them',
    { outcome: OUTCOMES },
  );
  return {
    ofNotification: {
      attempted: (outcome: Outcome) => notificationAttempts.inc({ outcome: outcome.kind }),
      firstAttempt: () => undefined,
      retried: () => undefined,
      ended: () => undefined,
    },
    attempted(outcome: Outcome, durationMs: number, accountId: string, kind: ReceiverKind) {
      accounts.attempted(accountId, outcome.kind);
      attempts.inc({ outcome: outcome.kind, status: statusLabel(outcome), receiver_kind: kind });
      attemptSeconds.observe({ outcome: outcome.kind }, durationMs / 1000);
    },
    /** @param isPaced whether it waited for its receiver or its account, and not for Inlet */
    firstAttempt: (waitedMs: number, isPaced: boolean) =>
      firstAttemptSeconds.observe({ paced: isPaced ? 'true' : 'false' }, waitedMs / 1000),
    /** @param lateMs how long ago it was due */
    retried: (lateMs: number) => retryLateSeconds.observe(Math.max(0, lateMs) / 1000),
    ended(status: (typeof ENDS)[number], accountId: string, kind: ReceiverKind) {
      deliveries.inc({ status, receiver_kind: kind });
      accounts.ended(accountId, status);
    },
    delayed: () => delayed.inc(),
    onNak: (lane: Lane) => naks.inc({ lane }),
    recorded: (durationMs: number) => recordSeconds.observe(durationMs / 1000),
    refused: () => refused.inc(),
    ...unattempted,
    inProgress,
  };
}
export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>;

/** `503`, or `5xx` for an uncommon status; the reason when there was no response. */
function statusLabel(outcome: Outcome): string {
  if (outcome.kind === 'unreachable') return outcome.reason;
  if (!('status' in outcome)) return outcome.kind;
  return KNOWN_STATUSES.has(outcome.status)
    ? String(outcome.status)
    : `${Math.floor(outcome.status / 100)}xx`;
}
