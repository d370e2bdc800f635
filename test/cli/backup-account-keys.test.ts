/**
 * Backups in a bucket lack the keys of accounts, which are one object next to them (D287): a key that was erased is in
 * no backup any more, and no other one is lost. Without PyPI, skipped with a reason.
 */
import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import {
  createAccountKeys,
  eraseAccountKeys,
} from '../../services/adapters/mongo/account/account-keys.ts';
import { connectMongo, type Mongo } from '../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { openBytes, sealBytes } from '../../services/adapters/stream/objects/sealed-content.ts';
import { backupName } from '../../services/core/backup/backup-index.ts';
import { readEntries } from '../../services/platform/backup/entry-file.ts';
import { decrypted } from '../../services/platform/backup/encrypted-file.ts';
import { runCommand } from '../support/inlet-command.ts';
import { testMongo } from '../support/servers.ts';
import { type BucketBed, piecesOf, startBucketBed } from './bucket-bed.ts';

const OBJECT = 'backups/account-keys';
const RESTORE = ['restore', '--without-mail', '--from-bucket'];
const accounts = ['acc_closed', 'acc_open'] as const;

let bed: BucketBed;
beforeAll(async () => {
  bed = await startBucketBed();
});
afterAll(() => bed[Symbol.asyncDispose]());

/** Each test has a folder of the bucket, and an installation with two accounts. */
let prefix: string;
let contents: ReturnType<typeof sealBytes>[];
beforeEach(async (context) => {
  if (!bed.s3) context.skip();
  prefix = `${randomBytes(6).toString('hex')}/`;
  await bed.mongo.db.collection('account_keys').deleteMany({});
  await bed.mongo.db.collection<{ _id: string }>('accounts').deleteMany({});
  await bed.mongo.db
    .collection<{ _id: string }>('accounts')
    .insertMany(accounts.map((_id) => ({ _id })));
  contents = await Promise.all(accounts.map(sealed));
});

const keysOf = ({ db }: Mongo) =>
  createAccountKeys(db, createSecretBox([Buffer.from(bed.secretKeys, 'base64')]));
const sealed = async (id: string) => {
  const found = await keysOf(bed.mongo).ensure(id);
  if (found.kind !== 'keys') throw new Error(`${id} has no key`);
  return sealBytes(Buffer.from(id), found.keys[0], placeOf(id));
};
const placeOf = (accountId: string) => ({ store: 'BODIES', accountId, name: 'one' }) as const;

/** The accounts whose stored content can be read with the keys that this database has. */
async function readable(mongo: Mongo): Promise<string[]> {
  const keys = keysOf(mongo);
  const found = accounts.map(async (id, at) => {
    const of = await keys.find(id);
    const content = contents[at]!;
    return of.kind === 'keys'
      ? openBytes(content.sealed, content.seal, of.keys, placeOf(id)).toString()
      : '';
  });
  return (await Promise.all(found)).filter(Boolean);
}

async function emptyInstallation(owner: AsyncDisposableStack) {
  const { uri } = owner.use(await testMongo());
  return { uri, mongo: owner.use(await connectMongo(uri, createLog('silent'))) };
}

type Result = { name: string; documents: Record<string, number>; removed: string[] };
const settings = (more: Record<string, string> = {}) => ({
  ...bed.bucketSettings(prefix),
  ...more,
});
const store = (more?: Record<string, string>, keep = 14) =>
  bed.done<Result>(
    ['backup', '--to-bucket', '--without-mail', '--keep', `${keep}`],
    settings(more),
  );
const close = (mongo = bed.mongo) => eraseAccountKeys(mongo.db, 'acc_closed', new Date());
const read = async (name: string) => (await bed.s3?.read(prefix + name)) ?? Buffer.alloc(0);
async function entriesIn(name: string): Promise<string[]> {
  const bytes = decrypted(Readable.from([await read(name)]), [
    Buffer.from(bed.secretKeys, 'base64'),
  ]);
  return Array.fromAsync(readEntries(Readable.from(bytes)), (entry) =>
    entry.name === 'inlet-backup' ? Buffer.from(entry.bytes).toString() : entry.name,
  );
}

