/** Streams, the JetStream account and NATS nodes at their limits, and backups. */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { INDEX_NAME } from '../../../services/core/archive/backup-index.ts';
import { openBackups } from '../../../services/platform/settings/archive.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import { startNatsCluster } from '../../support/nats-cluster.ts';
import { startS3Server } from '../../support/s3-server.ts';
import { testDir } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { NATS_ACCOUNTS, startBed } from './bed.ts';
import { type Monitoring, startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';
import { runAsWritten } from './runbook-commands.ts';

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
const parts = new AsyncDisposableStack();
let monitoring: Monitoring;

beforeAll(async () => {
  monitoring = parts.use(await startMonitoring('storage'));
});
afterAll(() => parts.disposeAsync());

test('a stream with a limit', async () => {
  await using bed = await startBed({
    monitoring,
    namespace: 'full-stream',
    settings: { STREAM_MAX_BYTES: String(4 * MIB), REPLAY_RETENTION: '2m' },
    run: { gateway: {}, dispatcher: {} },
  });
  const { address } = await bed.address('/well');
  const dispatcher = bed.service('dispatcher').pid();
  let load = bed.load(10, address);
  await load[Symbol.asyncDispose]();
  await provoked(bed, {
    alerts: ['InletStreamNearlyFull', 'InletQueueFull'],
    how: 'emails arrived at a stream of 4 MiB while the only dispatcher was stopped, which then continued',
    provoke: async () => {
      process.kill(dispatcher, 'SIGSTOP');
      await until(
        'a full stream',
        async () => !(await bed.send(address, { attachmentBytes: 200_000 })),
      );
      load = bed.load(2, address);
    },
    mend: async () => {
      await load[Symbol.asyncDispose]();
      process.kill(dispatcher, 'SIGCONT');
    },
    finds: { 'stream.not_writing': 'a limit is reached, not the disk', kubelet: 'no kubelet' },
  });
  await provoked(bed, {
    alerts: ['InletReplayWindowShort'],
    how: 'more emails were delivered than a stream of 4 MiB holds for REPLAY_RETENTION, and then none',
    provoke: async () => {
      for (let i = 0; i < 60; i++) await bed.send(address, { attachmentBytes: 200_000 });
    },
    mend: () => undefined,
  });
});

test('an account with a limit', async () => {
  await using bed = await startBed({
    monitoring,
    namespace: 'full-account',
    nats: {
      server: {
        ...NATS_ACCOUNTS,
        accounts: NATS_ACCOUNTS.accounts.replace(
          'jetstream: enabled',
          'jetstream: { max_file: 8MB }',
        ),
      },
    },
    settings: { REPLAY_RETENTION: '1m' },
    run: { gateway: {}, dispatcher: {} },
  });
  const { address } = await bed.address('/well');
  const dispatcher = bed.service('dispatcher').pid();
  await provoked(bed, {
    alerts: ['InletJetStreamStorageNearlyFull'],
    how: 'emails arrived at an account of 8 MB while the only dispatcher was stopped, which then continued',
    provoke: async () => {
      process.kill(dispatcher, 'SIGSTOP');
      await until(
        'a full account',
        async () => !(await bed.send(address, { attachmentBytes: 200_000 })),
      );
    },
    mend: () => process.kill(dispatcher, 'SIGCONT'),
  });
});

test('a NATS node that is away', async () => {
  const dir = parts.use(await testDir());
  await using cluster = await startNatsCluster({
    binary: inject('natsServerBinary'),
    dir: dir.path,
  });
  await using bed = await startBed({
    monitoring,
    namespace: 'cluster',
    natsUrl: cluster.url,
    settings: { STREAM_REPLICAS: '3' },
    run: { gateway: {}, dispatcher: {} },
  });
  const { address } = await bed.address('/well');
  await using _load = bed.load(2, address);
  await provoked(bed, {
    alerts: ['InletStreamCopiesBehind'],
    how: 'one of three NATS nodes was killed, and started again',
    provoke: () => cluster.nodes[2]?.kill(),
    mend: () => cluster.nodes[2]?.start(),
    finds: { nats_system: 'this cluster has one account' },
  });
});

test('backups', async (context) => {
  const dir = parts.use(await testDir());
  const { caFile } = await ensureTls(dir.path);
  const s3 = await startS3Server(caFile);
  if (s3 === undefined) {
    context.skip('there is no S3 server');
    return;
  }
  parts.use(s3);
  const settings = {
    ARCHIVE_ENDPOINT: s3.endpoint,
    ARCHIVE_BUCKET: s3.bucket,
    ARCHIVE_PREFIX: 'inlet/',
    ARCHIVE_ACCESS_KEY_ID: s3.credentials.access_key_id,
    ARCHIVE_SECRET_ACCESS_KEY: s3.credentials.secret_access_key,
    ARCHIVE_CA_FILE: caFile,
    BACKUP_MAX_AGE: '26h',
  };
  await using bed = await startBed({ monitoring, namespace: 'backups', run: { api: settings } });
  await using files = await openBackups({
    ...settings,
    ARCHIVE_REGION: 'auto',
    ARCHIVE_ADDRESSING: 'path',
  });
  const restartApi = async () => {
    await bed.service('api').stop(); // reads the list when it starts, otherwise every five minutes
    await bed.service('api').start();
  };
  await provoked(bed, {
    alerts: ['InletBackupOld', 'InletBackupDrillOld'],
    how: 'the list in the bucket had a drill of 50 days ago and no backup; `inlet admin backup` and a drill ended it',
    provoke: async () => {
      await files?.writeIndex({
        backups: [],
        drilled_at: new Date(Date.now() - 50 * DAY_MS).toISOString(),
      });
      expect(await s3.read(`inlet/${INDEX_NAME}`)).toBeDefined();
      await restartApi();
    },
    mend: async () => {
      for (const command of [
        'backup --to-bucket --without-mail',
        'restore --drill --from-bucket latest',
      ])
        expect(
          await runAsWritten(
            bed,
            `kubectl -n inlet exec deploy/inlet-api -- inlet admin ${command}`,
          ),
        ).toMatchObject({ result: 'data' });
      await restartApi();
    },
    finds: {
      'component=backup': 'no CronJob',
      backup_status: 'the list can be read',
      '--list': 'no backup',
    },
  });
});
