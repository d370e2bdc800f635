/**
 * Delivers one accepted email as a signed POST. consume.ts pulls it from the stream, this file
 * makes one attempt, core/delivery/retry decides the next step.
 */
import type { Directory } from '../platform/address-directory.ts';
import type { BeginAttemptTrace } from '../platform/attempt-trace.ts';
import type { Log } from '../adapters/process/log.ts';
import type { QueuedMail } from '../adapters/stream/pull.ts';
import type { WebhookResult, Webhooks } from '../adapters/http/webhook.ts';
import { signingSecrets, type WebhookTarget } from '../core/address/address.ts';
import {
  type Attempt,
  type DeliveryState,
  resume,
  revisionOf,
  statusAfter,
} from '../core/delivery/delivery.ts';
import { isNotification } from '../core/delivery/mail-event.ts';
import type { LaneSlots } from '../core/delivery/pacing.ts';
import { contentUntil } from '../core/delivery/retention.ts';
import { nextStep, type Step } from '../core/delivery/retry.ts';
import { type SigningKeys, signingKeys } from '../core/webhook/signature.ts';
import type { Gates, Observation, Permit } from './gates.ts';
import type { LargePosts } from './large-posts.ts';
import type { DeliveryMetrics, DispatcherMetrics } from './metrics.ts';
import { asWaiting, type RecordOutcome } from './outcome-recorder.ts';
import { postSigned } from './signed-post.ts';
import { SHOWN_AFTER_MS } from './visibility.ts';

export type DeliverIO = {
  targets: Directory<WebhookTarget>;
  webhooks: Pick<Webhooks, 'post'>;
  largePosts: Pick<LargePosts, 'post'>;
  gates: Pick<Gates, 'enter'>;
  /** The recorded state of an event; undefined without a record. */
  stateOf(eventId: string): Promise<DeliveryState | undefined>;
  record: RecordOutcome;
  beginTrace: BeginAttemptTrace;
  /** Removes the content of a delivered email. The janitor does it if this fails. */
  removeContent(mail: Pick<QueuedMail, 'event' | 'storedAt'>): Promise<void>;
  metrics: DispatcherMetrics;
};

export type DeliverOptions = {
  scheduleMs: readonly number[];
  userAgent: string;
  clock: () => Date;
  /** In [0, 1). */
  random: () => number;
};

/** Runs the end of an email's processing, which may need no slot: it waits for MongoDB and NATS. */
export type WithoutSlot = (work: () => Promise<void>) => Promise<void>;

/**
 * The record of an older email is always read, even if the stream says that it was never delivered:
 * a consumer that was deleted and created again says so about every email.
 */
const SURELY_NEW_MS = 5_000;

/** A shorter wait for a receiver ends before a request could change it, so it is not recorded. */
const LONG_WAIT_MS = 5_000;

