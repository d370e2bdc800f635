/** The metric that scales dispatchers counts new mail only, not mail that waits for a retry. */
import { expect, test } from 'vitest';

import { startPipeline } from '../support/pipeline.ts';
import { until } from '../support/until.ts';

const MAILS = 50;

test('waiting retries are not a backlog: a receiver that is down does not scale dispatchers out', async () => {
  await using pipeline = await startPipeline({ env: { RETRY_SCHEDULE: '1h', PARTITIONS: '1' } });
  const metric = async (name: string): Promise<number> => {
    const line = (await (await fetch(pipeline.metricsUrls.dispatcher)).text())
      .split('\n')
      .find((one) => one.startsWith(name));
    return Number(line?.split(' ').at(-1));
  };
  const address = await pipeline.address('/away');
  pipeline.receiver.answer('/away', () => 503);
  await Promise.all(
    Array.from({ length: MAILS }, (_, i) =>
      pipeline.mailer.sendMail({
        from: 'a@b.example',
        to: address.address,
        subject: `${i}`,
        text: 'asleep',
      }),
    ),
  );
  await until(
    'the retry lane to hold them all',
    async () =>
      (await metric('inlet_queue_mails{lane="retry",partition="0",state="pending"')) === MAILS &&
      (await metric('inlet_dispatcher_backlog_mails')) === 0,
  );
  expect(await metric('inlet_queue_age_seconds{lane="mail"')).toBe(0);
  expect(await metric('inlet_queue_age_seconds{lane="retry"')).toBeGreaterThan(0);
  expect(await (await fetch(pipeline.metricsUrls.gateway)).text()).toMatch(
    /^inlet_dispatcher_backlog_mails\{component="gateway"\} 0$/m,
  ); // gateways export the same
});
