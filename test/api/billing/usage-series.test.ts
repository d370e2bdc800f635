/** GET /usage/daily: emails and latencies by day and hour. */
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import {
  intervalsUntil,
  latencyPercentile,
  usageTotalView,
} from '../../../services/core/usage/usage-series.ts';
import { timestamp } from '../../../services/core/time/timestamp.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

type Interval = {
  start: string;
  received: number;
  delivered: number;
  failed: number;
  p50_ms: number | null;
  p95_ms: number | null;
};

const HOUR_MS = 3_600_000;
const now = new Date();

const api = await useInFile(startTestApi());
const { id: addressId } = await api.create();
const other = (await api.create()).id;
const scope = { account_id: api.account.id, environment: 'live' as const };
const deliveries = createDeliveries(api.mongo.db);
const record = (address: string, at: Date, ...latenciesMs: number[]) =>
  deliveries.record(
    latenciesMs.map((ms) => {
      const ended = new Date(at.getTime() + ms - 5); // an attempt takes 5 ms
      return changeTo('delivered', mailEvent({ ...scope, id: address }, at), ended);
    }),
    now,
  );
await record(addressId, now, 10, 20, 30, 40, 1_000);
await record(addressId, new Date(now.getTime() - 3 * HOUR_MS), 70);
await record(other, new Date(now.getTime() - 26 * HOUR_MS), 90, 95);
await deliveries.record([changeTo('failed', mailEvent({ ...scope, id: other }, now))], now);

const series = async (query: string): Promise<Interval[]> => {
  const { status, body } = await api.ask('GET', `/v1/usage/daily${query}`);
  expect(status).toBe(200);
  return body.data as Interval[];
};
const hourOf = (ms: number) => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS);
const totals = (data: Interval[]) =>
  data.reduce((sum, { received, delivered, failed }) => {
    return [(sum[0] ?? 0) + received, (sum[1] ?? 0) + delivered, (sum[2] ?? 0) + failed];
  }, [] as number[]);

test('by day: 30 days, oldest first, each email at its day of receipt', async () => {
  const data = await series('');
  expect(data).toHaveLength(30);
  expect(data.map(({ start }) => start)).toEqual(data.map(({ start }) => start).toSorted());
  expect(totals(data)).toEqual([9, 8, 1]);
  expect(data[0]).toMatchObject({ received: 0, p50_ms: null, p95_ms: null });
});

test('by hour: with median and 95th percentile of the time to acceptance', async () => {
  const data = await series('?interval=hour&days=2');
  expect(data).toHaveLength(48);
  const ago = (hours: number) =>
    data.find(({ start }) => start === timestamp(hourOf(now.getTime() - hours * HOUR_MS)));
  expect(ago(0)).toEqual({
    start: timestamp(hourOf(now.getTime())),
    received: 6,
    delivered: 5,
    failed: 1,
    held: 0,
    dropped: 0,
    waiting: 0,
    p50_ms: 30,
    p95_ms: 1_000,
  });
  expect(ago(3)).toMatchObject({ received: 1, delivered: 1, p50_ms: 70 });
});

test('with the totals of all intervals', async () => {
  const { body } = await api.ask('GET', '/v1/usage/daily?interval=hour&days=2');
  expect(body.total).toEqual({
    received: 9,
    delivered: 8,
    failed: 1,
    held: 0,
    dropped: 0,
    waiting: 0,
    success_rate: 88.88,
    p50_ms: 70,
    p95_ms: 1_000,
  });
});

const interval = (delivered: number, ...latenciesMs: number[]) => ({
  tally: { received: delivered + 1, delivered, failed: 0 },
  latenciesMs,
});

test('percentiles of all intervals: a sample counts for the deliveries that it represents', () => {
  const busy = interval(9_800, ...Array.from({ length: 100 }, () => 10));
  const quiet = interval(200, ...Array.from({ length: 100 }, () => 5_000));
  expect(usageTotalView([quiet, busy])).toMatchObject({
    received: 10_002,
    waiting: 2,
    success_rate: 100,
    p50_ms: 10,
    p95_ms: 10,
  });
  expect(latencyPercentile([quiet, busy], 0.99)).toBe(5_000);
  expect(usageTotalView([interval(0)])).toMatchObject({ p50_ms: null, p95_ms: null });
});

test('of one address', async () => {
  expect(totals(await series(`?address_id=${addressId}&days=2`))).toEqual([6, 6, 0]);
  expect(totals(await series('?address_id=addr_of_others'))).toEqual([0, 0, 0]);
});

const count = async (query: string) => {
  const { body } = await api.ask('GET', `/v1/usage/daily${query}`);
  return (body.data as unknown[]).length;
};

test('by hour or for an address: the last 7 days at most', async () => {
  expect(await count('?interval=hour&days=90')).toBe(await count('?interval=hour&days=7'));
  expect(await count('?address_id=x&days=8')).toBe(await count('?address_id=x&days=7'));
  for (const query of ['?days=91', '?days=0'])
    expect((await api.ask('GET', `/v1/usage/daily${query}`)).status).toBe(422);
});

test("days begin at midnight of the account's time zone", () => {
  const at = new Date('2026-03-30T12:00:00Z'); // summer time began on the day before
  const days = intervalsUntil(at, { interval: 'day', days: 3, timezone: 'Europe/Berlin' });
  expect(days.map(({ start }) => timestamp(start))).toEqual([
    '2026-03-27T23:00:00Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T22:00:00Z',
  ]);
  expect(latencyPercentile([], 0.5)).toBeNull();
});
