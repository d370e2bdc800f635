/**
 * Replays, retries now, and cancellations. Each first changes the record, which raises its revision,
 * and then puts a message of that revision into the RETRY lane (D165). A dispatcher that has an older
 * message finds the revision in the record. After a crash in between, a message that sleeps is found
 * at its old time, and a sweep queues an email that no lane has (lost-deliveries.ts).
 */
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { StoredDelivery, ReplayStore } from '../../adapters/stream/replay.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import type { EventOrigin } from '../../core/event/usage-event.ts';
import { AppError, orNotFound } from '../../core/error/app-error.ts';
import { isFinal, type ReplayFilter } from '../../core/delivery/delivery-view.ts';
import { isOverdue, mayReplay } from '../../core/delivery/overdue-delivery.ts';
import {
  attemptCount,
  ATTEMPTS_MAX,
  type Delivery,
  revisionOf,
} from '../../core/delivery/delivery.ts';
import { noLongerStored } from '../../core/delivery/retention.ts';
import { searchIsTooWide } from './search-fields.ts';

type ReplayReport = {
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
  one(scope: AddressScope, eventId: string, by?: EventOrigin): Promise<Delivery>;
  /** Makes the next attempt due now. @throws AppError `not_found`, or `conflict` if none is later */
  retryNow(scope: AddressScope, eventId: string, by?: EventOrigin): Promise<Delivery>;
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
    by?: EventOrigin,
  ): Promise<ReplayReport>;
};

type ReplayIO = {
  deliveries: Pick<
    Deliveries,
    'find' | 'oldest' | 'markReplayed' | 'makeDue' | 'makeManyDue' | 'cancel'
  >;
  store: Pick<ReplayStore, 'isHere' | 'copyOf' | 'enqueue' | 'wake'>;
  /** Deliveries per second that a bulk replay makes due. */
  rate: number;
  clock: () => Date;
};

/** Records reset in one transaction. */
const CHUNK = 50;
/** A longer call ends early with a cursor, before proxies time out. */
const MAX_CALL_MS = 15_000;

/** `gone`: its payload is no longer stored. `under_way`: it has not ended, or somebody else did this. */
type Result = 'replayed' | 'gone' | 'under_way';

export function createReplays({ deliveries, store, rate, clock }: ReplayIO): Replays {
  const later = (ms: number) => new Date(clock().getTime() + ms);

  const { replay, wake } = createBatches(deliveries, store, clock);

  const existing = async (scope: AddressScope, eventId: string): Promise<Delivery> =>
    orNotFound(await deliveries.find(scope, eventId), 'delivery');

  return {
    existing,

    retryNow: async function retryNow(scope, eventId, by) {
      if (!store.isHere(await existing(scope, eventId)))
        throw new AppError(
          'conflict',
          'This email waits in another region: only the API of that region can retry it now',
        );
      const found = await existing(scope, eventId);
      const copy = isOverdue(found, clock()) ? await store.copyOf(found) : undefined;
      const changed = await deliveries.makeDue(scope, eventId, clock(), by);
      const delivery = changed ?? (await existing(scope, eventId));
      // without a change, too: an earlier request may have failed to replace the message
      const woken = await store.wake(delivery, clock());
      if (changed && copy && woken === 'absent') await store.enqueue(changed, copy, clock());
      const { status, next_attempt_at: dueAt } = delivery;
      const isAboutToStart = dueAt !== null && dueAt > clock();
      if (isFinal(status) || !(changed || woken === 'replaced' || isAboutToStart))
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
                'waits for a later one, or when no attempt has ended within a minute',
        );
      }
      await store.wake(canceled, clock()); // a dispatcher moves it from the RETRY lane to FAILED
      return canceled;
    },

    one: async function replayOne(scope, eventId, by = {}) {
      const delivery = await existing(scope, eventId);
      if (attemptCount(delivery) >= ATTEMPTS_MAX)
        throw new AppError(
          'conflict',
          `This delivery has had ${ATTEMPTS_MAX} attempts and cannot be replayed again`,
        );
      const [result] = mayReplay(delivery, clock())
        ? await replay([{ delivery, dueAt: clock() }], by)
        : ['under_way' as const];
      if (result === 'under_way')
        throw new AppError(
          'conflict',
          'This delivery is still in progress. It can be replayed once it has ended',
        );
      if (result !== 'replayed') throw noLongerStored(delivery);
      return (await deliveries.find(scope, eventId)) ?? delivery;
    },

    many: async function replayMany(scope, filter, { cursor, limit }, by = {}) {
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
      const requested = found.slice(0, limit);
      let due = clock().getTime();
      for (let start = 0; start < requested.length; start += CHUNK) {
        if (start > 0 && clock() > endBy)
          return { ...report, next_cursor: requested[start - 1]?.event_id ?? null };
        const chunk = requested.slice(start, start + CHUNK);
        const first = Math.max(due, clock().getTime());
        const results = await (filter.status === 'retrying' ? wake : replay)(
          chunk.map((delivery, i) => ({ delivery, dueAt: new Date(first + i * gapMs) })),
          by,
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
        next_cursor: found.length > limit ? (requested.at(-1)?.event_id ?? null) : null,
      };
    },
  };
}

/** What happens to some deliveries together. */
function createBatches(
  deliveries: Pick<Deliveries, 'markReplayed' | 'makeManyDue'>,
  store: ReplayIO['store'],
  clock: () => Date,
) {
  /** Resets the deliveries whose emails are stored, and enqueues those. */
  const replay = async (
    replays: readonly { delivery: StoredDelivery; dueAt: Date }[],
    by: EventOrigin,
  ): Promise<Result[]> => {
    const copies = await Promise.all(
      replays.map(async (one) => ({ ...one, copy: await store.copyOf(one.delivery) })),
    );
    const stored = copies.flatMap((one) => (one.copy ? [{ ...one, copy: one.copy }] : []));
    const revisions = await deliveries.markReplayed(
      stored.map(({ delivery, dueAt }) => ({ event_id: delivery.event_id, dueAt })),
      clock(),
      by,
    );
    await Promise.all(
      stored.map(async ({ delivery, dueAt, copy }) => {
        const revision = revisions.get(delivery.event_id);
        if (revision !== undefined) await store.enqueue({ ...delivery, revision }, copy, dueAt);
      }),
    );
    return copies.map(({ delivery, copy }) => {
      if (copy === undefined) return 'gone';
      return revisions.has(delivery.event_id) ? 'replayed' : 'under_way';
    });
  };

  /** Makes the next attempts of sleeping deliveries due. */
  const wake = async (
    sleepers: readonly { delivery: StoredDelivery; dueAt: Date }[],
    by: EventOrigin,
  ): Promise<Result[]> => {
    const here = sleepers.filter(({ delivery }) => store.isHere(delivery));
    const changed = await deliveries.makeManyDue(
      here.map(({ delivery, dueAt }) => ({ ...delivery, dueAt })),
      clock(),
      by,
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

  return { replay, wake };
}
