/** Delivery records of a pipeline, and how long after the 250 of its email each appears. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Address } from '../../services/core/address/address.ts';
import type { DeliveryStatus } from '../../services/core/delivery/delivery.ts';
import type { Pipeline } from '../support/pipeline.ts';
import { until } from '../support/until.ts';

type Record_ = { _id: string; subject: string; status: DeliveryStatus; attempts: unknown[] };

export const VISIBLE_WITHIN_MS = 2_000;

export const records = ({ mongo }: Pipeline) => mongo.db.collection<Record_>('deliveries');
export const emailCount = async ({ mongo }: Pipeline, { id }: Address) =>
  (
    await mongo.db
      .collection<{ _id: string; email_count: number }>('addresses')
      .findOne({ _id: id })
  )?.email_count;
/** What usage counts, over all days: one may end while a test runs. */
export async function counted({ mongo }: Pick<Pipeline, 'mongo'>, filter: object = {}) {
  const days = await mongo.db.collection('usage_daily').find(filter).toArray();
  const sum = (name: string) => days.reduce((all, day) => all + Number(day[name] ?? 0), 0);
  return { received: sum('received'), delivered: sum('delivered'), failed: sum('failed') };
}

/** Milliseconds from the 250 of each email to its record, by subject. */
export function watchRecords(pipeline: Pipeline) {
  const repliedAt = new Map<string, number>();
  const shownAfter = new Map<string, number>();
  const statuses = new Set<DeliveryStatus>();
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      const askedAt = Date.now(); // on a busy machine the answer takes its time
      for (const { subject, status } of await records(pipeline).find().toArray()) {
        const at = repliedAt.get(subject);
        if (at === undefined || shownAfter.has(subject)) continue;
        shownAfter.set(subject, askedAt - at);
        statuses.add(status);
      }
      await sleep(50);
    }
  })();
  return {
    send: async (to: string, subject: string) => {
      await pipeline.mailer.sendMail({ from: 'a@b.example', to, subject, text: subject });
      repliedAt.set(subject, Date.now());
    },
    /** Once all are shown: the slowest, and the statuses in which they appeared. */
    slowest: async () => {
      await until('all to be shown', () => shownAfter.size === repliedAt.size);
      isDone = true;
      await watching;
      return { ms: Math.max(...shownAfter.values()), statuses: [...statuses] };
    },
  };
}
