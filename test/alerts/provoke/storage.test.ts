/** Streams, the JetStream account and NATS nodes at their limits, and backups. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { EMPTY_INDEX } from '../../../services/core/backup/backup-index.ts';
import { openBackups } from '../../../services/platform/settings/backups.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import { startNatsCluster } from '../../support/nats-cluster.ts';
import { backupSettings, startS3Server } from '../../support/s3-server.ts';
import { testDir } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { startBed } from './bed.ts';
import { type Monitoring, startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';
import { repeatedly } from './pulses.ts';
import { runAsWritten } from './runbook-commands.ts';

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
const parts = new AsyncDisposableStack();
let monitoring: Monitoring;

beforeAll(async () => {
  monitoring = parts.use(await startMonitoring('storage'));
});
afterAll(() => parts.disposeAsync());

/** Reports the bytes of a folder as a kubelet reports those of a volume. */
async function startKubelet(folder: string, capacity: () => number) {
  const used = async () => {
    const { stdout } = await promisify(execFile)('du', ['-sb', folder]);
    return Number(stdout.split('\t')[0]);
  };
  const labels = '{persistentvolumeclaim="data-inlet-nats-0"}';
  const server = createServer((_, response) => {
    void used().then((bytes) =>
      response
        .setHeader('content-type', 'text/plain; version=0.0.4')
        .end(
          `kubelet_volume_stats_used_bytes${labels} ${bytes}\n` +
            `kubelet_volume_stats_capacity_bytes${labels} ${capacity()}\n`,
        ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

test('a stream with a limit', async () => {
  await using bed = await startBed({
    monitoring,
    namespace: 'full-stream',
    settings: { STREAM_MAX_BYTES: String(4 * MIB), REPLAY_RETENTION: '2m' },
    run: { gateway: {}, dispatcher: {} },
  });
  const { address } = await bed.address('/well');
  const dispatcher = bed.service('dispatcher').pid();
  const sendLarge = () => bed.send(address, { attachmentBytes: 200_000 });
  let sending: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletStreamNearlyFull', 'InletQueueFull'],
    provoke: async () => {
      process.kill(dispatcher, 'SIGSTOP');
      await until('a full stream', async () => !(await sendLarge()));
      sending = repeatedly(500, sendLarge);
    },
    mend: async () => {
      await sending[Symbol.asyncDispose]();
      process.kill(dispatcher, 'SIGCONT');
    },
  });
  await provoked(bed, {
    alerts: ['InletReplayWindowShort'],
    provoke: async () => {
      for (let i = 0; i < 60; i++) await sendLarge();
    },
    mend: () => undefined,
  });
});

test('an account with a limit', async () => {
  await using bed = await startBed({
    monitoring,
    namespace: 'full-account',
    natsMaxFile: '8MB',
    settings: { STREAM_MAX_BYTES: '', REPLAY_RETENTION: '1m' },
    run: { gateway: {}, dispatcher: {} },
  });
  const { address } = await bed.address('/well');
  const dispatcher = bed.service('dispatcher').pid();
  await provoked(bed, {
    alerts: ['InletJetStreamStorageNearlyFull'],
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

test('a volume that fills', async () => {
  await using bed = await startBed({
    monitoring,
    namespace: 'full-volume',
    run: { gateway: {}, dispatcher: {} },
  });
  let capacity = 10 * MIB;
  await using kubelet = await startKubelet(dirname(bed.nats.logFile), () => capacity);
  const { host } = kubelet;
  const stop = monitoring.scrape({ host, job: 'kubelet', namespace: bed.namespace, pod: 'node-0' });
  const { address } = await bed.address('/well');
  await provoked(bed, {
    alerts: ['InletNatsVolumeFilling'],
    provoke: async () => {
      for (let i = 0; i < 30; i++) await bed.send(address, { attachmentBytes: 200_000 });
    },
    mend: () => {
      capacity = 100 * MIB;
    },
  });
  stop();
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
    provoke: () => cluster.nodes[2]?.kill(),
    mend: () => cluster.nodes[2]?.start(),
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
  const bucket = backupSettings(s3, caFile);
  const settings = { ...bucket, BACKUP_MAX_AGE: '1m' };
  await using bed = await startBed({ monitoring, namespace: 'backups', run: { api: settings } });
  await using files = await openBackups({
    ...bucket,
    BACKUP_REGION: 'auto',
    BACKUP_ADDRESSING: 'path',
  });
  const admin = async (command: string) =>
    expect(
      await runAsWritten(bed, `kubectl -n inlet exec deploy/inlet-api -- inlet admin ${command}`),
    ).toMatchObject({ result: 'data' });
  const restartApi = async () => {
    await bed.service('api').stop(); // reads the list when it starts, otherwise every five minutes
    await bed.service('api').start();
  };
  await provoked(bed, {
    alerts: ['InletBackupOld', 'InletBackupDrillOld'],
    provoke: async () => {
      await admin('backup --to-bucket --without-mail');
      const index = await files?.readIndex();
      const drilledAt = new Date(Date.now() - 50 * DAY_MS).toISOString();
      await files?.writeIndex({ ...EMPTY_INDEX, ...index, drilled_at: drilledAt });
      await restartApi();
    },
    mend: async () => {
      await admin('backup --to-bucket --without-mail');
      await admin('restore --drill --from-bucket latest');
      await restartApi();
    },
  });
});
