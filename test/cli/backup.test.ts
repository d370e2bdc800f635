/**
 * `inlet admin backup` and `restore`: another installation then has every token, secret, address
 * and email of the first.
 */
import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { createLog } from '../../services/adapters/process/log.ts';
import { connectNats } from '../../services/adapters/stream/connection/connection.ts';
import { ensureConsumer, ensureStreams } from '../../services/adapters/stream/events/streams.ts';
import { type CommandResult, runCommand } from '../support/inlet-command.ts';
import { startTestNats, testMongo } from '../support/servers.ts';
import { HOOK, startTestApi, type TestApi } from '../support/start-api.ts';

const STREAMS = {
  PARTITIONS: 2,
  STREAM_REPLICAS: 1,
  STREAM_MAX_BYTES: 0,
  DUPLICATE_WINDOW: 600_000,
  LINK_LIFETIME: 3_600_000,
  FAILED_RETENTION: 3_600_000,
};
const LARGE = randomBytes(1_500_000); // several chunks of a snapshot
const OWNER = { kind: 'InboundAddress', namespace: 'shop', name: 'orders', uid: 'u-1' };

const parts = new AsyncDisposableStack();
const SECRET_KEYS = randomBytes(32).toString('base64');
let api: TestApi;
let archive: Buffer;

beforeAll(async () => {
  api = parts.use(await startTestApi({ env: { SECRET_KEYS } }));
  await using streams = await openStreams(api.natsServer.url);
  const { client, manager, bodies } = streams;
  await ensureConsumer(manager, 'MAIL-1', 30_000);
  await client.publish('mail.1.waiting', 'an email that waits');
  await bodies.putBlob({ name: 'large' }, LARGE);
  archive = (await backUp(api.natsServer.url)).archive;
});
afterAll(() => parts.disposeAsync());

async function openStreams(url: string) {
  const nats = await connectNats({ url, name: 'test' }, createLog('silent'));
  const streams = await ensureStreams(nats, STREAMS);
  return { ...streams, [Symbol.asyncDispose]: () => nats[Symbol.asyncDispose]() };
}

async function backUp(NATS_URL: string, ...options: string[]) {
  const output = new PassThrough();
  const written = buffer(output);
  const env = { MONGODB_URI: api.mongoUri, NATS_URL, SECRET_KEYS };
  const result = await runCommand(['admin', 'backup', ...options], {
    env,
    byteOutput: () => output,
  });
  output.end();
  return { result, archive: await written };
}

type Installation = { MONGODB_URI: string; NATS_URL: string; SECRET_KEYS?: string };

const restore = (
  { ...env }: Installation,
  bytes: Buffer,
  ...options: string[]
): Promise<CommandResult> =>
  runCommand(['admin', 'restore', ...options], {
    env: { SECRET_KEYS, ...env },
    byteInput: () => Readable.from([bytes.subarray(0, 1_000), bytes.subarray(1_000)]),
  });

async function emptyInstallation(owner: AsyncDisposableStack): Promise<Installation> {
  const { uri } = owner.use(await testMongo());
  const { url } = owner.use(await startTestNats());
  return { MONGODB_URI: uri, NATS_URL: url };
}

test('O.3: a restore brings tokens, secrets, addresses, emails and payloads into an empty installation', async () => {
  const address = await api.create();
  await api.store({ managed_by: OWNER });
  const { result, archive: full } = await backUp(api.natsServer.url);
  expect(result).toMatchObject({ code: 0, out: '' });
  const contents = JSON.parse(result.err) as Record<string, Record<string, number>>;
  expect(contents).toMatchObject({
    documents: { accounts: 1, tokens: 1, addresses: 2 },
    messages: { 'MAIL-0': 0, 'MAIL-1': 1, 'RETRY-0': 0, FAILED: 0 },
  });
  expect(gunzipSync(full).includes(String(address.webhook_secret))).toBe(false); // it is encrypted

  await using owner = new AsyncDisposableStack();
  const installation = await emptyInstallation(owner);
  const restored = await restore(installation, full, '--move-namespace', 'shop=store');
  expect([restored.code, restored.err]).toEqual([0, '']);
  expect(JSON.parse(restored.out)).toEqual({ created_at: expect.any(String), ...contents });

  await using streams = await openStreams(installation.NATS_URL);
  const message = await streams.manager.streams.getMessage('MAIL-1', { seq: 1 });
  expect(message?.string()).toBe('an email that waits');
  const consumer = await streams.manager.consumers.info('MAIL-1', 'dispatcher');
  expect(consumer.num_pending).toBe(1);
  expect(Buffer.from((await streams.bodies.getBlob('large')) ?? []).equals(LARGE)).toBe(true);

  await using second = await startTestApi({
    env: { SECRET_KEYS },
    mongoUri: installation.MONGODB_URI,
  });
  const found = await second.ask('GET', `/v1/addresses/${address.id}`, { token: api.token });
  expect(found).toMatchObject({
    status: 200,
    body: {
      address: address.address,
      webhook_url: HOOK,
      webhook_secret: address.webhook_secret,
    },
  });
  const managed = await second.mongo.db
    .collection('addresses')
    .findOne({ managed_by: { $exists: true } });
  expect(managed).toMatchObject({ managed_by: { ...OWNER, namespace: 'store' } });
});

