/**
 * The leader of a stream is killed while emails are published. They wait for the next leader, and
 * each is stored once.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';

import { createObjects } from '../../../services/adapters/stream/objects/objects.ts';
import { connectNats, type Nats } from '../../../services/adapters/stream/connection/connection.ts';
import { readQueueFacts } from '../../../services/adapters/stream/facts.ts';
import { createStoreMail } from '../../../services/adapters/stream/store.ts';
import { publishOnce } from '../../../services/adapters/stream/events/publish.ts';
import {
  ensureStreams,
  FAILED_STREAM,
  LINKED_BUCKET,
  mailStream,
  type Streams,
  StreamsConfig,
} from '../../../services/adapters/stream/events/streams.ts';
import { writeHeaders } from '../../../services/adapters/stream/events/wire.ts';
import { subjects } from '../../../services/core/delivery/mail-event.ts';
import { newId } from '../../../services/core/id/ids.ts';
import { INLINE_PAYLOAD_MAX_BYTES } from '../../../services/core/mail/mail-size.ts';
import { frozen } from '../../support/frozen.ts';
import { mailEvent } from '../../support/mail-events.ts';
import {
  type ClusterNode,
  type NatsCluster,
  startNatsCluster,
} from '../../support/nats-cluster.ts';
import { log } from '../../support/pipeline.ts';
import { testDir } from '../../support/servers.ts';
import { readObject } from '../../support/stored-bytes.ts';
import { until } from '../../support/until.ts';

/** A second election may be needed on a busy machine: a real caller waits less. */
const WITHIN_MS = 60_000;

const parts = new AsyncDisposableStack();
let cluster: NatsCluster;
let nats: Nats;
let streams: Streams;
beforeAll(async () => {
  const { path } = parts.use(await testDir());
  cluster = parts.use(await startNatsCluster({ binary: inject('natsServerBinary'), dir: path }));
  nats = parts.use(await connectNats({ url: cluster.url, name: 'test' }, log));
  const config = z.object(StreamsConfig).parse({ PARTITIONS: '1', STREAM_REPLICAS: '3' });
  streams = await ensureStreams(nats, config);
});
/** So that a test that fails leaves the next one a whole cluster. */
afterEach(async () => {
  for (const node of cluster.nodes) if (!node.isUp()) await node.start();
  await cluster.healthy();
});
afterAll(() => parts.disposeAsync());

const anEvent = () =>
  mailEvent(
    { id: newId('addr', new Date(), randomBytes(10)), account_id: 'acc_1', environment: 'live' },
    new Date(),
  );

/** Without a leader, of the stream or of JetStream, a request fails or is not answered. */
const answered = <T>(what: string, ask: () => Promise<T>) =>
  until(what, () => ask().catch(() => undefined));

const leaderOf = (stream: string): Promise<ClusterNode> =>
  answered(`a leader of ${stream}`, async () => {
    const { cluster: place } = await streams.manager.streams.info(stream);
    return cluster.nodes.find(({ name }) => name === place?.leader);
  });

const messagesIn = (stream: string) =>
  answered(`the state of ${stream}`, () => streams.manager.streams.info(stream)).then(
    ({ state }) => state.messages,
  );

/** The servers notice it within seconds. */
const untilBehind = (stream: string, copies: number) =>
  answered(`${copies} copies to be behind`, async () => {
    const facts = await readQueueFacts(streams);
    return facts.streams.find(({ name }) => name === stream)?.copiesBehind === copies;
  });

async function killLeaderOf(stream: string): Promise<() => Promise<void>> {
  const leader = await leaderOf(stream);
  await leader.kill();
  return async () => {
    await leader.start();
    await cluster.healthy();
  };
}

test('emails that arrive while their partition has no leader get their 250 after the election', async () => {
  const storeMail = createStoreMail(streams, nats.isConnected, WITHIN_MS);
  const stored: Promise<unknown>[] = [];
  const storeOne = (bytes = 2) =>
    stored.push(storeMail(anEvent(), [randomBytes(bytes)], randomBytes(32).toString('hex')));
  for (let sent = 0; sent < 20; sent++) storeOne(); // in flight when the leader dies
  const restart = await killLeaderOf(mailStream(0));
  for (let sent = 0; sent < 20; sent++) {
    storeOne();
    await sleep(10);
  }
  storeOne(INLINE_PAYLOAD_MAX_BYTES + 1); // its payload is in the bucket, another stream
  expect(await Promise.all(stored)).toEqual(stored.map(() => ({ isRepeat: false })));
  await untilBehind(mailStream(0), 1);
  await restart();
  await untilBehind(mailStream(0), 0);
  expect(await messagesIn(mailStream(0))).toBe(41);
});

test('a file whose leader dies with a chunk in flight is stored whole by the next leader', async () => {
  const files = createObjects(streams.linked, WITHIN_MS);
  const bytes = randomBytes(3 * 1024 * 1024);
  const leader = await leaderOf(`OBJ_${LINKED_BUCKET}`);
  await frozen(leader.pid()); // the chunk is never acknowledged
  await files.put('evt_1', [bytes]);
  await leader.kill();
  await files.put('evt_1/attachments', [bytes.subarray(0, 7), bytes.subarray(7)]);
  await leader.start();
  await cluster.healthy();
  // The client's getBlob() would end with what a replica that still catches up has.
  for (const name of ['evt_1', 'evt_1/attachments'])
    expect((await readObject(streams, streams.linked, name))?.equals(bytes)).toBe(true);
});

test('a probe stores nothing, and a message that must be the first of its subject is stored once', async () => {
  const restart = await killLeaderOf(FAILED_STREAM);
  const events = Array.from({ length: 10 }, anEvent);
  const publishAll = () =>
    Promise.all(
      events.map((event) =>
        publishOnce(streams.publisher, subjects.failed(event), Buffer.from('{}'), {
          headers: writeHeaders(event),
          withinMs: WITHIN_MS,
        }),
      ),
    );
  await publishAll(); // false when a try whose acknowledgment was lost had stored it
  expect(new Set(await publishAll())).toEqual(new Set([false]));
  await restart();
  expect(await messagesIn(FAILED_STREAM)).toBe(10);
});

test('a process that stops publishes nothing again', async () => {
  let isOver = false;
  const published = streams.publisher
    .publish('nowhere.1.x', 'text', { withinMs: WITHIN_MS, isOver: () => isOver })
    .catch((error: unknown) => error);
  isOver = true;
  expect(await published).toMatchObject({ message: 'the stream has no leader' });
});
