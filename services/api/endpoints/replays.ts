/**
 * Replays: the mail goes into the retry lane first, due a little later, and then its record begins its schedule anew. A crash between the
 * two loses nothing: a dispatcher that finds the record still ended settles the mail again.
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
  /** Where the next call goes on; null when nothing is left. */
  next_cursor: string | null;
};

export type Replays = {
  /** @throws AppError `not_found` without such a delivery or when its mail is gone, `conflict` while it is under way */
  one(scope: AddressScope, eventId: string): Promise<Delivery>;
  /** Oldest first, at a steady pace. */
  many(
    scope: AddressScope,
    filter: DeliveryFilter & { status: (typeof FINAL_STATUSES)[number] },
    page: { cursor: string | undefined; limit: number },
  ): Promise<ReplayReport>;
};

type Needs = {
  records: DeliveryRecords;
  store: Pick<MailStore, 'replay'>;
  /** Of bulk replays, a second. */ rate: number;
  clock: () => Date;
};

/** Time to mark the record before the mail is due. */
const LEAD_MS = 2_000;
/** Replays marked in one transaction. */
const CHUNK = 50;
/** A call that takes longer ends early, with a cursor: proxies are impatient. */
const MAX_CALL_MS = 15_000;

export function createReplays({ records, store, rate, clock }: Needs): Replays {
  const later = (ms: number) => new Date(clock().getTime() + ms);

  /** Queues those that can be, and marks them. */
  const replay = async (replays: readonly { delivery: StoredDelivery; dueAt: Date }[]) => {
    const settled = await Promise.allSettled(
      replays.map(async ({ delivery, dueAt }) => ({
        delivery,
        dueAt,
        answer: await store.replay(delivery, dueAt),
      })),
    );
    const done = settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
    const queued = done.filter(({ answer }) => answer === 'replayed');
    await records.markReplayed(
      queued.map(({ delivery, dueAt }) => ({ event_id: delivery.event_id, dueAt })),
      clock(),
    );
    // Marked too late: a dispatcher may have settled the mail again already. The lane takes it once more, unless it still holds it.
    for (const { delivery } of queued.filter(({ dueAt }) => dueAt <= clock()))
      await store.replay(delivery, later(LEAD_MS));
    const failure = settled.find((one) => one.status === 'rejected');
    if (failure) throw failure.reason;
    return done.map(({ answer }) => answer);
  };

  return {
    one: async function replayOne(scope, eventId) {
      const delivery = await records.find(scope, eventId);
      if (delivery === undefined) throw notFound('delivery');
      const [answer] = mayReplay(delivery, clock())
        ? await replay([{ delivery, dueAt: later(LEAD_MS) }])
        : ['under_way' as const];
      if (answer === 'under_way')
        throw new AppError(
          'conflict',
          'This delivery is under way: it can be replayed when it has ended',
        );
      if (answer !== 'replayed')
        throw new AppError(
          'not_found',
          'The mail of this delivery is no longer kept, so it cannot be replayed',
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
      const found = await records.ended(scope, filter, cursor, limit + 1); // one more tells whether any is left
      const deliveries = found.slice(0, limit);
      let due = later(LEAD_MS).getTime();
      for (let start = 0; start < deliveries.length; start += CHUNK) {
        if (start > 0 && clock() > endBy)
          return { ...report, next_cursor: deliveries[start - 1]?.event_id ?? null };
        const chunk = deliveries.slice(start, start + CHUNK);
        const first = Math.max(due, later(LEAD_MS).getTime());
        const answers = await replay(
          chunk.map((delivery, i) => ({ delivery, dueAt: new Date(first + i * gapMs) })),
        );
        due = first + chunk.length * gapMs;
        const count = (answer: (typeof answers)[number]) =>
          answers.filter((one) => one === answer).length;
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
