/**
 * Decides what happens to one email that consume.ts has pulled: an attempt now, a time to sleep
 * until, or only the settling that a crash interrupted. attempt.ts makes the attempt,
 * core/delivery/retry decides the next step, attempt-observation.ts reports it.
 */
import type { Directory } from '../platform/address-directory.ts';
import type { QueuedMail } from '../adapters/stream/pull.ts';
import type { WebhookResult } from '../adapters/http/webhook.ts';
import type { WebhookTarget } from '../core/address/address.ts';
import type { Shared } from '../core/delivery/claim.ts';
import {
  type Attempt,
  type DeliveryState,
  type FailedEnd,
  resume,
  revisionOf,
  ruledStatus,
  statusAfter,
} from '../core/delivery/delivery.ts';
import { type Unsent, unsentAs } from '../core/delivery/unsent.ts';
import { contentUntil } from '../core/delivery/retention.ts';
import { beginningOf, nextStep, type Step, unrecordedStep } from '../core/delivery/retry.ts';
import type { MakeAttempt } from './attempt.ts';
import type { AttemptLimits } from './attempt-limits.ts';
import type { Observe } from './attempt-observation.ts';
import type { AfterFreeingSlot } from './consume.ts';
import { asPending, asWaiting, type RecordOutcome } from './outcome-recorder.ts';
import { SHOWN_AFTER_MS } from './visibility.ts';

export type DeliverIO = {
  targets: Directory<WebhookTarget>;
  limits: Pick<AttemptLimits, 'enter'>;
  attempt: MakeAttempt;
  observe: Observe;
  /** The recorded state of an event; undefined without a record. */
  stateOf(eventId: string): Promise<DeliveryState | undefined>;
  record: RecordOutcome;
  /** Removes the content of a delivered email. The janitor does it if this fails. */
  removeContent(mail: Pick<QueuedMail, 'event' | 'storedAt'>): Promise<void>;
  /** An email moves to the RETRY lane because of a limit. */
  delayed(): void;
  /** Whether the RETRY lane takes no more emails of this account. */
  isBacklogFull(accountId: string): Promise<boolean>;
  /** An email ended without an attempt. */
  gaveUp(mail: Pick<QueuedMail, 'event'>, as: FailedEnd): void;
};

