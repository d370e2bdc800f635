/**
 * `inlet admin restore` believes only files that Inlet wrote, and changes nothing before it has read
 * all of one. Killed at any step, it leaves an installation that can be brought back.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { BSON, type Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createLog } from '../../services/adapters/process/log.ts';
import { COLLECTIONS } from '../../services/adapters/mongo/collections.ts';
import { connectMongo, type Mongo } from '../../services/adapters/mongo/connection.ts';
import { connectNats, type Nats } from '../../services/adapters/stream/connection.ts';
import { ensureStreams } from '../../services/adapters/stream/streams.ts';
import { type Entry, readArchive, writeArchive } from '../../services/cli/admin/archive.ts';
import { openBackup } from '../../services/cli/admin/backup-file.ts';
import { replaceInstallation, undo } from '../../services/cli/admin/restore.ts';
import { runCommand } from '../support/inlet-command.ts';
import { CHECKOUT } from '../docs/pages.ts';
import { startTestNats, testDir, testMongo } from '../support/servers.ts';

const STREAMS = {
  PARTITIONS: 1,
  STREAM_REPLICAS: 1,
  STREAM_MAX_BYTES: 0,
  DUPLICATE_WINDOW: 600_000,
  LINK_LIFETIME: 3_600_000,
  FAILED_RETENTION: 3_600_000,
};
const SECRET_KEYS = randomBytes(32).toString('base64');
const KEYS = [Buffer.from(SECRET_KEYS, 'base64')];

const parts = new AsyncDisposableStack();
let mongo: Mongo;
let nats: Nats;
let env: Record<string, string>;
let archive: Buffer;

beforeAll(async () => {
  const { uri } = parts.use(await testMongo());
  const { url } = parts.use(await startTestNats());
  env = { MONGODB_URI: uri, NATS_URL: url, SECRET_KEYS };
  mongo = parts.use(await connectMongo(uri, createLog('silent')));
  nats = parts.use(await connectNats({ url, name: 'test' }, createLog('silent')));
  await fill('saved');
  const output = new PassThrough();
  const written = buffer(output);
  const { code } = await runCommand(['admin', 'backup'], { env, byteOutput: () => output });
  output.end();
  if (code !== 0) throw new Error('no backup');
  archive = await written;
  await fill('later');
});
afterAll(() => parts.disposeAsync());

/** An account, a session and an email. */
async function fill(name: string): Promise<void> {
  for (const collection of ['accounts', 'sessions', 'events'])
    await mongo.db
      .collection<{ _id: string }>(collection)
      .insertOne({ _id: `${collection}-${name}` });
  const { client } = await ensureStreams(nats, STREAMS);
  await client.publish(`mail.0.${name}`, name);
}

/** All that an installation has. */
async function contents(): Promise<Record<string, unknown>> {
  const { manager } = await ensureStreams(nats, STREAMS);
  const stream = await manager.streams.info('MAIL-0', { subjects_filter: '>' });
  const found: Record<string, unknown> = {
    mail: Object.keys(stream.state.subjects ?? {}).toSorted(),
  };
  for (const { name } of await mongo.db.listCollections().toArray()) {
    const ids = await mongo.db.collection<{ _id: string }>(name).distinct('_id');
    if (ids.length > 0) found[name] = ids.toSorted();
  }
  return found;
}

const restore = (bytes: Buffer, ...options: string[]) =>
  runCommand(['admin', 'restore', ...options], {
    env,
    byteInput: () => Readable.from([bytes.subarray(0, 1_000), bytes.subarray(1_000)]),
  });

/** The file with other entries. */
async function changed(change: (entries: Entry[]) => Entry[]): Promise<Buffer> {
  const entries: Entry[] = [];
  for await (const { name, bytes } of readArchive(Readable.from([archive])))
    entries.push({ name, bytes: Buffer.from(bytes) });
  const output = new PassThrough();
  const written = buffer(output);
  await writeArchive(Readable.from(change(entries)), output);
  output.end();
  return written;
}
const withoutHmac = (entries: Entry[]): Entry[] =>
  entries.map(({ name, bytes }) => {
    if (name !== 'end') return { name, bytes };
    const { hmac: _, ...end } = JSON.parse(Buffer.from(bytes).toString()) as { hmac: string };
    return { name, bytes: Buffer.from(JSON.stringify(end)) };
  });
const before = (added: Entry) => (entries: Entry[]) => [
  ...entries.slice(0, -1),
  added,
  ...entries.slice(-1),
];
const document = (name: string): Entry => ({
  name: `document/${name}`,
  bytes: BSON.serialize({ _id: 'more' }),
});
const stream = (config: object): Entry => ({
  name: 'stream',
  bytes: Buffer.from(JSON.stringify({ config, state: { messages: 0 } })),
});

