/** D34: an email is visible within two seconds of its 250 behind many others, too. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { recountUsage } from '../../../services/adapters/mongo/usage/recount.ts';
import { readConfig } from '../../../services/adapters/process/config.ts';
import { DispatcherConfig } from '../../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../../services/dispatcher/dispatcher.ts';
import { log, startPipeline } from '../../support/pipeline.ts';
import { atMost } from '../../support/slowdown.ts';
import { until } from '../../support/until.ts';
import {
  counted,
  emailCount,
  records,
  VISIBLE_WITHIN_MS,
  watchRecords,
} from '../delivery-records.ts';

test('a burst to one address, whose slots come later: all are pending within two seconds', async () => {
  await using pipeline = await startPipeline({});
  pipeline.receiver.answer('/burst', () => (response) => {
    setTimeout(() => response.writeHead(200).end(), 700);
  });
  const address = await pipeline.address('/burst');
  const watched = watchRecords(pipeline);
  await Promise.all(Array.from({ length: 60 }, (_, n) => watched.send(address.address, `b${n}`)));
  expect((await watched.slowest()).ms).toBeLessThan(atMost(VISIBLE_WITHIN_MS));
  expect(await emailCount(pipeline, address)).toBe(60);
});

test('all dispatchers busy, with a backlog: each email is pending within two seconds, and counted once', async () => {
  const env = { MAIL_SLOTS: '16', WEBHOOK_TIMEOUT: '20s' };
  await using pipeline = await startPipeline({ env });
  const settings = readConfig(DispatcherConfig, pipeline.settings);
  await using _other = await startDispatcher(settings, log);
  const waiting: (() => void)[] = [];
  let isSlow = true;
  pipeline.receiver.answer('/hangs', () =>
    isSlow ? (response) => waiting.push(() => response.writeHead(200).end()) : 200,
  );
  const watched = watchRecords(pipeline);
  // each account has one: no account has more than its share
  for (let n = 0; n < 48; n++)
    await watched.send((await pipeline.address('/hangs')).address, `busy ${n}`);
  const addresses = await Promise.all(Array.from({ length: 10 }, () => pipeline.address('/hangs')));
  await Promise.all(
    addresses.map(async ({ address }, i) => {
      for (let n = 0; n < 30; n++) {
        await watched.send(address, `behind ${i} ${n}`);
        await sleep(50);
      }
    }),
  );
  const { ms, statuses } = await watched.slowest();
  expect(statuses).toEqual(['pending']);
  expect(ms).toBeLessThan(atMost(VISIBLE_WITHIN_MS));
  expect(waiting.length).toBeLessThan(48 + 300); // otherwise nothing waited
  expect(await counted(pipeline)).toEqual({ received: 348, delivered: 0, failed: 0 });

  isSlow = false;
  const drain = setInterval(() => {
    for (const finish of waiting.splice(0)) finish();
  }, 50);
  await until(
    'all to be delivered',
    async () => (await records(pipeline).countDocuments({ status: 'delivered' })) === 348,
    60_000,
  );
  clearInterval(drain);
  expect(await counted(pipeline)).toEqual({ received: 348, delivered: 348, failed: 0 });
  expect(await Array.fromAsync(recountUsage(pipeline.mongo.db))).toEqual([]);
  for (const address of addresses) expect(await emailCount(pipeline, address)).toBe(30);
});
