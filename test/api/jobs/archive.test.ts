/** M.4: old records leave MongoDB for files in the operator's bucket (D83). */
import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';

import { type ArchiveFiles } from '../../../services/adapters/bucket/archive-files.ts';
import {
  connectMongo,
  ensureIndexes,
  type Mongo,
} from '../../../services/adapters/mongo/database/connection.ts';
import { DELIVERIES } from '../../../services/adapters/mongo/documents/delivery-documents.ts';
import { createStores, INDEXES } from '../../../services/adapters/mongo/stores.ts';
import { recountUsage } from '../../../services/adapters/mongo/usage/recount.ts';
import { ConfigError, readConfig } from '../../../services/adapters/process/config.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { createMeter } from '../../../services/adapters/process/meter.ts';
import type { Elsewhere, StartSweep } from '../../../services/adapters/process/sweeps.ts';
import { ApiConfig } from '../../../services/api/process/config.ts';
import { startArchiveSweep } from '../../../services/api/jobs/archive-sweep.ts';
import { createApiMetrics } from '../../../services/api/process/metrics.ts';
import type { ArchivePart } from '../../../services/core/archive/archive.ts';
import type { ArchivedRecord } from '../../../services/core/archive/archived-record.ts';
import { mergedById } from '../../../services/core/archive/merge.ts';
import type { DeliveryStatus } from '../../../services/core/delivery/delivery.ts';
import { openArchive } from '../../../services/platform/settings/archive.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import { runCommand } from '../../support/inlet-command.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { newAddress } from '../../support/new-address.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';
import { startTestApi } from '../../support/start-api.ts';
import { until } from '../../support/until.ts';
import { testDir, testMongo } from '../../support/servers.ts';

const DAY_MS = 86_400_000;
/** March is over for more than 90 days and one. */
const NOW = new Date('2026-07-15T00:00:00Z');
const RETENTION_MS = 90 * DAY_MS;
const address = newAddress('https://receiver.example/');
const silent = createLog('silent');

const parts = new AsyncDisposableStack();
let mongo: Mongo;
let s3: S3Server | undefined;
let caFile: string;
beforeAll(async () => {
  const dir = parts.use(await testDir());
  ({ caFile } = await ensureTls(dir.path));
  s3 = await startS3Server(caFile);
  if (s3) parts.use(s3);
  mongo = parts.use(await connectMongo(parts.use(await testMongo()).uri, silent));
  await ensureIndexes(mongo.db, Object.values(INDEXES));
});
afterAll(() => parts.disposeAsync());
beforeEach(async () => {
  for (const { name } of await mongo.db.listCollections().toArray())
    await mongo.db.collection(name).deleteMany({});
});

const settingsFor = ({ endpoint, bucket, credentials }: S3Server) => ({
  ARCHIVE_ENDPOINT: endpoint,
  ARCHIVE_BUCKET: bucket,
  ARCHIVE_ACCESS_KEY_ID: credentials.access_key_id,
  ARCHIVE_SECRET_ACCESS_KEY: credentials.secret_access_key,
  ARCHIVE_CA_FILE: caFile,
});

const apiSettings = (env: Record<string, string>) =>
  readConfig(ApiConfig, {
    INBOUND_DOMAIN: 'in.example',
    SECRET_KEYS: Buffer.alloc(32).toString('base64'),
    ...env,
  });

async function filesOf(server: S3Server): Promise<ArchiveFiles> {
  const files = await openArchive(apiSettings(settingsFor(server)));
  if (files === undefined) throw new Error('no archive');
  return files;
}

const stores = () => createStores(mongo.db);

type Crash = 'stored' | 'verified' | 'setArchivedBefore' | 'archived' | 'remove';

const die = (): never => {
  throw new Error('died');
};

async function* anotherRecord() {
  yield { id: 'evt_x', account_id: 'x', environment: 'live', address_id: null };
}