export type DeliverOptions = {
  scheduleMs: readonly number[];
  /** How long an email is tried. */
  lifetimeMs: number;
  clock: () => Date;
  /** In [0, 1). */
  random: () => number;
};

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
  { scheduleMs, lifetimeMs, clock, random }: DeliverOptions,
) {
  const isLongWait = (until: Date): boolean => until.getTime() - clock().getTime() >= LONG_WAIT_MS;

  /** It came from the stream before it is due, and no request has changed that time since (D35). */
  const mustStillSleep = async ({ event, dueAt, isRepeat, revision }: QueuedMail) => {
    if (isRepeat || dueAt === undefined || dueAt <= clock()) return false;
    if (!isLongWait(dueAt)) return true;
    const state = await io.stateOf(event.event_id);
    return state === undefined || revisionOf(state) <= revision;
  };

  /**
   * The outcome is recorded; now settles the message. After a crash before this, `resume` repeats it.
   */
  const settle = async (mail: QueuedMail, step: Step): Promise<void> => {
    if (step.kind === 'done') return mail.done();
    return step.kind === 'retry' ? mail.retryAt(step.at, clock()) : mail.moveToFailed();
  };

  /** @param withinMs in both directions: the clock of a gateway may be ahead */
  const isSurelyNew = ({ event, lane, isRepeat }: QueuedMail, withinMs: number): boolean =>
    lane === 'mail' && !isRepeat && Math.abs(clock().getTime() - event.received_at_ms) < withinMs;

  /**
   * Rules hold or drop it, or no webhook is sent of it. A held email waits in FAILED for its release.
   */
  const endUnattempted = async (
    mail: QueuedMail,
    found: DeliveryState | undefined,
    end: { status: 'held' | 'dropped' } | { status: 'delivered'; endedAs: Unsent },
    retention: number | undefined,
  ): Promise<void> => {
    const { event, storedAt } = mail;
    const isHeld = end.status === 'held';
    const ends = isHeld ? undefined : contentUntil(clock(), retention);
    const outcome = { attempt: undefined, nextAttemptAt: null, contentUntil: ends };
    const recorded = await io.record({ event, storedAt, found, ...end, ...outcome });
    if (recorded === 'overtaken') return mail.nak();
    await settle(mail, { kind: isHeld ? 'give-up' : 'done' });
    if (!isHeld && retention === 0) await io.removeContent(mail);
  };

  /**
   * Ends the email as failed. Its copy goes to FAILED, unless it would fill the disk of the backlog:
   * then the one in the MAIL lane, which makes room when that is needed, is the only one.
   */
  const giveUp = async (
    mail: QueuedMail,
    state: DeliveryState | undefined,
    as: FailedEnd,
  ): Promise<void> => {
    const { event, storedAt } = mail;
    const end = { status: 'failed', attempt: undefined, nextAttemptAt: null, endedAs: as } as const;
    const recorded = await io.record({ event, storedAt, found: state, ...end });
    if (recorded === 'overtaken') return mail.nak();
    io.gaveUp(mail, as);
    await settle(mail, { kind: as === 'backlog_full' ? 'done' : 'give-up' });
  };

  /** @param slots of the partition and lane */
  return async function deliver(
    mail: QueuedMail,
    slots: Shared,
    afterFreeingSlot: AfterFreeingSlot,
  ): Promise<void> {
    const { event, dueAt } = mail;
    if (dueAt !== undefined && (await mustStillSleep(mail))) return mail.retryAt(dueAt, clock());
    const isNew = isSurelyNew(mail, SURELY_NEW_MS);
    const state = isNew ? undefined : await io.stateOf(event.event_id);
    // a request may have decided about the email before it has a record (D168)
    if (!isNew && state === undefined && (await io.record(asPending(mail))) === 'overtaken')
      return mail.nak();
    const resumption = resume(state, clock(), mail.revision);
    if (resumption.kind === 'discard') return mail.discard();
    if (resumption.kind === 'renew') return mail.renew(resumption.revision);
    if (resumption.kind === 'settle') return settle(mail, resumption.step);

    const target = await io.targets.get(event.address_id);
    const ruled = ruledStatus(event, state);
    const unsent = unsentAs(event, state, target);
    const end = ruled
      ? { status: ruled }
      : unsent && { status: 'delivered' as const, endedAs: unsent };
    if (end !== undefined)
      return afterFreeingSlot(() => endUnattempted(mail, state, end, target?.retention_hours));
    const isFirst = mail.lane === 'mail' && !mail.isRepeat && !state?.attempts;
    const beganAt = beginningOf(
      event.received_at_ms,
      { began_at: state?.began_at, isFirst },
      clock(),
    );
    if (clock().getTime() >= beganAt.getTime() + lifetimeMs)
      return afterFreeingSlot(() => giveUp(mail, state, 'expired'));
    const entry = await io.limits.enter({
      accountId: event.account_id,
      addressId: event.address_id,
      wasScheduled: mail.lane === 'retry',
      slots,
      payloadBytes: event.payload_bytes,
    });
    if (entry.kind === 'closed') return mail.nak();
    if (entry.kind === 'later') {
      io.delayed();
      return afterFreeingSlot(async () => {
        if (mail.lane === 'mail' && (await io.isBacklogFull(event.account_id)))
          return giveUp(mail, state, 'backlog_full');
        // D34: an email has a record. D35: a request may change a longer wait.
        if (state === undefined || isLongWait(entry.at))
          await io.record({
            ...asWaiting(mail, state, entry.at),
            ...(beganAt.getTime() !== event.received_at_ms && { beganAt }),
          });
        await mail.retryAt(entry.at, clock());
      });
    }

    const { retryCount } = resumption;
    const startedAt = clock();
    const begun = { retryCount, target, dueAt: state?.next_attempt_at ?? null };
    const observation = io.observe(mail, begun);
    const { traceparent } = observation;
    const sent = { retryCount, traceparent, storedFiles: state?.stored_files };
    const result = await io.attempt(mail, target, sent, entry.permit);
    const schedule = scheduleMs.slice(0, target?.webhook_retry_attempts); // D12
    const step = nextStep(result.outcome, resumption.attempt, schedule, clock(), random());
    observation.attempted(result, step);
    const retention = step.kind === 'done' ? target?.retention_hours : undefined;
    await afterFreeingSlot(async () => {
      const recorded = await io.record({
        event,
        storedAt: mail.storedAt,
        found: state,
        isNew: isNew && isSurelyNew(mail, SHOWN_AFTER_MS),
        attempt: attemptRecord(result, startedAt),
        headers: result.headers,
        status: statusAfter(step),
        nextAttemptAt: step.kind === 'retry' ? step.at : null,
        contentUntil: contentUntil(clock(), retention),
        storedFiles: result.storedFiles,
      });
      // a request decided what is next: the stream redelivers the email, and its record says it
      if (recorded === 'overtaken' && step.kind !== 'done') return mail.nak();
      observation.recorded(step);
      const unrecorded = () => unrecordedStep(step, event.received_at_ms, schedule, clock());
      await settle(mail, recorded === 'refused' ? unrecorded() : step);
      if (retention === 0) await io.removeContent(mail);
    });
  };
}

const attemptRecord = (
  { outcome, durationMs, excerpt, error, location }: WebhookResult,
  at: Date,
): Attempt => ({
  at,
  duration_ms: durationMs,
  outcome: outcome.kind,
  status_code: 'status' in outcome ? outcome.status : null,
  error,
  excerpt,
  ...(location !== undefined && { location }),
});