/** A file as an earlier release stored it: with the keys. */
async function storeAsBefore(createdAt: Date): Promise<string> {
  const name = backupName(createdAt);
  const output = new PassThrough();
  const written = buffer(output);
  await runCommand(['admin', 'backup', '--without-mail'], {
    env: bed.env,
    byteOutput: () => output,
  });
  output.end();
  const file = await written;
  await using files = await bed.files(prefix);
  await files.write(name, piecesOf(file));
  const index = await files.readIndex();
  const backup = {
    name,
    created_at: createdAt.toISOString(),
    state: 'stored' as const,
    size_bytes: file.length,
    sha256: createHash('sha256').update(file).digest('hex'),
    duration_seconds: 0,
    contents: { documents: {}, messages: {} },
    restored_at: null,
  };
  await files.writeIndex({ ...index, backups: [...index.backups, backup] });
  return name;
}

test('after a restore of an older backup, content of a closed account is unreadable, of others not', async () => {
  const { name } = await store();
  expect(await entriesIn(name)).toEqual([
    expect.stringContaining('"format":3'), // earlier releases refuse it, so that none restores it without keys
    ...accounts.map(() => 'document/accounts'),
    'end',
  ]);
  await close();
  const { name: second } = await store();
  expect(await entriesIn(OBJECT)).toEqual([
    expect.stringContaining('"format":4'),
    ...accounts.map(() => 'document/account_keys'),
    'end',
  ]);
  await using owner = new AsyncDisposableStack();
  const other = await emptyInstallation(owner);
  const restored = await bed.done([...RESTORE, name], settings({ MONGODB_URI: other.uri }));
  expect(restored).toMatchObject({ documents: { accounts: 2, account_keys: 2 } });
  expect(await readable(other.mongo)).toEqual(['acc_open']);

  const { name: third, removed } = await store({}, 1);
  expect(removed).toEqual([name, second]); // and not the keys
  const listed = await bed.done<Result[]>(['backup', '--list'], settings());
  expect(listed.map((backup) => backup.name)).toEqual([third]);
  expect((await bed.s3?.keys())?.filter((key) => key.startsWith(prefix)).toSorted()).toEqual(
    [third, OBJECT, 'backups/index.json'].map((key) => prefix + key).toSorted(),
  );
});

test('an installation that is replaced keeps its erased keys, also of after the last backup', async () => {
  await store();
  await close();
  await bed.done([...RESTORE, 'latest', '--replace'], settings());
  expect(await readable(bed.mongo)).toEqual(['acc_open']);
});

test('a backup of an empty installation with the same bucket destroys no key', async () => {
  const { name } = await store();
  await using owner = new AsyncDisposableStack();
  const { uri, mongo } = await emptyInstallation(owner);
  await store({ MONGODB_URI: uri });
  await bed.done([...RESTORE, name], settings({ MONGODB_URI: uri }));
  expect(await readable(mongo)).toEqual([...accounts]);
});

/** As when the record was lost, and its operator let the account have another key. */
async function makeAnotherKey(): Promise<void> {
  await bed.mongo.db.collection('account_keys').deleteOne({ _id: OPEN });
  await bed.mongo.db.collection('accounts').updateOne({ _id: OPEN }, UNMARKED);
  contents[1] = await sealed('acc_open');
}
const OPEN = 'acc_open' as never;
const UNMARKED = { $unset: { has_content_key: '' } };

