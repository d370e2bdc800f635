/**
 * Replays, retries now, and cancellations.
 *
 * A replay first publishes the email to the RETRY lane with a due time, and then resets its record
 * to the start of the deliveries. A crash in between loses nothing: a dispatcher that finds a final
 * record settles the email without an attempt.
 *
 * A retry now or a cancellation (D35) first changes the record, and then replaces the message that
 * sleeps in the RETRY lane. A crash in between loses nothing: when the message wakes at its old time,
 * its dispatcher finds the record's new revision and replaces the message itself.
 */
import type { Deliveries } from '../../adapters/mongo/deliveries/deliveries.ts';
import type { StoredDelivery, ReplayStore } from '../../adapters/stream/replay.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import type { EventOrigin } from '../../core/event/usage-event.ts';
import { AppError, notFound } from '../../core/app-error.ts';
import { isFinal, type ReplayFilter } from '../../core/delivery/delivery-view.ts';
import { mayReplay } from '../../core/delivery/may-replay.ts';
import {
  attemptCount,
  ATTEMPTS_MAX,
  type Delivery,
  revisionOf,
} from '../../core/delivery/delivery.ts';
import { noLongerStored } from '../../core/delivery/retention.ts';
import { searchIsTooWide } from './search-fields.ts';

export type ReplayReport = {
  queued: number;
  skipped: { no_longer_kept: number; under_way: number };
  /** Cursor of the next call; null when no deliveries are left. */
  next_cursor: string | null;
};

export type Replays = {
  /** @throws AppError `not_found` */
  existing(scope: AddressScope, eventId: string): Promise<Delivery>;
  /**
   * @throws AppError `not_found` if the delivery or its stored email does not exist, `conflict`
   * while it is in progress
   */
  one(scope: AddressScope, eventId: string): Promise<Delivery>;
  /** Makes the next attempt due now. @throws AppError `not_found`, or `conflict` if none is later */
  retryNow(scope: AddressScope, eventId: string): Promise<Delivery>;
  /** Ends a sleeping delivery as failed. @throws AppError `not_found`, or `conflict` otherwise */
  cancel(scope: AddressScope, eventId: string, by: EventOrigin): Promise<Delivery>;
  /**
   * Oldest first, at a constant rate. Of `retrying` deliveries, the next attempt becomes due.
   * @throws AppError `validation_failed` if the search takes too long
   */
  many(
    scope: AddressScope,
    filter: ReplayFilter,
    page: { cursor: string | undefined; limit: number },
  ): Promise<ReplayReport>;
};

export type ReplayIO = {
  deliveries: Pick<
    Deliveries,
    'find' | 'oldest' | 'markReplayed' | 'makeDue' | 'makeManyDue' | 'cancel'
  >;
  store: Pick<ReplayStore, 'isHere' | 'replay' | 'wake'>;
  /** Deliveries per second that a bulk replay makes due. */
  rate: number;
  clock: () => Date;
};

/** Time to reset the record before the email is due. */
const LEAD_MS = 2_000;
/** Records reset in one transaction. */
const CHUNK = 50;
/** A longer call ends early with a cursor, before proxies time out. */
const MAX_CALL_MS = 15_000;

