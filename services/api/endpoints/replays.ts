/**
 * Replays. The email is first published to the RETRY lane with a due time, and then its record is
 * reset to the start of the schedule. A crash in between loses nothing: a dispatcher that finds a
 * final record settles the email without an attempt.
 */
import type { DeliveryRecords } from '../../adapters/mongo/delivery-records.ts';
import type { StoredDelivery, MailStore } from '../../adapters/stream/mail-store.ts';
import type { AddressScope } from '../../core/account/address.ts';
import { AppError, notFound } from '../../core/app-error.ts';
import {
  type DeliveryFilter,
  type FINAL_STATUSES,
  mayReplay,
} from '../../core/delivery/delivery-view.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';

export type ReplayReport = {
  queued: number;
  skipped: { no_longer_kept: number; under_way: number };
  /** Cursor of the next call; null when no deliveries are left. */
  next_cursor: string | null;
};

export type Replays = {
  /**
   * @throws AppError `not_found` if the delivery or its stored email does not exist, `conflict`
   * while it is in progress
   */
  one(scope: AddressScope, eventId: string): Promise<Delivery>;
  /** Oldest first, at a constant rate. */
  many(
    scope: AddressScope,
    filter: DeliveryFilter & { status: (typeof FINAL_STATUSES)[number] },
    page: { cursor: string | undefined; limit: number },
  ): Promise<ReplayReport>;
};

type Needs = {
  records: DeliveryRecords;
  store: Pick<MailStore, 'replay'>;
  /** Deliveries per second that a bulk replay makes due. */ rate: number;
  clock: () => Date;
};

/** Time to reset the record before the email is due. */
const LEAD_MS = 2_000;
/** Records reset in one transaction. */
const CHUNK = 50;
/** A longer call ends early with a cursor, before proxies time out. */
const MAX_CALL_MS = 15_000;

export function createReplays({ records, store, rate, clock }: Needs): Replays {
  const later = (ms: number) => new Date(clock().getTime() + ms);

  /** Enqueues the emails that are stored, and resets their records. */
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
    await records.markReplayed(
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

  return {
    one: async function replayOne(scope, eventId) {
      const delivery = await records.find(scope, eventId);
      if (delivery === undefined) throw notFound('delivery');
      const [result] = mayReplay(delivery, clock())
        ? await replay([{ delivery, dueAt: later(LEAD_MS) }])
        : ['under_way' as const];
      if (result === 'under_way')
        throw new AppError(
          'conflict',
          'This delivery is still in progress. It can be replayed once it is delivered or failed',
        );
      if (result !== 'replayed')
        throw new AppError(
          'not_found',
          'The email of this delivery is no longer stored, so it cannot be replayed',
        );
      return (await records.find(scope, eventId)) ?? delivery;
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
      const found = await records.ended(scope, filter, cursor, limit + 1);
      const deliveries = found.slice(0, limit);
      let due = later(LEAD_MS).getTime();
      for (let start = 0; start < deliveries.length; start += CHUNK) {
        if (start > 0 && clock() > endBy)
          return { ...report, next_cursor: deliveries[start - 1]?.event_id ?? null };
        const chunk = deliveries.slice(start, start + CHUNK);
        const first = Math.max(due, later(LEAD_MS).getTime());
        const results = await replay(
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
        next_cursor: found.length > limit ? (deliveries.at(-1)?.event_id ?? null) : null,
      };
    },
  };
}