/** Processes one email: delivers it, schedules its next attempt, moves it to FAILED, or NAKs it. */
export function createDeliver(
  io: DeliverIO,
  { scheduleMs, userAgent, clock, random }: DeliverOptions,
  log: Log,
) {
  /** Keys live as long as the directory caches their target. */
  const keyCache = new WeakMap<WebhookTarget, Map<string, SigningKeys>>();

  const keysOf = (target: WebhookTarget): SigningKeys[] => {
    const known = keyCache.get(target) ?? new Map<string, SigningKeys>();
    keyCache.set(target, known);
    return signingSecrets(target, clock()).map((secret) => {
      const keys = known.get(secret) ?? signingKeys(secret);
      known.set(secret, keys);
      return keys;
    });
  };

  const isLongWait = (until: Date): boolean => until.getTime() - clock().getTime() >= LONG_WAIT_MS;

  /**
   * D35: a request changed the record before this message was in the RETRY lane, where the request
   * would have replaced it.
   */
  const isOutdated = async ({ event, revision }: QueuedMail, dueAt: Date): Promise<boolean> => {
    if (!isLongWait(dueAt)) return false;
    const state = await io.stateOf(event.event_id);
    return state !== undefined && revisionOf(state) > revision;
  };

  return async function deliver(
    mail: QueuedMail,
    slots: LaneSlots,
    withoutSlot: WithoutSlot,
  ): Promise<void> {
    const { event, dueAt } = mail;
    const isEarly = !mail.isRepeat && dueAt !== undefined && dueAt > clock();
    if (isEarly && !(await isOutdated(mail, dueAt))) return mail.retryAt(dueAt);

    const isKnownNew =
      mail.lane === 'mail' &&
      !mail.isRepeat &&
      clock().getTime() - event.received_at_ms < SURELY_NEW_MS;
    const state = isKnownNew ? undefined : await io.stateOf(event.event_id);
    const resumption = resume(state, clock(), mail.revision);
    if (resumption.kind === 'discard') return mail.discard();
    if (resumption.kind === 'renew') return mail.renew(resumption.revision);
    if (resumption.kind === 'settle') return settle(mail, resumption.step);
    const target = await io.targets.get(event.address_id);

    const entry = await io.gates.enter({
      accountId: event.account_id,
      addressId: event.address_id,
      lane: mail.lane,
      slots,
      payloadBytes: event.payload_bytes,
    });
    if (entry.kind === 'closed') return mail.nak();
    if (entry.kind === 'later') {
      io.metrics.delayed();
      return withoutSlot(async () => {
        // D34: an email has a record. D35: a request may change a longer wait.
        if (state === undefined || isLongWait(entry.at))
          await io.record(asWaiting(mail, state, entry.at));
        await mail.retryAt(entry.at);
      });
    }
    const startedAt = clock();
    const counts: DeliveryMetrics = isNotification(event.event_id)
      ? io.metrics.ofNotification
      : io.metrics;
    if (resumption.retryCount === 0)
      counts.firstAttempt(startedAt.getTime() - event.received_at_ms, mail.lane === 'retry');
    else if (state?.next_attempt_at)
      counts.retried(startedAt.getTime() - state.next_attempt_at.getTime());
    const trace = io.beginTrace(event.event_id, { isStored: true });
    const startedMs = performance.now();
    const sent = { retryCount: resumption.retryCount, traceparent: trace.traceparent };
    const result = await attempt(mail, target, sent, entry.permit);
    trace.attempted({
      accountId: event.account_id,
      addressId: event.address_id,
      url: target?.webhook_url,
      attempt: resumption.retryCount + 1,
      startedAt,
      durationMs: performance.now() - startedMs,
      outcome: result.outcome,
    });
    const schedule = scheduleMs.slice(0, target?.webhook_retry_attempts); // D12
    const step = nextStep(result.outcome, resumption.attempt, schedule, clock(), random());
    counts.attempted(result.outcome, result.durationMs, event.account_id);
    log.info('delivery.attempted', {
      event_id: event.event_id,
      trace_id: trace.traceId,
      address_id: event.address_id,
      attempt: resumption.retryCount + 1,
      duration_ms: result.durationMs,
      outcome: result.outcome.kind,
      status: 'status' in result.outcome ? result.outcome.status : undefined,
      reason: result.detail ?? result.error ?? undefined,
      next: step.kind,
      unusual_port: result.unusualPort,
    });
    const retention = step.kind === 'done' ? target?.retention_hours : undefined;
    await withoutSlot(async () => {
      const recordFrom = clock();
      const recordMs = performance.now();
      await io.record({
        event,
        storedAt: mail.storedAt,
        isNew: isKnownNew && clock().getTime() - event.received_at_ms < SHOWN_AFTER_MS,
        attempt: attemptRecord(result, startedAt),
        status: statusAfter(step),
        nextAttemptAt: step.kind === 'retry' ? step.at : null,
        contentUntil: contentUntil(clock(), retention),
      });
      trace.recorded(recordFrom, performance.now() - recordMs);
      if (step.kind !== 'retry')
        counts.ended(step.kind === 'done' ? 'delivered' : 'failed', event.account_id);
      await settle(mail, step);
      if (retention === 0) await io.removeContent(mail);
    });
  };

  /** Makes one attempt. Always returns the permit. */
  async function attempt(
    { event, payload }: QueuedMail,
    target: WebhookTarget | undefined,
    sent: { retryCount: number; traceparent: string },
    permit: Permit,
  ): Promise<WebhookResult> {
    let observation: Observation | undefined; // stays undefined when the receiver was not called
    io.metrics.inFlight.inc();
    try {
      if (target === undefined)
        return impossible(
          isNotification(event.event_id)
            ? 'the notification no longer exists'
            : 'the address no longer exists',
        );
      const post = {
        eventId: event.event_id,
        ...sent,
        url: target.webhook_url,
        userAgent,
        keys: keysOf(target),
      };
      const result =
        event.payload_in === 'bucket'
          ? await io.largePosts.post(post, permit.called)
          : await postSigned([payload], post, io.webhooks, clock(), permit.called);
      if (result === undefined) return impossible('the payload is no longer stored');
      observation = {
        durationMs: result.durationMs,
        isFailure: result.outcome.kind === 'busy' || result.outcome.kind === 'unreachable',
      };
      return result;
    } finally {
      io.metrics.inFlight.dec();
      permit.leave(observation);
    }
  }
}

const impossible = (reason: string): WebhookResult => ({
  outcome: { kind: 'blocked', reason },
  durationMs: 0,
  excerpt: null,
  error: reason,
});

/**
 * The outcome is recorded; now settles the message. After a crash before this, `resume` repeats it.
 */
async function settle(mail: QueuedMail, step: Step): Promise<void> {
  if (step.kind === 'done') return mail.done();
  return step.kind === 'retry' ? mail.retryAt(step.at) : mail.moveToFailed();
}

const attemptRecord = (
  { outcome, durationMs, excerpt, error }: WebhookResult,
  at: Date,
): Attempt => ({
  at,
  duration_ms: durationMs,
  outcome: outcome.kind,
  status_code: 'status' in outcome ? outcome.status : null,
  error,
  excerpt,
});
