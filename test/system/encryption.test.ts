/**
 * D283 over the whole system of `npm start`, while its processes are killed: emails arrive as without
 * encryption, and the files of NATS never have a byte of their content. When their account is closed,
 * nothing that is stored can be read any more.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { createAccountKeys } from '../../services/adapters/mongo/account/account-keys.ts';
import { connectMongo } from '../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { createStores } from '../../services/adapters/mongo/stores.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { connectNats } from '../../services/adapters/stream/connection/connection.ts';
import { createReplayStore, openMailStreams } from '../../services/adapters/stream/replay.ts';
import type { Delivery } from '../../services/core/delivery/delivery.ts';
import { killWhen, sendAll } from '../support/crashes.ts';
import { collectionsWith, filesWith } from '../support/stored-bytes.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const system = await useInFile(
  startWholeSystem({
    ENCRYPT_CONTENT: 'true',
    RETRY_SCHEDULE: '100ms,500ms,1s,2s,1h',
  }),
);

const newMarker = () => `marker-${randomBytes(10).toString('hex')}`; // 27 bytes
const natsFilesWith = (marker: string) =>
  filesWith(join(system.standalone.dataDir, 'nats'), marker);
const GIVE_UP_MS = 90_000;

test.each(['gateway', 'dispatcher', 'nats-server', 'mongod'])(
  'every email arrives although %s is killed, and repeats have the same event_id',
  async (victim) => {
    const path = `/killed/${victim}`;
    const { address } = await system.address(path);
    const accepted = new Set<string>();
    const killed = killWhen(system, victim, () => accepted.size >= 30, GIVE_UP_MS);
    const load = { mails: 100, senders: 10, giveUpMs: GIVE_UP_MS };
    await sendAll(system, { to: address, name: victim, accepted }, load);
    await killed;
    const received = () => system.receiver.received(path).map(({ payload }) => payload);
    const subjects = () => new Set(received().map(({ headers }) => headers.subject));
    await until('all emails', () => subjects().size >= accepted.size, GIVE_UP_MS);
    expect([...accepted].filter((subject) => !subjects().has(subject))).toEqual([]);
    expect(new Set(received().map(({ event_id }) => event_id)).size).toBe(accepted.size);
  },
);

test('no content is ever in clear, and none is readable once the account is closed', async () => {
  const marker = newMarker();
  const statuses = { '/delivered': 200, '/waits': 503, '/failed': 400 };
  const payload = { raw: true, attachments: 'url' };
  for (const [path, status] of Object.entries(statuses)) {
    system.receiver.answer(path, () => status);
    for (const [to, bytes] of [
      [await system.address(path, { payload }), 100],
      [await system.address(`${path}/large`), 1_500_000],
    ] as const) {
      system.receiver.answer(`${path}/large`, () => status);
      await system.mailer.sendMail({
        from: 'Ann <ann@sender.example>',
        to: to.address,
        subject: 'hi',
        text: `${marker} text`,
        html: `<p>${marker} html</p>`,
        attachments: [
          {
            filename: `${marker}.bin`,
            content: Buffer.concat([Buffer.from(marker), randomBytes(bytes)]),
          },
        ],
      });
    }
  }
  const { payload: posted } = await system.receiver.nth('/delivered', 1);
  const link = String(posted.content.raw_url);
  expect(await (await fetch(link)).text()).toContain(`${marker} text`);
  await system.receiver.nth('/waits', 2);
  await system.receiver.nth('/failed/large', 1);

  const { mongodb_uri, nats_url } = system.standalone.state();
  await using mongo = await connectMongo(mongodb_uri, createLog('silent'));
  await using nats = await connectNats({ url: nats_url, name: 'test' }, createLog('silent'));
  const records = mongo.db.collection<Delivery & { _id: string }>('deliveries');
  const found = await until('the records', async () => {
    const all = await records.find({ subject: 'hi', status: { $ne: 'pending' } }).toArray();
    return all.length === 6 ? all.map(({ _id, ...one }) => ({ ...one, event_id: _id })) : undefined;
  });
  expect(new Set(found.map(({ status }) => status))).toEqual(
    new Set(['delivered', 'retrying', 'failed']),
  );
  expect(await natsFilesWith(marker)).toEqual([]);
  expect(await collectionsWith(mongo.db, marker)).toEqual([]);

  const secretKey = await readFile(join(system.standalone.dataDir, 'secret-key'), 'utf8');
  const secrets = createSecretBox([Buffer.from(secretKey.trim(), 'base64')]);
  const keys = createAccountKeys(mongo.db, secrets);
  const store = createReplayStore(await openMailStreams(nats), async (id) => {
    const own = await keys.find(id);
    return own.kind === 'keys' ? own.keys : undefined;
  });
  const read = async (one: (typeof found)[number]) => (await store.payload(one)) !== undefined;
  expect(await Promise.all(found.map(read))).toEqual(found.map(() => true));
  const stores = createStores(mongo.db);
  const account = found[0]!.account_id;
  await stores.accounts.close(account, new Date());
  await stores.accountContents.remove(account, new Date());
  expect(await Promise.all(found.map(read))).toEqual(found.map(() => false));
  expect(await Promise.all(found.map((one) => store.raw(one.event_id)))).toEqual(
    found.map(() => undefined),
  );
  await until('the link to end', async () => (await fetch(link)).status === 404, 60_000);
});