/** One round of the sweep, as a process of its own that dies before this step, if there is one. */
async function round(
  server: S3Server,
  { before, now = NOW }: { before?: Crash; now?: Date } = {},
): Promise<void | Elsewhere> {
  const { archiveParts, archivableRecords } = stores();
  const dying = { ...archiveParts, ...(before && before !== 'remove' && { [before]: die }) };
  let removals = 0;
  const { deliveries } = archivableRecords;
  // dies between two batches of a deletion
  const remove: typeof deliveries.remove = async (ids, since) => {
    if (removals++ === 0) await deliveries.remove(ids.slice(0, 3), since);
    die();
  };
  const records =
    before === 'remove'
      ? { ...archivableRecords, deliveries: { ...deliveries, remove } }
      : archivableRecords;
  let result: Promise<void | Elsewhere> | undefined;
  const startSweep: StartSweep = (_name, _everyMs, run) => {
    result = run(now, () => now);
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  };
  const sweep = {
    archiveParts: dying,
    archivableRecords: records,
    files: await filesOf(server),
    metrics: createApiMetrics(createMeter(new Registry())),
    startSweep,
  };
  const retention = { deliveries: RETENTION_MS, events: RETENTION_MS };
  const job = startArchiveSweep(sweep, { prefix: 'inlet/', retention, partRecords: 10 }, silent);
  try {
    return await result;
  } catch (error) {
    if (before === undefined || (error as Error).message !== 'died') throw error;
  } finally {
    await job[Symbol.asyncDispose]();
  }
}

/** Records of one month, a minute apart. */
async function record(month: string, count: number, status: DeliveryStatus = 'delivered') {
  const start = Date.parse(`${month}-10T08:00:00Z`);
  const events = Array.from({ length: count }, (_, n) =>
    mailEvent(address, new Date(start + n * 60_000)),
  );
  await stores().deliveries.record(
    events.map((event) => changeTo(status, event)),
    new Date(start + DAY_MS),
  );
  return events.map(({ event_id }) => event_id);
}

const kept = async () =>
  (await mongo.db.collection<{ _id: string }>(DELIVERIES).find().toArray())
    .map(({ _id }) => _id)
    .toSorted();
const listed = (kind: ArchivePart['kind'] = 'deliveries') =>
  Array.fromAsync(stores().archiveParts.list(kind));

/** As `inlet admin archive read`, but everything. */
async function archived(server: S3Server, kind: ArchivePart['kind'] = 'deliveries') {
  await using files = await filesOf(server);
  async function* opened() {
    for (const part of await listed(kind))
      yield { ...part, open: () => files.read(part.key, part.sha256) };
  }
  return await Array.fromAsync(mergedById<ArchivedRecord>(opened(), () => false));
}
const idsIn = async (server: S3Server) => (await archived(server)).map(({ id }) => id);

test('M.4: months that are old enough leave in parts; others and what has not ended stay', async (context) => {
  const server = s3 ?? context.skip();
  const [march, april, waiting] = [
    await record('2026-03', 25),
    await record('2026-04', 3),
    await record('2026-03', 1, 'retrying'),
  ];
  await round(server);
  expect(await kept()).toEqual([...april, ...waiting].toSorted());
  expect(await idsIn(server)).toEqual(march);
  expect((await listed()).map(({ month, records, state }) => [month, records, state])).toEqual([
    ['2026-03', 10, 'archived'],
    ['2026-03', 10, 'archived'],
    ['2026-03', 5, 'archived'],
  ]);
  expect(await stores().archiveParts.archivedBefore()).toEqual(new Date('2026-04-01T00:00:00Z'));
  const [file] = await listed();
  const lines = gunzipSync((await server.read(file?.key ?? '')) ?? '')
    .toString()
    .split('\n');
  expect(file?.key).toMatch(/^inlet\/deliveries\/2026-03\/part_\w{26}\.ndjson\.gz$/);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    id: march[0],
    account_id: address.account_id,
    environment: 'live',
    address_id: address.id,
    receiver_id: address.id,
    status: 'delivered',
    size_bytes: 99,
    has_attachments: false,
    verdict: null,
    tags: [],
    received_at: '2026-03-10T08:00:00Z',
    updated_at: '2026-03-11T08:00:00Z',
    released_at: null,
    canceled_at: null,
    content_erased_at: null,
    ended_as: null,
    attempt_count: 1,
    attempts: [
      {
        time: '2026-03-10T08:00:00Z',
        outcome: 'accepted',
        status_code: 200,
        latency_ms: 5,
        error: null,
      },
    ],
    storage: null,
  });
  // what an erasure would remove is not there
  expect(lines.join('\n')).not.toMatch(/ann@|"hi"/);
});

