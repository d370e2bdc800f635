/**
 * Backups in a bucket with the S3 API: stored encrypted, listed, restored, tried by a drill, and removed when there are
 * newer ones or when their upload was cut off. Without PyPI, skipped with a reason.
 */
import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';

import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, test, type TestContext } from 'vitest';

import type { Mongo } from '../../services/adapters/mongo/database/connection.ts';
import { createMeter } from '../../services/adapters/process/meter.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { createSweeps } from '../../services/adapters/process/sweeps.ts';
import { createApiMetrics } from '../../services/api/process/metrics.ts';
import { startBackupStatus } from '../../services/api/jobs/backup-status.ts';
import { backupName, type BackupIndex } from '../../services/core/backup/backup-index.ts';
import type { S3Server } from '../support/s3-server.ts';
import { until } from '../support/until.ts';
import { type BucketBed, piecesOf, startBucketBed } from './bucket-bed.ts';

const DAY_MS = 86_400_000;

let bed: BucketBed;
let mongo: Mongo;
beforeAll(async () => {
  bed = await startBucketBed();
  ({ mongo } = bed);
});
afterAll(() => bed[Symbol.asyncDispose]());
beforeEach(async () => {
  const accounts = mongo.db.collection<{ _id: string; name: string }>('accounts');
  await accounts.deleteMany({});
  await accounts.insertOne({ _id: 'acc_1', name: 'a name that nobody may read' });
});

const server = (context: TestContext): S3Server => bed.s3 ?? context.skip();
const admin: BucketBed['admin'] = (...given) => bed.admin(...given);

type Result = { name: string; removed: string[]; contents: BackupIndex['backups'][0]['contents'] };
const done = (...args: string[]) => bed.done<Result>(args);
const store = (...args: string[]) => done('backup', '--to-bucket', '--without-mail', ...args);
const names = async () =>
  (JSON.parse((await admin(['backup', '--list'])).out) as Result[]).map(({ name }) => name);

test('a backup in the bucket is encrypted, restored by its name, and refused without its key', async (context) => {
  const bucket = server(context);
  const { name, contents } = await store();
  expect(contents).toEqual({ documents: { accounts: 1 }, messages: {} });
  const file = (await bucket.read(`inlet/${name}`)) ?? Buffer.alloc(0);
  expect(file.subarray(0, 24).toString()).toBe('inlet-backup-aes256ctr-1');
  expect(() => gunzipSync(file)).toThrow(/incorrect header/);
  await mongo.db.collection('accounts').drop();

  const other = { SECRET_KEYS: randomBytes(32).toString('base64') };
  const restore = ['restore', '--without-mail', '--from-bucket', name];
  expect(await admin(restore, other)).toMatchObject({
    code: 1,
    err: expect.stringContaining('was not signed with any of SECRET_KEYS'),
  });
  const added = { SECRET_KEYS: `${other.SECRET_KEYS},${bed.secretKeys}` };
  expect(await admin(restore, added)).toMatchObject({ code: 0 });
  expect(await mongo.db.collection('accounts').countDocuments()).toBe(1);
});

test('--keep removes older backups and the files of interrupted uploads', async (context) => {
  const bucket = server(context);
  const begun = new Date(Date.now() - 2 * DAY_MS);
  const cutOff = backupName(begun);
  await using files = await bed.files();
  const index = await files.readIndex();
  await files.write(cutOff, piecesOf('a half'));
  await files.writeIndex({
    ...index,
    backups: [
      {
        name: cutOff,
        created_at: begun.toISOString(),
        state: 'storing',
        size_bytes: 0,
        sha256: '',
        duration_seconds: 0,
        contents: { documents: {}, messages: {} },
        restored_at: null,
      },
      ...index.backups,
    ],
  });
  const first = await store('--keep', '2');
  expect(first.removed).toContain(cutOff);
  const second = await store('--keep', '2');
  const third = await store('--keep', '2');
  expect(third.removed).toEqual([first.name]);
  expect(await names()).toEqual([second.name, third.name]);
  expect((await bucket.keys()).toSorted()).toEqual(
    [second.name, third.name, 'backups/index.json'].map((name) => `inlet/${name}`).toSorted(),
  );
});

