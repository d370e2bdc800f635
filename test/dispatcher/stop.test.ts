/** A dispatcher that stops finishes attempts in flight and NAKs the rest immediately. */
import { expect, test } from 'vitest';

import { readConfig } from '../../services/adapters/process/config.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { log, startPipeline } from '../support/pipeline.ts';
import { atMost } from '../support/slowdown.ts';
import { until } from '../support/until.ts';

test('attempts in flight are recorded; waiting mail goes to the next dispatcher immediately', async () => {
  await using pipeline = await startPipeline({
    withDispatcher: false,
    env: { WEBHOOK_CONCURRENCY: '4' },
  });
  const address = await pipeline.address('/slow');
  const settings = readConfig(DispatcherConfig, { ...pipeline.settings, WEBHOOK_CONCURRENCY: '4' });
  const answers: (() => void)[] = [];
  pipeline.receiver.answer(
    '/slow',
    () => (response) => void answers.push(() => response.writeHead(200).end()),
  );
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      pipeline.mailer.sendMail({
        from: 'a@b.example',
        to: address.address,
        subject: `mail ${i}`,
        text: 'x',
      }),
    ),
  );

  const first = await startDispatcher(settings, log, 20_000);
  await until('four attempts in flight', () => answers.length === 4);
  const stopped = first[Symbol.asyncDispose]();
  setTimeout(() => answers.splice(0).forEach((answer) => answer()), 300);
  await stopped;
  expect(
    await pipeline.mongo.db.collection('deliveries').countDocuments({ status: 'delivered' }),
  ).toBe(4);

  const takenOverAt = Date.now();
  pipeline.receiver.answer('/slow', () => 200);
  await using _second = await startDispatcher(settings, log, 20_000);
  await until(
    'the rest',
    () =>
      new Set(pipeline.receiver.received('/slow').map(({ payload }) => payload.event_id)).size ===
      20,
  );
  expect(Date.now() - takenOverAt).toBeLessThan(atMost(15_000)); // earlier than the acknowledgment wait
  expect(pipeline.receiver.received('/slow')).toHaveLength(20); // none twice
});