test.for(['stored', 'verified', 'setArchivedBefore', 'remove', 'archived'] as const)(
  'M.4: a process dies before the step "%s": no record is lost, and none is read twice',
  async (before, context) => {
    const server = s3 ?? context.skip();
    const all = await record('2026-03', 25);
    const files = (await server.keys()).length;
    await round(server, { before });
    const inBoth = new Set([...(await idsIn(server)), ...(await kept())]);
    expect([...inBoth].toSorted()).toEqual(all);
    await round(server);
    expect([await kept(), await idsIn(server)]).toEqual([[], all]);
    expect((await server.keys()).length - files).toBe(3);
  },
);

test('M.4: while the bucket is away nothing is deleted, and a damaged file is stored again', async (context) => {
  const server = s3 ?? context.skip();
  const all = await record('2026-03', 5);
  server.fail();
  await expect(round(server)).rejects.toThrow('PUT: ');
  server.heal();
  expect(await kept()).toEqual(all);
  await round(server, { before: 'verified' });
  const [open] = await stores().archiveParts.open();
  await using files = await filesOf(server);
  await files.write(open?.key ?? '', anotherRecord());
  await expect(round(server)).rejects.toThrow('is not the file that was stored');
  expect(await kept()).toEqual(all);
  await round(server);
  expect([await kept(), await idsIn(server)]).toEqual([[], all]);
});

test('M.4: a lost file stops the archive until an operator gives it up, as the runbook shows', async (context) => {
  const server = s3 ?? context.skip();
  const all = await record('2026-03', 5);
  await round(server, { before: 'remove' }); // three are deleted
  const [lost] = await stores().archiveParts.open();
  await using files = await filesOf(server);
  await files.remove(lost?.key ?? '');
  await expect(round(server)).rejects.toThrow(`${lost?.key}: GET: it responded with 404`);
  expect(await kept()).toEqual(all.slice(3));
  const directory = mongo.db.collection<{ _id: string; state: string }>('archive_parts');
  await directory.deleteOne({ _id: lost?.id ?? '', state: 'verified' });
  await round(server);
  expect([await kept(), await idsIn(server)]).toEqual([[], all.slice(3)]);
});

test('M.4: one process archives at a time, and another one takes over after five minutes', async () => {
  const { archiveParts } = stores();
  const later = (ms: number) => new Date(NOW.getTime() + ms);
  expect(await archiveParts.claim('one', NOW)).toBe(true);
  expect(await archiveParts.claim('two', later(299_000))).toBe(false);
  expect(await archiveParts.claim('one', later(299_000))).toBe(true);
  expect(await archiveParts.claim('two', later(301_000))).toBe(false);
  expect(await archiveParts.claim('two', later(600_000))).toBe(true);
  await archiveParts.release('two');
  expect(await archiveParts.claim('one', later(600_001))).toBe(true);
});

test('M.4: a process that finds another one at work reports no success', async (context) => {
  const server = s3 ?? context.skip();
  await stores().archiveParts.claim('another process', new Date());
  expect(await round(server)).toBe('elsewhere');
  await stores().archiveParts.release('another process');
  expect(await round(server)).toBeUndefined();
});

test('M.4: an API without an archive leaves the audit trail to that of another region', async () => {
  const uri = Object.assign(new URL(inject('mongoUri')), { pathname: `/${mongo.db.databaseName}` });
  await stores().archiveParts.claim('another region', new Date());
  const timestamp = new Date(Date.now() - 200 * DAY_MS);
  const of = { account_id: address.account_id, environment: 'live' as const, timestamp };
  await stores().events.add([
    { ...of, address_id: address.id, type: 'webhook.delivered', data: { event_id: 'evt_1' } },
    { ...of, address_id: null, type: 'token.created', data: { token_id: 'token_1' } },
  ]);
  const old = () => mongo.db.collection('events').distinct('type', { timestamp });
  await using _api = await startTestApi({ mongoUri: uri.href });
  await until(
    'the event of an email to go',
    async () => !(await old()).includes('webhook.delivered'),
  );
  expect(await old()).toEqual(['token.created']);
  expect(await stores().archiveParts.isInUse(new Date(Date.now() + 8 * DAY_MS))).toBe(false);
});

