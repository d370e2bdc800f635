/** What a dispatcher without mail asks of JetStream. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { connectNats } from '../../services/adapters/stream/connection/connection.ts';
import { log, startPipeline } from '../support/pipeline.ts';
import { until } from '../support/until.ts';

const LANES = 2;
const SECONDS = 5;

test('a lane asks for mail every ten seconds while it has none, and gets it immediately', async () => {
  await using pipeline = await startPipeline({ env: { PARTITIONS: '1' } });
  await using nats = await connectNats({ url: pipeline.natsServer.url, name: 'test' }, log);
  let requested = 0;
  nats.connection.subscribe('$JS.API.CONSUMER.MSG.NEXT.>', { callback: () => void requested++ });
  const { address } = await pipeline.address('/idle');

  await sleep(SECONDS * 1_000);
  expect(requested).toBeLessThanOrEqual(LANES); // with a request per second: LANES * SECONDS

  await pipeline.mailer.sendMail({ from: 'a@b.example', to: address, subject: 'x', text: 'x' });
  await until('the webhook', () => pipeline.receiver.received('/idle').length === 1);
});
