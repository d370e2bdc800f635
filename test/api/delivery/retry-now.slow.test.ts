/** D35: requests that come at any moment around attempts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { retryLane } from './retry-lane.ts';

test('retries at any moment around attempts that fail: never two at a time, none lost', async () => {
  await using busy = await startInProcess({ RETRY_SCHEDULE: '3s,3s,3s,1h,1h,1h' });
  const open = new Map<string, number>();
  let most = 0;
  busy.pipeline.receiver.answer('/moments', (_, { payload }) => (response) => {
    const now = (open.get(payload.event_id) ?? 0) + 1;
    open.set(payload.event_id, now);
    most = Math.max(most, now);
    setTimeout(() => {
      open.set(payload.event_id, (open.get(payload.event_id) ?? 1) - 1);
      response.writeHead(503).end();
    }, 150);
  });
  const address = await busy.address('/moments');
  const emails = 10;
  for (let n = 0; n < emails; n++) await busy.send(address.address, String(n));
  const records = () =>
    busy.api.mongo.db
      .collection<{
        _id: string;
        address_id: string;
        status: string;
        attempts: unknown[];
        next_attempt_at: Date | null;
      }>('deliveries')
      .find({ address_id: address.id })
      .toArray();
  const statuses = new Set<number>();
  let moment = 0; // 10 emails: each is asked for in every third round
  const endAt = Date.now() + 10_000;
  while (Date.now() < endAt) {
    for (const { _id } of await records())
      if (++moment % 3 === 0)
        statuses.add((await busy.api.ask('POST', `/v1/deliveries/${_id}/retry`)).status);
    await sleep(40);
  }
  await until(
    'four attempts of each',
    async () => (await records()).filter(({ attempts }) => attempts.length >= 4).length === emails,
    30_000,
  );
  expect(statuses).toEqual(new Set([200, 409]));
  expect(most).toBe(1);
  await until('all to sleep or to end', async () => {
    const { messages, awaited } = await retryLane(busy);
    const waiting = (await records()).filter(({ status }) => status === 'retrying');
    const sleepers = waiting.filter(
      ({ next_attempt_at }) => Number(next_attempt_at) > Date.now() + 60_000,
    ).length;
    if (sleepers < waiting.length) return false;
    return messages === sleepers && awaited === sleepers; // replaced messages leave nothing behind
  });
  const sum = (await records()).reduce((all, { attempts }) => all + attempts.length, 0);
  expect(busy.pipeline.receiver.received('/moments')).toHaveLength(sum);
});
