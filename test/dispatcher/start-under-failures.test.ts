/**
 * A dispatcher starts while nodes of a real three-node NATS cluster are down: what works is used
 * within seconds, and what does not joins later.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { z } from 'zod';

import { createAddresses } from '../../services/adapters/mongo/address/addresses.ts';
import { connectMongo } from '../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { connectNats, type Nats } from '../../services/adapters/stream/connection/connection.ts';
import { onceJetStreamAnswers } from '../../services/adapters/stream/connection/outage.ts';
import { createStoreMail } from '../../services/adapters/stream/store.ts';
import {
  ensureStreams,
  type EnsuredStreams,
  existingPartitions,
  mailStream,
  retryStream,
  StreamsConfig,
} from '../../services/adapters/stream/events/streams.ts';
import { partitionOf } from '../../services/core/delivery/mail-event.ts';
import { startConsuming } from '../../services/dispatcher/consume.ts';
import { startServiceChild } from '../../services/standalone/processes/service-child.ts';
import { mailEvent } from '../support/mail-events.ts';
import { type NatsCluster, startNatsCluster } from '../support/nats-cluster.ts';
import { newAddress } from '../support/new-address.ts';
import { log } from '../support/pipeline.ts';
import { startReceiver } from '../support/receiver.ts';
import { testDir, testMongo } from '../support/servers.ts';
import { atMost } from '../support/slowdown.ts';
import { until } from '../support/until.ts';

const PARTITIONS = 6;
/** A dispatcher looks for partitions again after 30 s, which would hide one that waits for another. */
const WITHOUT_A_NODE_MS = 10_000;
/**
 * With the election, which takes NATS about 5 s and after a split vote longer, a start takes less than
 * 10 s after the return of a majority.
 */
const AFTER_ELECTION_MS = 5_000;

let parts: AsyncDisposableStack;
let cluster: NatsCluster;
beforeEach(async () => {
  parts = new AsyncDisposableStack();
  const { path } = parts.use(await testDir());
  const binary = inject('natsServerBinary');
  cluster = parts.use(await startNatsCluster({ binary, dir: path }));
});
afterEach(() => parts.disposeAsync());

const settings = (replicas: number, partitions = PARTITIONS) =>
  z.object(StreamsConfig).parse({ PARTITIONS: partitions, STREAM_REPLICAS: replicas });

const connect = async (): Promise<Nats> =>
  parts.use(await connectNats({ url: cluster.url, name: 'test' }, log));

/** Stores an email in a partition, and returns its event id. */
async function storeIn(
  partition: number,
  streams: EnsuredStreams,
  address = newAddress('https://receiver.example/'),
): Promise<string> {
  const event = mailEvent(address, new Date());
  let digest = '';
  do digest = randomBytes(32).toString('hex');
  while (partitionOf(digest, PARTITIONS) !== partition);
  const stored = await createStoreMail(streams)(event, [Buffer.from('{}')], digest);
  expect(stored).not.toBe('full');
  return event.event_id;
}

/** Creates all streams, one copy of each. Both lanes of partition p are on the node p % 3. */
async function spreadPartitions(): Promise<EnsuredStreams> {
  const nats = await connect();
  const manager = await jetstreamManager(nats.connection, { timeout: 2_000, checkAPI: false });
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const tags = [cluster.nodes[partition % cluster.nodes.length]?.name ?? ''];
    const placement = { cluster: 'inlet', tags };
    const lanes = [
      [mailStream(partition), `mail.${partition}.>`, RetentionPolicy.Limits],
      [retryStream(partition), `retry.${partition}.>`, RetentionPolicy.Workqueue],
    ] as const;
    for (const [name, subject, retention] of lanes)
      await onceJetStreamAnswers(() =>
        manager.streams.add({ name, subjects: [subject], retention, placement }),
      );
  }
  return ensureStreams(nats, settings(1));
}

/** Consumes everything. Returns the ids of the events so far. */
async function consume(nats: Nats, streams: EnsuredStreams): Promise<Set<string>> {
  const consumed = new Set<string>();
  parts.use(
    await startConsuming(
      nats,
      streams,
      {
        deliver: async (mail) => {
          consumed.add(mail.event.event_id);
          await mail.done();
        },
        slots: { mail: 64, retry: 64 },
        mayPull: () => true,
        ackWaitMs: 30_000,
        visibility: { begin: () => () => undefined, watch: () => undefined },
        inProgress: { inc: () => undefined, dec: () => undefined },
        onNak: () => undefined,
        afterError: { failed: () => Promise.resolve(), succeeded: () => undefined },
      },
      log,
    ),
  );
  return consumed;
}

const isAnswering = ({ setup }: Pick<EnsuredStreams, 'setup'>): Promise<boolean> =>
  existingPartitions(setup).then(
    () => true,
    () => false,
  );

