/** While MongoDB is slow, no email whose attempt has ended has a slot, and no account has all. */
import { expect, test } from 'vitest';

import { readConfig } from '../../services/adapters/process/config.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { log, startPipeline } from '../support/pipeline.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { counted } from './delivery-records.ts';

const SLOTS = 8; // of a partition: the least
const MAILS = 3 * SLOTS;

/** A pipeline of {@link SLOTS} slots, whose dispatcher reaches MongoDB through a proxy. */
async function startBehindProxy() {
  await using parts = new AsyncDisposableStack();
  const pipeline = parts.use(
    await startPipeline({
      withDispatcher: false,
      env: { PARTITIONS: '1', MAIL_SLOTS: String(SLOTS) },
    }),
  );
  const uri = new URL(pipeline.settings.MONGODB_URI ?? '');
  const mongo = parts.use(await startTcpProxy(Number(uri.port)));
  uri.port = String(mongo.port);
  uri.search = '?directConnection=true'; // without this, the driver would use the member's own port
  parts.use(
    await startDispatcher(
      readConfig(DispatcherConfig, { ...pipeline.settings, MONGODB_URI: uri.href }),
      log,
    ),
  );
  const send = ({ address }: { address: string }, subject: string) =>
    pipeline.mailer.sendMail({ from: 'a@b.example', to: address, subject, text: 'text' });
  const running = parts.move();
  return { pipeline, mongo, send, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

test('while MongoDB answers nothing, more emails than slots are delivered; then each is recorded once', async () => {
  await using system = await startBehindProxy();
  const { pipeline, mongo } = system;
  const address = await pipeline.address('/slots');
  const send = (subject: string) => system.send(address, subject);
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

test('while MongoDB answers nothing, emails of one account that wait for it leave slots to others', async () => {
  await using system = await startBehindProxy();
  const { pipeline, mongo, send } = system;
  const neighbour = await pipeline.address('/neighbour');
  await send(neighbour, 'first'); // the dispatcher then knows the address
  await pipeline.receiver.nth('/neighbour', 1);
  const unread = [await pipeline.address('/unread')];
  while (unread.length < MAILS)
    unread.push(await pipeline.address('/unread', { account_id: unread[0]!.account_id }));

  await mongo.fail('stall');
  for (const address of unread) await send(address, 'waits for its address');
  await send(neighbour, 'second');
  await pipeline.receiver.nth('/neighbour', 2);
  expect(pipeline.receiver.received('/unread')).toEqual([]);
  await mongo.heal();
  await pipeline.receiver.nth('/unread', MAILS);
});
