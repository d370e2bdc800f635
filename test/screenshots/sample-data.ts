/** What the screenshots show: the demo of `npm start -- --demo`, and what it leaves out. */
import {
  DELIVERIES,
  type DeliveryDocument,
} from '../../services/adapters/mongo/documents/delivery-documents.ts';
import { connectMongo } from '../../services/adapters/mongo/database/connection.ts';
import {
  createAddUsage,
  createUsageSums,
  USAGE_DAILY,
} from '../../services/adapters/mongo/usage/counters.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { tallyOf } from '../../services/core/delivery/delivery.ts';
import type { ApiClient } from '../../services/standalone/round-trip/api-client.ts';
import { DEMO_ADDRESSES } from '../../services/standalone/demo/demo-mails.ts';
import { fillDemo } from '../../services/standalone/demo/demo.ts';
import type { StandaloneState } from '../../services/standalone/state/state.ts';
import { until } from '../support/until.ts';

export type Samples = { addressId: string; waiting: string; rich: string };

export const sampleData = () => ({
  settings: { RETRY_SCHEDULE: '20m,1h', MAIL_AUTH: 'true', INBOUND_DOMAIN: 'in.example.com' },
  create,
});

async function create(state: StandaloneState, api: ApiClient): Promise<Samples> {
  const sent = await fillDemo(state, api);
  await api('POST', '/domains', { domain: 'mail.northwind.example' });
  await api('POST', '/account/tokens', { name: 'Web shop', permissions: ['deliveries:read'] });
  type Item = { event_id: string; status: string; subject: string | null };
  const items = await until('every email was attempted', async () => {
    const { data } = (await api('GET', '/deliveries?limit=100')).body as { data: Item[] };
    return data.filter(({ status }) => status !== 'pending').length >= sent ? data : undefined;
  });
  await spread(state);
  const idOf = (matches: (item: Item) => boolean) => items.find(matches)?.event_id ?? '';
  const { description = '' } = DEMO_ADDRESSES[0] ?? {};
  const path = `/addresses?search=${encodeURIComponent(description)}`;
  const { data } = (await api('GET', path)).body as { data: { id: string }[] };
  return {
    addressId: data[0]?.id ?? '',
    waiting: idOf(({ status }) => status === 'retrying'),
    rich: idOf(({ status, subject }) => status === 'delivered' && subject === 'Order 10492'),
  };
}

/** Between one email and the next, in turn: about 20 hours for the 40 emails of the demo. */
const GAPS_MINUTES = [3, 41, 8, 75, 12, 52, 19];

/** Moves emails into the past, the oldest most, and counts them where they are then. */
async function spread({ mongodb_uri }: StandaloneState): Promise<void> {
  await using mongo = await connectMongo(mongodb_uri, createLog('silent'));
  const deliveries = mongo.db.collection<DeliveryDocument>(DELIVERIES);
  const sums = createUsageSums();
  let minutes = 0;
  const newestFirst = await deliveries.find().sort({ _id: -1 }).toArray();
  for (const [
    n,
    { _id, received_at, attempts, next_attempt_at, status, ...rest },
  ] of newestFirst.entries()) {
    const earlier = (at: Date) => new Date(at.getTime() - minutes * 60_000);
    const moved = {
      received_at: earlier(received_at),
      attempts: attempts.map((attempt) => ({ ...attempt, at: earlier(attempt.at) })),
      // due one after the other, not all at the same time
      next_attempt_at: next_attempt_at && new Date(next_attempt_at.getTime() + n * 60_000),
    };
    await deliveries.updateOne({ _id }, { $set: moved });
    sums.add({ ...rest, received_at: moved.received_at }, tallyOf(undefined, status));
    minutes += GAPS_MINUTES[n % GAPS_MINUTES.length] ?? 0;
  }
  await mongo.db.collection(USAGE_DAILY).deleteMany({});
  const addUsage = createAddUsage(mongo.db);
  await mongo.client.withSession((session) =>
    session.withTransaction(() => addUsage(sums, session)),
  );
}
