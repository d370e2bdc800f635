/**
 * Decides what happens to one email that consume.ts has pulled: an attempt now, a time to sleep
 * until, or only the settling that a crash interrupted. attempt/ makes the attempt and records it,
 * pacing/ delays it, outcome/ ends it without one.
 */
import type { Directory } from '../platform/address-directory.ts';
import type { QueuedMail } from '../adapters/stream/pull.ts';
import type { WebhookTarget } from '../core/address/address.ts';
import type { SharedLimit } from '../core/delivery/claim.ts';
import { type DeliveryState, revisionOf, ruledStatus } from '../core/delivery/delivery.ts';
import { unsentAs } from '../core/delivery/delivery-end.ts';
import { resume } from '../core/delivery/resume.ts';
import { beginningOf } from '../core/delivery/retry.ts';
import { requestBytes } from './attempt/attempt.ts';
import { createRecordedAttempt, type RecordedAttemptIO } from './attempt/recorded-attempt.ts';
import { type EndingIO, type Endings, acknowledge } from './outcome/endings.ts';
import { seenBy } from './outcome/outcome-recorder.ts';
import type { Arrival } from './pacing/arrival.ts';
import type { AttemptLimits } from './pacing/attempt-limits.ts';
import { type AfterFreeingSlot, isSurelyNew, type Prepared } from './pacing/prepared.ts';
import { createPutToSleep, isLongWait, type SleepIO } from './pacing/sleep.ts';

type PrepareIO = {
  targets: Directory<WebhookTarget>;
  /** The recorded state of an event; undefined without a record. */
  stateOf(eventId: string): Promise<DeliveryState | undefined>;
};

type DeliverIO = PrepareIO &
  Pick<EndingIO, 'record' | 'removeContent'> &
  SleepIO &
  RecordedAttemptIO & { limits: Pick<AttemptLimits, 'holdSlot' | 'enter' | 'sleepUntil'> };

type DeliverOptions = {
  scheduleMs: readonly number[];
  /** How long an email is tried. */
  lifetimeMs: number;
  clock: () => Date;
  /** In [0, 1). */
  random: () => number;
};

/** The record of an older email is always read: a consumer that was created again calls all new. */
const SURELY_NEW_MS = 5_000;

function createPrepare(
  io: PrepareIO,
  endings: Endings,
  { lifetimeMs, clock }: Pick<DeliverOptions, 'lifetimeMs' | 'clock'>,
) {
  /** It came from the stream before it is due, and no request has changed that time since (D35). */
  const mustStillSleep = async ({ event, dueAt, isRepeat, revision }: QueuedMail) => {
    if (isRepeat || dueAt === undefined || dueAt <= clock()) return false;
    if (!isLongWait(dueAt, clock())) return true;
    const state = await io.stateOf(event.event_id);
    return state === undefined || revisionOf(state) <= revision;
  };

  /**
   * Reads what is known of an email that may be attempted. Settles or ends any other email, and
   * returns undefined.
   */
  return async function prepare(
    mail: QueuedMail,
    afterFreeingSlot: AfterFreeingSlot,
  ): Promise<Prepared | undefined> {
    const { event, dueAt } = mail;
    if (dueAt !== undefined && (await mustStillSleep(mail)))
      return handled(mail.retryAt(dueAt, clock()));
    const isNew = isSurelyNew(mail, SURELY_NEW_MS, clock());
    const state = isNew ? undefined : await io.stateOf(event.event_id);
    const resumption = resume(state, clock(), mail.revision);
    if (resumption.kind === 'discard') return handled(mail.discard());
    if (resumption.kind === 'renew') return handled(mail.renew(resumption.revision));
    if (resumption.kind === 'settle') return handled(acknowledge(mail, resumption.as, clock()));

    const target = await io.targets.get(event.address_id);
    const ruled = ruledStatus(event, state);
    const unsent = unsentAs(event, state, target);
    const end = ruled ? { kind: ruled } : unsent && { kind: 'unsent' as const, as: unsent };
    if (end !== undefined)
      return handled(
        afterFreeingSlot(() => endings.unattempted(mail, state, end, target?.retention_hours)),
      );
    const isFirst = mail.lane === 'mail' && !mail.isRepeat && !state?.attempts;
    const beganAt = beginningOf(
      event.received_at_ms,
      { began_at: state?.began_at, isFirst },
      clock(),
    );
    if (clock().getTime() >= beganAt.getTime() + lifetimeMs)
      return handled(afterFreeingSlot(() => endings.failed(mail, state, 'expired')));
    return { isNew, state, resumption, target, beganAt };
  };
}

/** Processes one email: delivers it, schedules its next attempt, moves it to FAILED, or NAKs it. */
export function createDeliver(io: DeliverIO, endings: Endings, options: DeliverOptions) {
  const prepare = createPrepare(io, endings, options);
  const putToSleep = createPutToSleep(io, endings, options.clock);
  const attempt = createRecordedAttempt(io, endings, options);

  /** With a slot, which counts as its account's. */
  const attemptOrSleep = async (
    mail: QueuedMail,
    prepared: Prepared,
    arrival: Arrival,
    afterFreeingSlot: AfterFreeingSlot,
  ): Promise<void> => {
    const { isNew, state } = prepared;
    // a request may have decided about the email before it has a record (D168)
    if (!isNew && state === undefined) {
      const settlement = await io.record({ ...seenBy(mail, undefined), kind: 'stored' });
      if (settlement) return acknowledge(mail, settlement, options.clock());
    }
    const entry = await io.limits.enter(arrival);
    if (entry.kind === 'closed') return mail.nak();
    if (entry.kind === 'later') return afterFreeingSlot(() => putToSleep(mail, prepared, entry.at));
    await attempt(mail, prepared, entry.permit, afterFreeingSlot);
  };

  /** @param slots of the partition and lane */
  return async function deliver(
    mail: QueuedMail,
    slots: SharedLimit,
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