test('a second key of an account never replaces the first, in the bucket and in a restore', async () => {
  const first = contents[1]!;
  await store();
  await makeAnotherKey();
  await store();
  await bed.done([...RESTORE, 'latest', '--replace'], settings());
  expect(await readable(bed.mongo)).toEqual([...accounts]);
  contents[1] = first;
  expect(await readable(bed.mongo)).toEqual([...accounts]);
});

test('a restore keeps keys that only the replaced database has: the streams may have content of them', async () => {
  const first = contents[1]!;
  await store();
  await makeAnotherKey();
  await bed.done([...RESTORE, 'latest', '--replace'], settings()); // a backup from before that key
  expect(await readable(bed.mongo)).toEqual([...accounts]);
  contents[1] = first;
  expect(await readable(bed.mongo)).toEqual([...accounts]);
});

test('a drill takes the keys, and leaves those of the installation as they are', async () => {
  await store();
  await close();
  const drill = await bed.done(['restore', '--drill', '--from-bucket', 'latest'], settings());
  expect(drill).toMatchObject({ documents: { accounts: 2, account_keys: 2 } });
  expect(await readable(bed.mongo)).toEqual(['acc_open']);
});

test('keys of another installation are not overwritten, and nothing is stored', async () => {
  await store();
  const former = await read(OBJECT);
  const keysInBucket = await bed.s3?.keys();
  const foreign = settings({ SECRET_KEYS: randomBytes(32).toString('base64') });
  for (const command of [
    ['backup', '--to-bucket', '--without-mail'],
    [...RESTORE, 'latest', '--replace'],
  ])
    expect(await bed.admin(command, foreign)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /another installation wrote it, set another prefix in BACKUP_BUCKET/,
      ),
    });
  expect(await read(OBJECT)).toEqual(former);
  expect(await bed.s3?.keys()).toEqual(keysInBucket);
  expect(await readable(bed.mongo)).toEqual([...accounts]);
});

test('a backup of an earlier release has its keys, until newer ones are in the bucket', async () => {
  const name = await storeAsBefore(new Date());
  await bed.mongo.db.collection('account_keys').deleteMany({});
  await bed.done([...RESTORE, name, '--replace'], settings());
  expect(await readable(bed.mongo)).toEqual([...accounts]);
  await close();
  await store();
  await using owner = new AsyncDisposableStack();
  const other = await emptyInstallation(owner);
  await bed.done([...RESTORE, name], settings({ MONGODB_URI: other.uri }));
  expect(await readable(other.mongo)).toEqual(['acc_open']);
});

test('a restore without the keys fails, unless it may: nothing else is lost with them', async () => {
  const { name } = await store();
  const [file, object] = [await read(name), await read(OBJECT)];
  await using files = await bed.files(prefix);
  await files.remove(OBJECT);
  await using owner = new AsyncDisposableStack();
  const { uri, mongo } = await emptyInstallation(owner);
  const env = settings({ MONGODB_URI: uri });
  const fromInput = (bytes: Buffer) =>
    runCommand(['admin', 'restore', '--without-mail'], {
      env: { ...bed.env, ...env },
      byteInput: () => Readable.from([bytes]),
    });
  const lacks = /lacks the keys of its accounts.*--from-bucket.*--accept-lost-keys/s;
  for (const [result, words] of [
    [await bed.admin([...RESTORE, name], env), lacks],
    [await bed.admin(['restore', '--drill', '--from-bucket', name], env), lacks],
    [await fromInput(file), lacks],
    [await fromInput(object), /this is no backup, only the keys/],
  ] as const)
    expect(result).toMatchObject({ code: 1, err: expect.stringMatching(words) });
  expect(await mongo.db.collection('accounts').countDocuments()).toBe(0);
  await bed.done([...RESTORE, name, '--accept-lost-keys'], env);
  expect(await mongo.db.collection('accounts').countDocuments()).toBe(2);
  expect(await readable(mongo)).toEqual([]);
  expect(await keysOf(mongo).ensure('acc_open')).toMatchObject({ kind: 'keys' }); // another one
});
