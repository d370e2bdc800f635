/** A receiver that accepts connections and never answers: each email ends by its own time (D169). */
import { expect, test } from 'vitest';

import type { Delivery } from '../../services/core/delivery/delivery.ts';
import { startPipeline } from '../support/pipeline.ts';
import { until } from '../support/until.ts';

const EMAILS = 30;

test('all emails to a receiver that hangs end, attempted or not; other receivers are not slower', async () => {
  await using pipeline = await startPipeline({
    env: { WEBHOOK_TIMEOUT: '1s', RETRY_SCHEDULE: '500ms,500ms', DELIVERY_LIFETIME: '5s' },
  });
  const { receiver, mailer, mongo } = pipeline;
  receiver.answer('/hangs', () => () => undefined);
  const hanging = await pipeline.address('/hangs');
  const healthy = await pipeline.address('/healthy');
  const send = (to: string) => mailer.sendMail({ from: 'ann@sender.example', to, text: 'hi' });
  await Promise.all(Array.from({ length: EMAILS }, () => send(hanging.address)));
  await send(healthy.address);
  await receiver.nth('/healthy', 1);

  const records = mongo.db.collection<Delivery>('deliveries').find({ address_id: hanging.id });
  const ended = await until('the end of all', async () => {
    const found = await records.clone().toArray();
    return found.length === EMAILS && found.every(({ status }) => status === 'failed')
      ? found
      : undefined;
  });
  expect(ended.filter(({ ended_as }) => ended_as === 'expired').length).toBeGreaterThan(0);
  expect(receiver.received('/hangs').length).toBeLessThan(EMAILS * 3); // the schedule of all
  const usage = await mongo.db
    .collection('usage_daily')
    .findOne({ account_id: hanging.account_id });
  expect(usage).toMatchObject({ received: EMAILS, failed: EMAILS });
  const events = mongo.db.collection('events');
  expect(
    await events.countDocuments({ type: 'webhook.failed', account_id: hanging.account_id }),
  ).toBe(EMAILS);
});
