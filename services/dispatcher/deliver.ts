/**
 * Decides what happens to one email that consume.ts has pulled: an attempt now, a time to sleep
 * until, or only the settling that a crash interrupted. attempt.ts makes the attempt,
 * core/delivery/retry decides the next step, attempt-observation.ts reports it.
 */
import type { Directory } from '../platform/address-directory.ts';
import type { QueuedMail } from '../adapters/stream/pull.ts';
import type { WebhookTarget } from '../core/address/address.ts';
import type { Shared } from '../core/delivery/claim.ts';
import {
  type DeliveryState,
  resume,
  type Resumption,
  revisionOf,
  ruledStatus,
  statusAfter,
} from '../core/delivery/delivery.ts';
import { lookAgainAt, scheduledBy } from '../core/delivery/offer.ts';
import { type FailedEnd, type Unsent, unsentAs } from '../core/delivery/end.ts';
import { contentUntil } from '../core/delivery/retention.ts';
import { beginningOf, nextStep, type Step, unrecordedStep } from '../core/delivery/retry.ts';
import { attemptRecord, type MakeAttempt, requestBytes } from './attempt.ts';
import type { Arrival, AttemptLimits } from './attempt-limits.ts';
import type { Observe } from './attempt-observation.ts';
import type { AfterFreeingSlot } from './consume.ts';
import type { StepOfOffer } from './offer-step.ts';
import { failedAttempt, offering } from './offering.ts';
import {
  asPending,
  asWaiting,
  type Offering,
  type RecordOutcome,
} from './large/outcome-recorder.ts';
import { SHOWN_AFTER_MS } from './visibility.ts';

type DeliverIO = {
  targets: Directory<WebhookTarget>;
  limits: Pick<AttemptLimits, 'holdSlot' | 'enter' | 'sleepUntil'>;
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
  stepOfOffer: StepOfOffer;
  /** An email ended without an attempt. */
  gaveUp(mail: Pick<QueuedMail, 'event'>, as: FailedEnd): void;
};

type DeliverOptions = {
  scheduleMs: readonly number[];
  /** How long an email is tried. */
  lifetimeMs: number;
  clock: () => Date;
  /** In [0, 1). */
  random: () => number;
};

/** What is known of an email that may be attempted. */
type Prepared = {
  isNew: boolean;
  state: DeliveryState | undefined;
  resumption: Extract<Resumption, { kind: 'attempt' }>;
  target: WebhookTarget | undefined;
  beganAt: Date;
};