test('M.4: a record that changes after it was stored stays, and is read once in its last version', async (context) => {
  const server = s3 ?? context.skip();
  const all = await record('2026-03', 3);
  await round(server, { before: 'verified' });
  const [, erased = ''] = all;
  const erasedAt = new Date('2026-07-14T00:00:00Z');
  await stores().deliveries.markErased({ ...address, address_ids: null }, erased, erasedAt);
  await round(server);
  expect(await kept()).toEqual([erased]);
  // the janitor removes the content first, and a month passes
  await stores().deliveries.contentsRemoved([erased]);
  await round(server, { now: new Date('2026-12-01T00:00:00Z') });
  expect(await kept()).toEqual([]);
  expect((await idsIn(server)).toSorted()).toEqual(all.toSorted());
});

test('M.4: counters stay, also when usage is recounted', async (context) => {
  const server = s3 ?? context.skip();
  await record('2026-03', 5);
  await record('2026-04', 2);
  const usage = () => mongo.db.collection('usage_daily').find().sort({ _id: 1 }).toArray();
  const counted = await usage();
  await round(server);
  expect(await Array.fromAsync(recountUsage(mongo.db))).toEqual([]);
  expect(await usage()).toEqual(counted);
});

test('M.4: changes of the audit trail are archived without people, events of emails are not', async (context) => {
  const server = s3 ?? context.skip();
  const at = new Date('2026-03-10T00:00:00Z');
  const base = {
    account_id: address.account_id,
    environment: 'live' as const,
    address_id: null,
    timestamp: at,
  };
  await stores().events.add([
    { ...base, type: 'webhook.delivered', data: { event_id: 'evt_1' } },
    {
      ...base,
      type: 'token.created',
      user: 'Ann',
      source_ip: '192.0.2.1',
      member_id: 'member_1',
      data: { token_id: 'token_1', name: 'Ann' },
    },
  ]);
  await mongo.db.collection('events').updateMany({}, { $unset: { to_notify: '' } });
  await round(server);
  const [line, ...others] = await archived(server, 'events');
  expect(others).toEqual([]);
  expect(line).toMatchObject({
    type: 'token.created',
    actor: 'member',
    member_id: 'member_1',
    data: { token_id: 'token_1' },
  });
  expect(JSON.stringify(line)).not.toMatch(/Ann|192\.0/);
  expect(await mongo.db.collection('events').distinct('type')).toEqual(['webhook.delivered']);
});

