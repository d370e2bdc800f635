/** The usage of the current billing period (spec 2.2, 4.2; D10, D11, D14, D28). */
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import type { DeliveryStatus } from '../../../services/core/delivery/delivery.ts';
import {
  dayStart,
  monthsFrom,
  periodAt,
  projected,
} from '../../../services/core/billing/period.ts';
import { timestamp } from '../../../services/core/time/timestamp.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { startTestApi } from '../../support/start-api.ts';
import { atMost } from '../../support/slowdown.ts';
import { useInFile } from '../../support/use-in-file.ts';

const now = new Date();
const ANCHOR = new Date(now.getTime() - 10 * 86_400_000);
/** A time zone in which no day ends while the tests run. */
const TIMEZONE = ['Asia/Kathmandu', 'America/St_Johns'].find(
  (zone) => dayStart(zone, new Date(now.getTime() + 600_000)) < now,
)!;

const api = await useInFile(startTestApi());
await api.mongo.db.collection<{ _id: string }>('accounts').updateOne(
  { _id: api.account.id },
  {
    $set: {
      subscription: { status: 'active', anchor: ANCHOR, trial_end: null },
      'settings.timezone': TIMEZONE,
    },
  },
);

async function receive(
  environment: 'live' | 'test',
  at: Date,
  ...statuses: DeliveryStatus[]
): Promise<void> {
  const address = await api.store({ environment });
  for (const status of statuses)
    await createDeliveries(api.mongo.db).record([changeTo(status, mailEvent(address, at))], at);
}

const usage = async (token?: string) =>
  (await api.ask('GET', '/v1/usage', token === undefined ? {} : { token })).body;

test('spec 2.2: a period without mail', async () => {
  const body = await usage();
  const period = periodAt(ANCHOR, now);
  expect(body).toEqual({
    period: { start: timestamp(period.start), end: timestamp(period.end), current: true },
    emails: { total: 0, successful: 0, failed: 0, today: 0 },
    webhooks: { delivered: 0, failed: 0, retrying: 0 },
    success_rate: 100,
    projected_monthly: 0,
    quota: null,
    updated_at: expect.any(String) as string,
  });
  expect(Math.abs(Date.parse(String(body.updated_at)) - Date.now())).toBeLessThan(atMost(5_000));
  expect(period.end).toEqual(monthsFrom(period.start, 1));
});

test('D14, D11: mail of the period by outcome, today in the time zone of the account, test mail apart', async () => {
  const midnight = dayStart(TIMEZONE, now);
  const { start } = periodAt(ANCHOR, now);
  await receive('live', midnight, 'delivered', 'delivered', 'failed', 'retrying');
  await receive('live', new Date(midnight.getTime() - 1), 'delivered', 'pending');
  await receive('live', start, 'delivered');
  await receive('live', new Date(start.getTime() - 1), 'delivered', 'failed', 'retrying');
  await receive('test', now, 'delivered', 'failed');
  expect(await usage()).toMatchObject({
    emails: { total: 7, successful: 4, failed: 1, today: 4 },
    webhooks: { delivered: 4, failed: 1, retrying: 2 },
    success_rate: 80,
    projected_monthly: expect.closeTo(projected(7, periodAt(ANCHOR, now), now), 0) as number,
  });
  const { token } = await api.issue({ environment: 'test' });
  expect(await usage(token)).toMatchObject({
    emails: { total: 2, successful: 1, failed: 1, today: 2 },
    success_rate: 50,
  });
});

test('D10: usage:read is required; D4: no query field is known', async () => {
  const { token } = await api.issue({ permissions: ['addresses:read', 'billing:read'] });
  expect((await api.ask('GET', '/v1/usage', { token })).status).toBe(403);
  expect((await api.ask('GET', '/v1/usage?period=last')).body).toMatchObject({
    error: 'validation_failed',
    details: { field: 'period', code: 'unknown_field' },
  });
});