/** The record of an older email is always read: a consumer that was created again calls all new. */
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

  /** The outcome is recorded: settles the message. After a crash before this, `resume` repeats it. */
  const settle = async (mail: QueuedMail, step: Step): Promise<void> => {
    if (step.kind === 'done') return mail.done();
    return step.kind === 'retry' ? mail.retryAt(step.at, clock()) : mail.moveToFailed();
  };

  /** @param withinMs in both directions: the clock of a gateway may be ahead */
  const isSurelyNew = ({ event, lane, isRepeat }: QueuedMail, withinMs: number): boolean =>
    lane === 'mail' && !isRepeat && Math.abs(clock().getTime() - event.received_at_ms) < withinMs;

  /** Rules hold or drop it, or no webhook is sent. A held email waits in FAILED for its release. */
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

  /**
   * Reads what is known of an email that may be attempted. Settles or ends any other email, and
   * returns undefined.
   */
  const prepare = async (
    mail: QueuedMail,
    afterFreeingSlot: AfterFreeingSlot,
  ): Promise<Prepared | undefined> => {
    const { event, dueAt } = mail;
    if (dueAt !== undefined && (await mustStillSleep(mail)))
      return handled(mail.retryAt(dueAt, clock()));
    const isNew = isSurelyNew(mail, SURELY_NEW_MS);
    const state = isNew ? undefined : await io.stateOf(event.event_id);
    const resumption = resume(state, clock(), mail.revision);
    if (resumption.kind === 'discard') return handled(mail.discard());
    if (resumption.kind === 'renew') return handled(mail.renew(resumption.revision));
    if (resumption.kind === 'settle') return handled(settle(mail, resumption.step));

    const target = await io.targets.get(event.address_id);
    const ruled = ruledStatus(event, state);
    const unsent = unsentAs(event, state, target);
    const end = ruled
      ? { status: ruled }
      : unsent && { status: 'delivered' as const, endedAs: unsent };
    if (end !== undefined)
      return handled(
        afterFreeingSlot(() => endUnattempted(mail, state, end, target?.retention_hours)),
      );
    const isFirst = mail.lane === 'mail' && !mail.isRepeat && !state?.attempts;
    const beganAt = beginningOf(
      event.received_at_ms,
      { began_at: state?.began_at, isFirst },
      clock(),
    );
    if (clock().getTime() >= beganAt.getTime() + lifetimeMs)
      return handled(afterFreeingSlot(() => giveUp(mail, state, 'expired')));
    return { isNew, state, resumption, target, beganAt };
  };

  /** Moves it to the RETRY lane: a limit, or a pull receiver. It needs no slot. */
  const putToSleep = async (
    mail: QueuedMail,
    { state, beganAt }: Prepared,
    at: Date,
    offered?: Partial<Offering>,
  ): Promise<void> => {
    const { event } = mail;
    if (offered === undefined) io.delayed();
    if (mail.lane === 'mail' && (await io.isBacklogFull(event.account_id)))
      return giveUp(mail, state, 'backlog_full');
    // D34: an email has a record. D35: a request may change a longer wait.
    if (state === undefined || isLongWait(at)) {
      const recorded = await io.record({
        ...asWaiting(mail, state, at, offered),
        ...(beganAt.getTime() !== event.received_at_ms && { beganAt }),
      });
      if (recorded === 'overtaken') return mail.nak();
    }
    await mail.retryAt(at, clock());
  };

  /** With a slot, which counts as its account's. */
  const attemptOrSleep = async (
    mail: QueuedMail,
    prepared: Prepared,
    arrival: Arrival,
    afterFreeingSlot: AfterFreeingSlot,
  ): Promise<void> => {
    const { event } = mail;
    const { isNew, state, resumption, target } = prepared;
    // a request may have decided about the email before it has a record (D168)
    if (!isNew && state === undefined && (await io.record(asPending(mail))) === 'overtaken')
      return mail.nak();
    const offer = state?.offer;
    const pull = await io.stepOfOffer(target, offer);
    if (pull?.kind === 'wait' && offer)
      return afterFreeingSlot(() => putToSleep(mail, prepared, lookAgainAt(offer, clock()), {}));
    const entry = pull?.kind === 'fail' ? pull : await io.limits.enter(arrival);
    if (entry.kind === 'closed') return mail.nak();
    if (entry.kind === 'later') return afterFreeingSlot(() => putToSleep(mail, prepared, entry.at));

    const { retryCount } = resumption;
    const startedAt = clock();
    const wasOffered = entry.kind === 'fail';
    const begun = { retryCount, target, wasOffered, dueAt: state?.next_attempt_at ?? null };
    const observation = io.observe(mail, begun);
    const { traceparent } = observation;
    const sent = { retryCount, traceparent, storedFiles: state?.stored_files };
    const result =
      entry.kind === 'fail'
        ? failedAttempt(entry)
        : await io.attempt(mail, target, sent, entry.permit);
    if (result.isOffered) {
      const { lookAt, ...offered } = offering(event, result, startedAt);
      return afterFreeingSlot(() => putToSleep(mail, prepared, lookAt, offered));
    }
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
        attempt: attemptRecord(result, offer?.lease?.since ?? startedAt),
        headers: result.headers,
        status: statusAfter(step),
        ...scheduledBy(step, wasOffered ? offer : undefined),
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

  /** @param slots of the partition and lane */
  return async function deliver(
    mail: QueuedMail,
    slots: Shared,
    afterFreeingSlot: AfterFreeingSlot,
  ): Promise<void> {
    const { event, lane } = mail;
    const arrival: Arrival = {
      accountId: event.account_id,
      addressId: event.address_id,
      wasScheduled: lane === 'retry',
      slots,
      payloadBytes: event.payload_bytes,
    };
    const releaseSlot = io.limits.holdSlot(event.account_id, slots);
    if (releaseSlot === undefined)
      return afterFreeingSlot(async () => {
        const prepared = await prepare(mail, withoutSlot);
        if (prepared) await putToSleep(mail, prepared, io.limits.sleepUntil(arrival));
      });
    const afterFreeing: AfterFreeingSlot = (work) => {
      releaseSlot();
      return afterFreeingSlot(work);
    };
    try {
      const prepared = await prepare(mail, afterFreeing);
      if (prepared) {
        const payloadBytes = requestBytes(event, prepared.target);
        await attemptOrSleep(mail, prepared, { ...arrival, payloadBytes }, afterFreeing);
      }
    } finally {
      releaseSlot();
    }
  };
}

const withoutSlot: AfterFreeingSlot = (work) => work();

/** The email needs no attempt: this ends it. */
const handled = (work: Promise<void>): Promise<undefined> => work.then(() => undefined);