test('M.4: the API archives and says so, and `inlet admin archive` reads the files', async (context) => {
  const server = s3 ?? context.skip();
  const uri = Object.assign(new URL(inject('mongoUri')), {
    pathname: `/${mongo.db.databaseName}`,
  }).href;
  const months = { old: await record('2025-03', 3), next: await record('2025-04', 1) };
  const { id: other } = newAddress('https://receiver.example/');
  const foreign = mailEvent(
    { ...address, account_id: 'acc_other', id: other },
    new Date('2025-03-01T00:00:00Z'),
  );
  await stores().deliveries.record([changeTo('failed', foreign)], new Date('2025-03-01T00:00:00Z'));
  await using api = await startTestApi({
    env: { ...settingsFor(server), RECORDS_RETENTION: '100d' },
    mongoUri: uri,
  });
  await until('the records to leave', async () => (await kept()).length === 0 || undefined);
  const [id = ''] = months.old;
  // a record of this account that is not old, so that a page has something
  const fresh = Array.from({ length: 2 }, () =>
    mailEvent({ ...address, account_id: api.account.id }, new Date()),
  );
  await stores().deliveries.record(
    fresh.map((event) => changeTo('delivered', event)),
    new Date(),
  );
  const ask = async (path: string) => (await api.ask('GET', `/v1/deliveries${path}`)).body;
  const archived_before = '2025-05-01T00:00:00Z';
  expect(await ask('')).toMatchObject({ archived_before, pagination: { total: 2 } });
  expect(await ask('?limit=1')).not.toHaveProperty('archived_before');
  expect(await ask('?start_date=2025-06-01T00:00:00Z')).not.toHaveProperty('archived_before');
  expect(await ask('?subject=hi')).toMatchObject({ archived_before });
  const message =
    `There is no such delivery. Records of emails from before ${archived_before} are archived; ` +
    'ask the operator of this installation for them';
  for (const path of [`/${id}`, `/${id}/receivers`, `/${id}/payload`])
    expect(await ask(path)).toMatchObject({ error: 'not_found', message });
  const { event_id: unknown } = mailEvent(address, new Date());
  expect(await ask(`/${unknown}`)).toMatchObject({
    message: 'There is no such delivery',
  });

  const admin = async (...args: string[]) => {
    const output = new PassThrough();
    const [{ code, out, err }, text] = await Promise.all([
      runCommand(['admin', 'archive', ...args], {
        env: { MONGODB_URI: uri, ...settingsFor(server) },
        byteOutput: () => output,
      }).finally(() => output.end()),
      textOf(output),
    ]);
    const ids = text
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { id: string }).id);
    return { code, out, err, ids };
  };
  const list = await admin('list', '--month', '2025-03');
  expect(JSON.parse(list.out)).toMatchObject([{ month: '2025-03', records: 4 }]);
  expect((await admin('read')).ids).toEqual([foreign.event_id, ...months.old, ...months.next]);
  expect((await admin('read', '--month', '2025-04')).ids).toEqual(months.next);
  expect((await admin('read', '--account', 'acc_other')).ids).toEqual([foreign.event_id]);
  expect((await admin('read', '--address', address.id, '--month', '2025-03')).ids).toEqual(
    months.old,
  );
  expect((await admin('read', '--id', id)).ids).toEqual([id]);
  expect(await admin('read', '--kind', 'events')).toMatchObject({ code: 0, ids: [] });
  const { event_id: missing } = mailEvent(address, new Date('2025-03-10T08:00:00Z'));
  expect(await admin('read', '--id', missing)).toMatchObject({ code: 4 });
  expect(await admin('read', '--month', 'March')).toMatchObject({ code: 2 });
  server.fail();
  expect(await admin('read')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/the bucket: \S+\.ndjson\.gz: GET: /) as string,
  });
  server.heal();
  const unset = await runCommand(['admin', 'archive', 'read'], { env: { MONGODB_URI: uri } });
  expect(unset).toMatchObject({
    code: 2,
    err: expect.stringContaining('set ARCHIVE_ENDPOINT') as string,
  });
});

const complaint = (env: Record<string, string>): string => {
  try {
    apiSettings(env);
    return 'none';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

test('M.4: the API does not start with a retention and no bucket, a part of a bucket, or too short a retention', () => {
  const whole = {
    ARCHIVE_ENDPOINT: 'http://minio:9000',
    ARCHIVE_BUCKET: 'inlet',
    ARCHIVE_ACCESS_KEY_ID: 'a',
    ARCHIVE_SECRET_ACCESS_KEY: 'b',
  };
  expect(complaint({ ...whole, RECORDS_RETENTION: '400d' })).toBe('none');
  expect(complaint({ RECORDS_RETENTION: '400d' })).toContain('RECORDS_RETENTION: needs a bucket');
  expect(complaint({ ...whole, ARCHIVE_ENDPOINT: 'http://minio:9000/s3' })).toContain(
    'ARCHIVE_ENDPOINT: must be an origin, without a path',
  );
  expect(complaint({ ARCHIVE_BUCKET: 'inlet' })).toContain(
    'ARCHIVE_ENDPOINT: must be set together',
  );
  for (const longer of [
    'EVENTS_RETENTION',
    'REPLAY_RETENTION',
    'FAILED_RETENTION',
    'LINK_LIFETIME',
  ])
    expect(complaint({ ...whole, RECORDS_RETENTION: '400d', [longer]: '401d' })).toContain(
      'RECORDS_RETENTION: must be no shorter than EVENTS_RETENTION',
    );
  expect(complaint({ ...whole, RECORDS_RETENTION: '7d' })).toContain('must be at least 31d');
});