test.each<[title: string, bytes: () => Promise<Buffer> | Buffer, options: string[], words: RegExp]>(
  [
    ['cut to a half', () => archive.subarray(0, archive.length / 2), [], /damaged or cut off/],
    ['cut at the end', () => changed((all) => all.slice(0, -1)), [], /cut off/],
    ['with a token more', () => changed(before(document('tokens'))), [], /HMAC differs/],
    [
      'without a document',
      () => changed((all) => [...all.slice(0, 1), ...all.slice(2)]),
      [],
      /HMAC differs/,
    ],
    [
      'with more after its end',
      () => changed((all) => [...all, document('tokens')]),
      [],
      /after its end/,
    ],
    ['without an HMAC', () => changed(withoutHmac), [], /not signed.*--unsigned/s],
    [
      'without an HMAC, and less than it says',
      () => changed((all) => withoutHmac([...all.slice(0, 1), ...all.slice(2)])),
      ['--unsigned'],
      /not whole/,
    ],
    [
      'with a collection of another program',
      () => changed((all) => withoutHmac(before(document('system.users'))(all))),
      ['--unsigned'],
      /not of Inlet: system\.users/,
    ],
    [
      'with a stream of another program',
      () => changed((all) => withoutHmac(before(stream({ name: 'OTHER' }))(all))),
      ['--unsigned'],
      /not of Inlet: OTHER/,
    ],
    [
      'with a stream that copies its messages',
      () =>
        changed((all) =>
          withoutHmac(
            before(stream({ name: 'FAILED', republish: { src: '>', dest: 'x.>' } }))(all),
          ),
        ),
      ['--unsigned'],
      /not of Inlet: FAILED/,
    ],
  ],
)('a file %s is refused, and nothing changes', async (_, bytes, options, words) => {
  await using dir = await testDir();
  const former = await contents();
  const file = join(dir.path, 'file.backup');
  await writeFile(file, await bytes());
  const verified = await runCommand(['admin', 'backup', '--verify', file, ...options], { env });
  const restored = await restore(await bytes(), '--replace', ...options);
  for (const { code, err } of [verified, restored])
    expect([code, err]).toEqual([1, expect.stringMatching(words)]);
  expect(await contents()).toEqual(former);
});

test('backup --verify needs no server, and says what a file has', async () => {
  await using dir = await testDir();
  const file = join(dir.path, 'file.backup');
  await writeFile(file, archive);
  const { code, out } = await runCommand(['admin', 'backup', '--verify', file], {
    env: { SECRET_KEYS, MONGODB_URI: 'mongodb://127.0.0.1:1', NATS_URL: 'nats://127.0.0.1:1' },
  });
  expect([code, JSON.parse(out)]).toMatchObject([0, { messages: { 'MAIL-0': 1 } }]);
});

/** The same object with other members. */
const wrapped = <T extends object>(target: T, wrap: (name: string, value: unknown) => unknown): T =>
  new Proxy(target, {
    get: (object, name) => {
      const value: unknown = Reflect.get(object, name, object);
      return wrap(
        String(name),
        typeof value === 'function' ? (value.bind(object) as unknown) : value,
      );
    },
  });

/** Ends at the nth request to MongoDB or NATS, and all later ones fail, too. */
function mortal(requests: number): {
  installation: Parameters<typeof undo>[0];
  isDead: () => boolean;
} {
  let left = requests;
  const step = () => {
    if (left-- <= 0) throw new Error('killed');
  };
  const WRITES = new Set(['rename', 'drop', 'insertOne', 'insertMany', 'updateOne']);
  const counted =
    (call: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      step();
      return call(...args);
    };
  const db: Db = wrapped(mongo.db, (name, value) =>
    name === 'collection'
      ? (collection: string) =>
          wrapped(mongo.db.collection(collection), (method, found) =>
            WRITES.has(method) ? counted(found as () => unknown) : found,
          )
      : value,
  );
  const connection = wrapped(nats.connection, (name, value) =>
    name === 'request' ? counted(value as () => unknown) : value,
  );
  return { installation: { mongo: { db }, nats: { connection } }, isDead: () => left < 0 };
}

test(
  'killed at any step, it can be undone: everything is as before',
  { timeout: 240_000 },
  async () => {
    const former = await contents();
    let phases = 0;
    for (let requests = 0; ; requests += 3) {
      const backup = await openBackup(readArchive(Readable.from([archive])), KEYS, false);
      const { installation, isDead } = mortal(requests);
      const ended = await replaceInstallation(installation, backup, new Map()).then(
        () => 'restored',
        () => 'killed',
      );
      if (!isDead()) break;
      expect(ended).toBe('killed');
      // the last requests remove what has been replaced
      const isOver = (await mongo.db.collection('restore_state').findOne())?.phase === 'done';
      expect((await restore(archive, '--undo')).code).toBe(0);
      if (isOver) continue;
      phases++;
      expect([requests, await contents()]).toEqual([requests, former]);
    }
    expect(phases).toBeGreaterThan(5);
    const { accounts, mail } = await contents();
    expect([accounts, mail]).toEqual([['accounts-saved'], ['mail.0.saved']]);
  },
);

test('every collection that a store uses is in the list', async () => {
  const folder = join(CHECKOUT, 'services', 'adapters', 'mongo');
  const sources = await Promise.all(
    (await readdir(folder, { recursive: true }))
      .filter((file) => file.endsWith('.ts') && file !== 'restore.ts')
      .map((file) => readFile(join(folder, file), 'utf8')),
  );
  const all = sources.join('\n');
  const named = new Set(
    Array.from(all.matchAll(/collection(?:<[^()]*>)?\(([A-Z_]+)\)|collection: ([A-Z_]+)/g)).map(
      ([, one, other]) => one ?? other ?? '',
    ),
  );
  // a constant of one name, COLLECTION, has a value in each of its files
  const values = [...named].flatMap((name) =>
    Array.from(all.matchAll(new RegExp(`const ${name} = '([a-z_]+)'`, 'g')), ([, value]) => value),
  );
  expect(new Set(values)).toEqual(new Set(COLLECTIONS));
});
