/** An email whose attempt has ended takes no slot while its record is written. */
import { expect, test } from 'vitest';

import { readConfig } from '../../services/adapters/process/config.ts';
import { DispatcherConfig } from '../../services/dispatcher/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { log, startPipeline } from '../support/pipeline.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { counted } from './delivery-records.ts';

const SLOTS = 8; // of a partition: the least
const MAILS = 3 * SLOTS;

test('while MongoDB answers nothing, more emails than slots are delivered; then each is recorded once', async () => {
  await using pipeline = await startPipeline({
    withDispatcher: false,
    env: { PARTITIONS: '1', MAIL_SLOTS: String(SLOTS), RETRY_SLOTS: String(SLOTS) },
  });
  const uri = new URL(pipeline.settings.MONGODB_URI ?? '');
  await using mongo = await startTcpProxy(Number(uri.port));
  uri.port = String(mongo.port);
  uri.search = '?directConnection=true'; // without this, the driver would use the member's own port
  await using _dispatcher = await startDispatcher(
    readConfig(DispatcherConfig, { ...pipeline.settings, MONGODB_URI: uri.href }),
    log,
  );
  const address = await pipeline.address('/slots');
  const send = (subject: string) =>
    pipeline.mailer.sendMail({ from: 'a@b.example', to: address.address, subject, text: 'text' });
  const delivered = () =>
    new Set(pipeline.receiver.received('/slots').map(({ payload }) => payload.event_id)).size;
  const records = () =>
    pipeline.mongo.db
      .collection('deliveries')
      .countDocuments({ address_id: address.id, status: 'delivered' });
  await send('first'); // the dispatcher then knows the address
  await until('its record', records);

  await mongo.fail('stall');
  for (let sent = 1; sent <= MAILS; sent++) {
    await send(`mail ${sent}`);
    await until(`webhook ${sent}`, () => delivered() > sent);
  }
  expect(await records()).toBe(1);
  await mongo.heal();
  await until('every record', async () => (await records()) === MAILS + 1);
  expect(await counted(pipeline, { account_id: address.account_id })).toMatchObject({
    received: MAILS + 1,
    delivered: MAILS + 1,
  });
});