test('numbers and dates keep their types, and what ends within hours is left out', async () => {
  await using owner = new AsyncDisposableStack();
  const installation = await emptyInstallation(owner);
  await restore(installation, archive, '--without-mail');
  await using second = await startTestApi({
    env: { SECRET_KEYS },
    mongoUri: installation.MONGODB_URI,
  });
  const typesIn = (one: TestApi) =>
    one.mongo.db
      .collection('accounts')
      .aggregate([
        { $match: { _id: api.account.id } },
        {
          $project: {
            fields: { $map: { input: { $objectToArray: '$$ROOT' }, in: { $type: '$$this.v' } } },
          },
        },
      ] as object[])
      .toArray();
  expect(await typesIn(second)).toEqual(await typesIn(api));
});

test('a restore refuses what it would mix with, another key, and a file that is no whole backup', async () => {
  await using owner = new AsyncDisposableStack();
  const installation = await emptyInstallation(owner);
  const refused = async (bytes: Buffer, ...options: string[]) => {
    const { code, err } = await restore(installation, bytes, ...options);
    return `${code} ${err}`;
  };
  expect(await refused(Buffer.from('no backup'))).toMatch(
    /^1 .*not an Inlet backup, or it is damaged/,
  );
  expect(await refused(gzipSync('no backup'))).toMatch(/^1 .*not an Inlet backup/);
  const otherKey = randomBytes(32).toString('base64');
  expect((await restore({ ...installation, SECRET_KEYS: otherKey }, archive)).err).toContain(
    'SECRET_KEYS lacks the key of this backup',
  );
  expect(await refused(archive, '--move-namespace', 'shop')).toMatch(/^2 .*not FORMER=NEW/);
  expect(await refused(archive.subarray(0, -100))).toMatch(/^1 .*damaged or cut off/);
  expect(await refused(archive)).toMatch(/^0 /);
  expect(await refused(archive)).toMatch(/^1 .*the collection accounts exists.*--replace/s);
  expect(await refused(archive, '--replace')).toMatch(/^0 /);
  expect(await refused(archive, '--replace', '--without-mail')).toMatch(/^0 /);
});

test('--only-mail moves the streams to another NATS, and leaves the database alone', async () => {
  const { result, archive: mail } = await backUp(api.natsServer.url, '--only-mail');
  expect(JSON.parse(result.err)).toEqual({
    documents: {},
    messages: expect.objectContaining({ 'MAIL-1': 1 }) as object,
  });
  await using owner = new AsyncDisposableStack();
  const { url: NATS_URL } = owner.use(await startTestNats());
  const database = async () => [
    await api.mongo.db.collection('accounts').find().toArray(),
    await names(api.mongo.db.listCollections()),
  ];
  const before = await database();
  const installation = { MONGODB_URI: api.mongoUri, NATS_URL };

  const cut = await restore(installation, mail.subarray(0, -100));
  expect([cut.code, cut.err]).toEqual([1, expect.stringContaining('damaged or cut off')]);
  const useless = await restore(installation, mail, '--without-mail');
  expect([useless.code, useless.err]).toEqual([2, expect.stringContaining('streams only')]);
  const { code, err } = await restore(installation, mail);
  expect([code, err]).toEqual([0, '']);
  expect(await database()).toEqual(before);
  await using streams = await openStreams(NATS_URL);
  const message = await streams.manager.streams.getMessage('MAIL-1', { seq: 1 });
  expect(message?.string()).toBe('an email that waits');

  const again = await restore(installation, mail);
  expect([again.code, again.err]).toEqual([1, expect.stringMatching(/the stream .* exists/)]);
  for (const other of ['--without-mail', '--to-bucket'])
    expect((await backUp(NATS_URL, '--only-mail', other)).result.code).toBe(2);
});

const names = async (cursor: AsyncIterable<{ name: string }>) =>
  (await Array.fromAsync(cursor, ({ name }) => name)).toSorted();

test('a backup is not printed on a terminal, and names a NATS that is away', async () => {
  const env = { MONGODB_URI: api.mongoUri, NATS_URL: 'nats://me:secret@127.0.0.1:1', SECRET_KEYS };
  expect(await runCommand(['admin', 'backup'], { env, isInteractive: true })).toMatchObject({
    code: 2,
    err: expect.stringContaining('redirect standard output to a file') as string,
  });
  const { code, err } = await runCommand(['admin', 'backup'], { env });
  expect([code, err]).toEqual([6, expect.stringContaining('NATS at nats://127.0.0.1:1 is not')]);
});