export function createReplays({ deliveries, store, rate, clock }: ReplayIO): Replays {
  const later = (ms: number) => new Date(clock().getTime() + ms);

  /** Enqueues the emails that are stored, and resets their deliveries. */
  const replay = async (replays: readonly { delivery: StoredDelivery; dueAt: Date }[]) => {
    const settled = await Promise.allSettled(
      replays.map(async ({ delivery, dueAt }) => ({
        delivery,
        dueAt,
        result: await store.replay(delivery, dueAt),
      })),
    );
    const done = settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
    const queued = done.filter(({ result }) => result === 'replayed');
    await deliveries.markReplayed(
      queued.map(({ delivery, dueAt }) => ({ event_id: delivery.event_id, dueAt })),
      clock(),
    );
    // Reset after the due time: a dispatcher may already have settled the email. Publishing again
    // has no effect if the lane still holds it.
    for (const { delivery } of queued.filter(({ dueAt }) => dueAt <= clock()))
      await store.replay(delivery, later(LEAD_MS));
    const failure = settled.find((one) => one.status === 'rejected');
    if (failure) throw failure.reason;
    return done.map(({ result }) => result);
  };

  /** Makes the next attempts of sleeping deliveries due. */
  const wake = async (
    sleepers: readonly { delivery: StoredDelivery; dueAt: Date }[],
  ): Promise<Awaited<ReturnType<ReplayStore['replay']>>[]> => {
    const here = sleepers.filter(({ delivery }) => store.isHere(delivery));
    const changed = await deliveries.makeManyDue(
      here.map(({ delivery, dueAt }) => ({ ...delivery, dueAt })),
      clock(),
    );
    const awake = sleepers.filter(({ delivery }) => changed.has(delivery.event_id));
    await Promise.all(
      awake.map(({ delivery, dueAt }) =>
        store.wake({ ...delivery, revision: revisionOf(delivery) + 1 }, dueAt),
      ),
    );
    return sleepers.map(({ delivery }) => {
      if (!store.isHere(delivery)) return 'gone';
      return changed.has(delivery.event_id) ? 'replayed' : 'under_way';
    });
  };

  const existing = async (scope: AddressScope, eventId: string): Promise<Delivery> => {
    const delivery = await deliveries.find(scope, eventId);
    if (delivery === undefined) throw notFound('delivery');
    return delivery;
  };

  return {
    existing,

    retryNow: async function retryNow(scope, eventId) {
      if (!store.isHere(await existing(scope, eventId)))
        throw new AppError(
          'conflict',
          'This email waits in another region: only the API of that region can retry it now',
        );
      const changed = await deliveries.makeDue(scope, eventId, clock());
      const delivery = changed ?? (await existing(scope, eventId));
      // true without a change, too, when an earlier request could not replace the message
      const isAwake = await store.wake(delivery, clock());
      const { status, next_attempt_at: dueAt } = delivery;
      const isWaiting = status === 'pending' || status === 'retrying';
      const isAboutToStart = dueAt !== null && dueAt > clock();
      if (!isWaiting || !(changed || isAwake || isAboutToStart))
        throw new AppError(
          'conflict',
          'Nothing to retry now: no later attempt of this delivery is scheduled',
        );
      return delivery;
    },

    cancel: async function cancelDelivery(scope, eventId, by) {
      const canceled = await deliveries.cancel(scope, eventId, by, clock());
      if (canceled === undefined) {
        const { status } = await existing(scope, eventId);
        throw new AppError(
          'conflict',
          isFinal(status)
            ? 'This delivery has ended already'
            : 'The next attempt of this delivery is due or in flight. It can be canceled while it ' +
                'waits for a later one',
        );
      }
      await store.wake(canceled, clock()); // a dispatcher moves it from the RETRY lane to FAILED
      return canceled;
    },

    one: async function replayOne(scope, eventId) {
      const delivery = await existing(scope, eventId);
      if (attemptCount(delivery) >= ATTEMPTS_MAX)
        throw new AppError(
          'conflict',
          `This delivery has had ${ATTEMPTS_MAX} attempts and cannot be replayed again`,
        );
      const [result] = mayReplay(delivery, clock())
        ? await replay([{ delivery, dueAt: later(LEAD_MS) }])
        : ['under_way' as const];
      if (result === 'under_way')
        throw new AppError(
          'conflict',
          'This delivery is still in progress. It can be replayed once it has ended',
        );
      if (result !== 'replayed') throw noLongerStored(delivery);
      return (await deliveries.find(scope, eventId)) ?? delivery;
    },

    many: async function replayMany(scope, filter, { cursor, limit }) {
      const report: ReplayReport = {
        queued: 0,
        skipped: { no_longer_kept: 0, under_way: 0 },
        next_cursor: null,
      };
      const endBy = later(MAX_CALL_MS);
      const gapMs = 1_000 / rate;
      // one more shows whether any are left
      const found = await deliveries.oldest(scope, filter, cursor, limit + 1);
      if (found === undefined) throw searchIsTooWide();
      const asked = found.slice(0, limit);
      const leadMs = filter.status === 'retrying' ? 0 : LEAD_MS;
      let due = later(leadMs).getTime();
      for (let start = 0; start < asked.length; start += CHUNK) {
        if (start > 0 && clock() > endBy)
          return { ...report, next_cursor: asked[start - 1]?.event_id ?? null };
        const chunk = asked.slice(start, start + CHUNK);
        const first = Math.max(due, later(leadMs).getTime());
        const results = await (filter.status === 'retrying' ? wake : replay)(
          chunk.map((delivery, i) => ({ delivery, dueAt: new Date(first + i * gapMs) })),
        );
        due = first + chunk.length * gapMs;
        const count = (kind: (typeof results)[number]) =>
          results.filter((result) => result === kind).length;
        report.queued += count('replayed');
        report.skipped.no_longer_kept += count('gone');
        report.skipped.under_way += count('under_way');
      }
      return {
        ...report,
        next_cursor: found.length > limit ? (asked.at(-1)?.event_id ?? null) : null,
      };
    },
  };
}