test('streams on a node that is down do not delay the others, and join when it is back', async () => {
  const first = await spreadPartitions();
  const stored: string[] = [];
  for (let partition = 0; partition < PARTITIONS; partition++)
    stored.push(await storeIn(partition, first));
  const [down] = cluster.nodes;
  await down?.kill();
  await until('the other nodes to have a leader', () => isAnswering(first), 60_000);

  const nats = await connect();
  const startedAt = performance.now();
  const streams = await ensureStreams(nats, settings(1));
  const consumed = await consume(nats, streams);
  await until('the mail of the other nodes', () => consumed.size === 4);
  const tookMs = performance.now() - startedAt;
  if (process.env.TEST_LOG) process.stdout.write(`consumed in ${tookMs | 0} ms\n`);
  expect(tookMs).toBeLessThan(atMost(WITHOUT_A_NODE_MS));
  expect(stored.map((id) => consumed.has(id))).toEqual([false, true, true, false, true, true]);

  await down?.start();
  await until('the other mail', () => consumed.size === PARTITIONS, 60_000);
});

test('changed settings reach a stream whose node was down for minutes; the log says once that they wait', async () => {
  const first = await spreadPartitions();
  const [down] = cluster.nodes;
  await down?.kill();
  await until('the other nodes to have a leader', () => isAnswering(first), 60_000);

  const lines: { event: string; repeated?: number }[] = [];
  const nats = await connect();
  const changed = { ...settings(1), STREAM_MAX_BYTES: 123_456_789 };
  const { manager } = await ensureStreams(
    nats,
    changed,
    createLog('warn', {}, { write: (line) => void lines.push(JSON.parse(line) as never) }),
  );
  const maxBytesOf = async (partition: number) =>
    (await manager.streams.info(mailStream(partition))).config.max_bytes;
  expect(await maxBytesOf(1)).toBe(changed.STREAM_MAX_BYTES);
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 600_000);
  parts.defer(() => clock.mockRestore());
  await until('a failed comparison', () => lines.length > 0);

  await down?.start();
  const isUpdated = async () =>
    (await maxBytesOf(0).catch(() => undefined)) === changed.STREAM_MAX_BYTES;
  await until('the changed setting', isUpdated);
  expect(new Set(lines.map(({ event }) => event))).toEqual(new Set(['stream.not_updated']));
  // One for each kind of error, and counts: four streams were tried every two seconds.
  expect(lines.filter(({ repeated }) => repeated === undefined).length).toBeLessThan(4);
});

test('a process that starts without a majority is ready soon after there is one', async () => {
  const { path } = parts.use(await testDir());
  const { uri } = parts.use(await testMongo());
  const mongo = parts.use(await connectMongo(uri, log));
  const receiver = parts.use(await startReceiver(path));
  const address = newAddress(receiver.url('/mail'));
  const key = randomBytes(32);
  await createAddresses(mongo.db, createSecretBox([key])).insert(address);
  const first = await ensureStreams(await connect(), settings(3));
  for (const partition of [0, 1]) await storeIn(partition, first, address);
  const [, second, third] = cluster.nodes;
  await Promise.all([second?.kill(), third?.kill()]);
  // The node that is left may be the leader. It answers until it notices that it is alone.
  let unanswered = 0;
  const isAlone = async () => (unanswered = (await isAnswering(first)) ? 0 : unanswered + 1) > 2;
  await until('JetStream to have no leader', isAlone, 60_000);
  const { connection } = await connect();
  const impatient = await jetstreamManager(connection, { timeout: 250, checkAPI: false });

  const env = {
    NATS_URL: cluster.url,
    MONGODB_URI: uri,
    SECRET_KEYS: key.toString('base64'),
    PARTITIONS: String(PARTITIONS),
    STREAM_REPLICAS: '3',
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '0',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: receiver.caFile,
  };
  let isReady = false;
  const starting = startServiceChild('dispatcher', env, join(path, 'dispatcher.log')).then(
    (child) => {
      isReady = true;
      return parts.use({ [Symbol.asyncDispose]: () => child.stop() });
    },
  );
  // The step before the streams: the time of a new process does not count.
  const deliveries = mongo.db.collection('deliveries');
  const hasIndexes = () =>
    deliveries.indexes().then(
      ({ length }) => length > 1,
      () => false,
    );
  await until('the process to run', hasIndexes);
  expect(isReady).toBe(false);
  await second?.start();
  const majorityAt = performance.now();
  const sinceMajority = () => performance.now() - majorityAt;
  const [electedMs, readyMs] = await Promise.all([
    until('the election', () => isAnswering({ setup: impatient }), 60_000).then(sinceMajority),
    starting.then(sinceMajority),
  ]);
  expect(readyMs - electedMs).toBeLessThan(atMost(AFTER_ELECTION_MS));
  await receiver.nth('/mail', 2);
  const deliveredMs = sinceMajority();
  if (process.env.TEST_LOG) {
    const times = { electedMs, readyMs, deliveredMs };
    process.stdout.write(`after the majority: ${JSON.stringify(times)}\n`);
  }
});
