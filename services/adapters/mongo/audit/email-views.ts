/** The events `email.viewed` about emails of one sender, oldest first (D279). */
import type { Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import type { UsageEvent } from '../../../core/event/usage-event.ts';
import { DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';
import { EVENTS_BY_ACCOUNT, type StoredUsageEvent, USAGE_EVENTS } from './events.ts';

type EmailViews = {
  /**
   * Views of emails whose records have all these terms of the search. Records that were erased name
   * no sender, so their views are not found.
   */
  about(owned: Owned, terms: readonly string[], since: Date): AsyncIterable<UsageEvent>;
};

/** Events whose records are read at once. */
const BATCH = 500;

export function createEmailViews(db: Db): EmailViews {
  const events = db.collection<StoredUsageEvent>(USAGE_EVENTS);
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);

  async function* matching(batch: readonly StoredUsageEvent[], terms: readonly string[]) {
    if (batch.length === 0) return;
    const ids = [...new Set(batch.map(({ data }) => String(data.event_id)))];
    const found = await deliveries
      .find({ _id: { $in: ids }, 'search.terms': { $all: [...terms] } })
      .project<{ _id: string }>({ _id: 1 })
      .toArray();
    const about = new Set(found.map(({ _id }) => _id));
    for (const { _id: id, ...event } of batch)
      if (about.has(String(event.data.event_id))) yield { id, ...event };
  }

  return {
    about: async function* viewsAboutSender({ account_id, environment }, terms, since) {
      const cursor = events
        .find({ account_id, environment, type: 'email.viewed', timestamp: { $gte: since } })
        .hint(EVENTS_BY_ACCOUNT)
        .sort({ timestamp: 1, _id: 1 })
        .batchSize(BATCH);
      let batch: StoredUsageEvent[] = [];
      for await (const event of cursor) {
        batch.push(event);
        if (batch.length < BATCH) continue;
        yield* matching(batch, terms);
        batch = [];
      }
      yield* matching(batch, terms);
    },
  };
}
