/** Like lost-consumer.test.ts, with a NATS that comes back without its data. */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

import { startPipeline } from '../support/pipeline.ts';
import { until } from '../support/until.ts';

test('when NATS comes back without its data, email is received and delivered again', async () => {
  await using pipeline = await startPipeline();
  const { natsServer } = pipeline;
  const { id, address } = await pipeline.address('/emptied');
  await natsServer.stop();
  await rm(join(dirname(natsServer.logFile), 'data'), { recursive: true });
  await natsServer.restart();
  await until('an email to be accepted', () =>
    pipeline.mailer
      .sendMail({ from: 'a@b.example', to: address, text: 'hi' })
      .catch(() => undefined),
  );
  expect((await pipeline.receiver.nth('/emptied', 1)).payload.address_id).toBe(id);
});