test('a drill restores and counts the newest one, leaves nothing, and finds damage', async (context) => {
  server(context);
  const { name } = await store();
  await mongo.db.collection('accounts').deleteMany({});
  expect(await done('restore', '--drill', '--from-bucket', 'latest')).toMatchObject({ name });
  const collections = await mongo.db.listCollections({}, { nameOnly: true }).toArray();
  expect(collections.filter((one) => /drill|restor/.test(one.name))).toEqual([]);
  expect(await mongo.db.collection('accounts').countDocuments()).toBe(0);
  await using files = await bed.files();
  const drilled = (await files.readIndex()).backups.at(-1);
  expect(drilled).toMatchObject({ name, restored_at: expect.any(String) });

  const bytes = await Array.fromAsync(files.read(name));
  const damaged = Buffer.concat(bytes);
  damaged[damaged.length - 40] = (damaged[damaged.length - 40] ?? 0) ^ 1;
  await files.write(name, piecesOf(damaged));
  expect(await admin(['restore', '--drill', '--from-bucket', 'latest'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/damaged|changed/),
  });
});

/** What anyone can do who may put objects into the bucket, and nothing else. */
test('D313: a list that Inlet has not signed decides about no object', async (context) => {
  const bucket = server(context);
  const older = await store();
  const newest = await store();
  await using files = await bed.files();
  const put = (name: string, content: string | Buffer) => files.write(name, piecesOf(content));
  const [index, old] = await Promise.all(
    ['backups/index.json', older.name].map(
      async (name) => (await bucket.read(`inlet/${name}`)) ?? Buffer.alloc(0),
    ),
  );
  if (!index || !old) throw new Error('both are stored');

  await put(newest.name, old);
  for (const way of [['--drill'], ['--without-mail', '--replace']])
    expect(await admin(['restore', ...way, '--from-bucket', 'latest'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('SHA-256'),
    });

  const list = JSON.parse(index.toString()) as BackupIndex & { hmac: string };
  const precious = { ...list.backups[0], name: 'records/precious' };
  await put('records/precious', 'archive');
  await put('backups/index.json', JSON.stringify({ ...list, backups: [precious] }));
  expect(await admin(['backup', '--to-bucket', '--without-mail', '--keep', '1'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('somebody else may have changed it'),
  });
  const { hmac: _, ...unsigned } = list;
  await put('backups/index.json', JSON.stringify({ ...unsigned, backups: [precious] }));
  expect((await admin(['backup', '--list'])).code).toBe(1); // not even its form is right
  await put('backups/index.json', JSON.stringify(unsigned));
  expect(await admin(['backup', '--list'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not signed'),
  });
  const next = await store('--keep', '1'); // after an upgrade from 0.1.0
  expect(next.removed).toEqual([]);
  expect(await names()).toEqual([next.name]);
  expect(await bucket.keys()).toContain('inlet/records/precious');
});

test('the API reports the newest backup and the last drill', async (context) => {
  server(context);
  await store();
  await done('restore', '--drill', '--from-bucket', 'latest');
  const files = await bed.files();
  const registry = new Registry();
  const meter = createMeter(registry);
  const startSweep = createSweeps(meter, () => new Date(), createLog('silent'));
  const metrics = createApiMetrics(meter);
  await using _status = startBackupStatus({ files, metrics, startSweep }, 26 * 3_600_000);
  const value = async (name: string) =>
    (await registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;
  await until('the list is read', async () => (await value('inlet_backup_size_bytes')) > 0);
  expect(await value('inlet_backup_max_age_seconds')).toBe(93_600);
  for (const name of ['last_success', 'last_drill'])
    expect(
      Math.abs((await value(`inlet_backup_${name}_timestamp_seconds`)) - Date.now() / 1_000),
    ).toBeLessThan(600);
});

test('an unreachable bucket and a missing backup are said', async (context) => {
  const bucket = server(context);
  expect(await admin(['restore', '--drill', '--from-bucket', 'none'])).toMatchObject({
    code: 4,
    err: expect.stringContaining('There is no such backup in the bucket: none'),
  });
  bucket.fail();
  const { code, err } = await admin(['backup', '--list']);
  expect([code, err]).toEqual([1, expect.stringContaining('the bucket: ')]);
  const words = err.trim().split(': ');
  expect(words).toEqual([...new Set(words)]); // nothing is said twice
  bucket.heal();
  expect(await admin(['backup', '--list'], { BACKUP_BUCKET: '' })).toMatchObject({ code: 2 });
});
