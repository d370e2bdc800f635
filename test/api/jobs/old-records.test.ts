/** RECORDS_RETENTION: the API deletes old records of deliveries, and their counters stay. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { DELIVERIES } from '../../../services/adapters/mongo/documents/delivery-documents.ts';
import { createStores } from '../../../services/adapters/mongo/stores.ts';
import { recountUsage } from '../../../services/adapters/mongo/usage/recount.ts';
import { readConfig } from '../../../services/adapters/process/config.ts';
import { ApiConfig } from '../../../services/api/process/config.ts';
import type { DeliveryStatus } from '../../../services/core/delivery/delivery.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { newAddress } from '../../support/new-address.ts';
import { startTestApi, type TestApi } from '../../support/start-api.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 86_400_000;
const address = newAddress('https://receiver.example/');

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const records = () => api.mongo.db.collection<{ _id: string }>(DELIVERIES);

/** @returns the id of the record */
async function record(daysAgo: number, status: DeliveryStatus, more: object = {}): Promise<string> {
  const event = mailEvent(address, new Date(Date.now() - daysAgo * DAY_MS));
  await createStores(api.mongo.db).deliveries.record([changeTo(status, event)], new Date());
  if (Object.keys(more).length > 0)
    await records().updateOne({ _id: event.event_id }, { $set: more });
  return event.event_id;
}

test('records of emails that are older leave, their counters stay, and what has not ended stays', async () => {
  const stay = [
    await record(99, 'delivered'),
    await record(150, 'retrying'),
    await record(150, 'delivered', { content_until: new Date() }),
    await record(150, 'failed', { file_deletion: { at: new Date() } }),
  ];
  await record(101, 'delivered');
  await record(150, 'failed');
  const { deliveries } = createStores(api.mongo.db);
  const before = new Date(Date.now() - 100 * DAY_MS);
  expect(await deliveries.removeRecordsBefore(before)).toBe(false);
  const kept = await records().find().toArray();
  expect(kept.map(({ _id }) => _id).toSorted()).toEqual(stay.toSorted());
  expect(await Array.fromAsync(recountUsage(api.mongo.db, before))).toEqual([]);
});

test('the API deletes them by itself', async () => {
  const id = await record(120, 'delivered');
  await using another = await startTestApi({
    env: { RECORDS_RETENTION: '100d' },
    mongoUri: api.mongoUri,
    natsServer: api.natsServer,
  });
  const isGone = async () => (await records().countDocuments({ _id: id })) === 0;
  expect(await until(`${another.url} to delete the record`, isGone)).toBe(true);
});

const settings = {
  INBOUND_DOMAIN: 'in.example',
  SECRET_KEYS: Buffer.alloc(32).toString('base64'),
  RECORDS_RETENTION: '400d',
};

test('without RECORDS_RETENTION, records stay as long as their account', () => {
  const { RECORDS_RETENTION } = readConfig(ApiConfig, { ...settings, RECORDS_RETENTION: '' });
  expect(RECORDS_RETENTION).toBeUndefined();
});

test.each(['EVENTS_RETENTION', 'REPLAY_RETENTION', 'FAILED_RETENTION', 'LINK_LIFETIME'])(
  'the API does not start when records would leave before the end of %s',
  (longer) => {
    expect(() => readConfig(ApiConfig, settings)).not.toThrow();
    expect(() => readConfig(ApiConfig, { ...settings, [longer]: '401d' })).toThrow(
      'RECORDS_RETENTION: must be no shorter than EVENTS_RETENTION',
    );
  },
);

test('a shorter RECORDS_RETENTION than 31d is refused', () => {
  expect(() => readConfig(ApiConfig, { ...settings, RECORDS_RETENTION: '7d' })).toThrow(
    'RECORDS_RETENTION: must be at least 31d',
  );
});
