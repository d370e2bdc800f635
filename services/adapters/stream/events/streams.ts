/**
 * The streams, created or updated by the process that starts first (docs/project/internals.md). MAIL-p
 * stores accepted mail until its replay window ends, RETRY-p mail that waits for another attempt,
 * FAILED mail whose delivery failed, DEAD what cannot be read, BODIES large payloads, RAW the files
 * that payloads link to (`linked` in the code). MAIL-p is not a work queue, which costs one more
 * write and fsync per email and keeps nothing for a replay. Dispatchers purge it (purge.ts).
 */
import {
  AckPolicy,
  type ConsumerInfo,
  DiscardPolicy,
  jetstream,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { Objm, type ObjectStore } from '@nats-io/obj';
import { nanos } from '@nats-io/transport-node';
import type { z } from 'zod';

import { Duration } from '../../../core/time/duration.ts';
import { WholeNumber } from '../../process/config.ts';
import { createInterruptionLog } from '../../process/interruption-log.ts';
import type { Log } from '../../process/log.ts';
import type { Nats } from '../connection/connection.ts';
import { trueWhenOtherwiseConfigured } from '../connection/errors.ts';
import { keepTrying, onceJetStreamAnswers } from '../connection/outage.ts';
import { type AskRoom, createAskRoom } from '../objects/make-room.ts';
import { createPublisher, type Publisher } from './publish.ts';

/**
 * A gateway may publish the event of one transaction again, for example after a lost
 * acknowledgment. JetStream folds that for at least this time, which is its own default.
 */
const TRANSACTION_WINDOW_MS = 120_000;
/** JetStream holds the id of every email of the window in memory. */
const DUPLICATE_WINDOW_MAX_MS = 86_400_000;

/** JetStream refuses an age below the window of duplicates, and stores for ever with 0. */
const Age = Duration.refine((ms) => ms >= TRANSACTION_WINDOW_MS, 'must be at least 2m');

export const StreamsConfig = {
  PARTITIONS: WholeNumber.min(1)
    .max(64)
    .default(4)
    .describe('number of queue partitions; may grow while Inlet runs, must not shrink'),
  STREAM_REPLICAS: WholeNumber.min(1)
    .max(5)
    .default(1)
    .describe('replicas of each stream; 3 on a NATS cluster of three servers'),
  STREAM_MAX_BYTES: WholeNumber.min(0)
    .default(0)
    .describe(
      'size limit of each MAIL and RETRY partition in bytes, 0 for none; a full one refuses mail with 452 4.3.1',
    ),
  // RFC 5321 §4.5.3.2.6: a sender waits ten minutes for the reply; Exim and sendmail repeat after up to an hour
  DUPLICATE_WINDOW: Duration.prefault('70m')
    .refine(
      (ms) => ms === 0 || (ms >= TRANSACTION_WINDOW_MS && ms <= DUPLICATE_WINDOW_MAX_MS),
      'must be 0s, or from 2m to 24h',
    )
    .describe(
      'an email with a Message-ID that its sender repeats within this time is folded into the ' +
        'first one; NATS holds about 200 bytes of memory for each email of it; 2m to 24h, or 0 to fold none',
    ),
  LINK_LIFETIME: Age.prefault('72h').describe(
    'how long links to raw emails and attachments work, and how long those are stored; at least 2m',
  ),
  FAILED_RETENTION: Age.prefault('30d').describe(
    'how long mail whose delivery failed or that is held is stored; at least 2m',
  ),
};
export type StreamsConfig = z.output<z.ZodObject<typeof StreamsConfig>>;

export const FAILED_STREAM = 'FAILED';
export const DEAD_STREAM = 'DEAD';
export const BODIES_BUCKET = 'BODIES';
export const LINKED_BUCKET = 'RAW';
/** JetStream drops the oldest ones then. */
const DEAD_MAX_MESSAGES = 1_000;
/** Name of the durable consumer of every partition, which all dispatchers share. */
export const DISPATCHER_CONSUMER = 'dispatcher';
/** Name of the consumer that reads the headers of a MAIL partition while its emails wait (D34). */
export const BACKLOG_CONSUMER = 'backlog';

export const mailStream = (partition: number) => `MAIL-${partition}`;
export const retryStream = (partition: number) => `RETRY-${partition}`;

/** Handles to the streams and buckets. */
export type Streams = {
  client: JetStreamClient;
  publisher: Publisher;
  manager: JetStreamManager;
  bodies: ObjectStore;
  /** Raw emails and attachments, which payloads link to. */
  linked: ObjectStore;
  /** Has a gateway make room in the account. */
  askRoom: AskRoom;
  partitions: number;
  region: Nats['region'];
};

/** `setup` creates streams and consumers. Its requests give up soon, and are repeated. */
export type EnsuredStreams = Streams & { setup: JetStreamManager };

const PUBLISH_TIMEOUT_MS = 10_000;
/** A request to a stream without a leader gets no answer, also when it has one a moment later. */
const SETUP_TIMEOUT_MS = 2_000;
/** A put whose leader died ends with such a request, and is then repeated: see objects.ts. */
export const BUCKET_TIMEOUT_MS = 3_000;
/**
 * Until JetStream has a leader, each request is lost. So the first ones give up early, for the next
 * one to be answered soon after the election; the later ones have time, on a busy server.
 */
const FIRST_PROBE_MS = 250;
const LAST_PROBE_MS = 1_000;
/** The start waits this long for a stream that exists already. */
const KEEP_AFTER_MS = 1_000;
const SCHEDULE_SLACK_MS = 86_400_000; // a body outlives the FAILED event that refers to it

/**
 * Creates or updates all streams to match the settings, each on its own. Several processes may do
 * this at the same time. A stream without a leader does not delay the start: it is compared with the
 * settings as soon as it answers. Streams that NATS has lost after a reconnect are created again.
 * @throws when JetStream does not answer for a minute, or refuses the settings
 */
export async function ensureStreams(
  { connection, region, onReconnect }: Pick<Nats, 'connection' | 'region' | 'onReconnect'>,
  config: StreamsConfig,
  log?: Log,
): Promise<EnsuredStreams> {
  const existing = await existingStreams(connection);
  const setup = await jetstreamManager(connection, { timeout: SETUP_TIMEOUT_MS, checkAPI: false });
  const interruptions = log && createInterruptionLog(log);
  const keep = (stream: string, work: () => Promise<unknown>): Promise<void> =>
    keepTrying(work, {
      waitMs: KEEP_AFTER_MS,
      isOver: () => connection.isClosed(),
      report: (error) => interruptions?.report('warn', 'stream.not_updated', { stream, error }),
    });
  const options = { timeout: PUBLISH_TIMEOUT_MS, checkAPI: false }; // the check can time out
  const client = jetstream(connection, options);
  const buckets = new Objm(jetstream(connection, { ...options, timeout: BUCKET_TIMEOUT_MS }));
  const wanted = [
    ...streamsOf(config).map((stream) => ({
      name: stream.name,
      make: () => ensureStream(setup, stream),
    })),
    ...bucketsWanted(config).map((bucket) => ({
      name: `OBJ_${bucket.name}`,
      make: () => ensureBucket(buckets, setup, bucket),
    })),
  ];
  await Promise.all(
    wanted.filter(({ name }) => existing.has(name)).map(({ name, make }) => keep(name, make)),
  );
  const createMissing = async (found: ReadonlySet<string>, withinMs?: number) => {
    const missing = wanted.filter(({ name }) => !found.has(name));
    // one after another: each is placed on the servers that have the fewest
    for (const { make } of missing)
      await onceJetStreamAnswers(make, { withinMs, isOver: () => connection.isClosed() });
    return missing.map(({ name }) => name);
  };
  await createMissing(existing);
  onReconnect(() => {
    existingStreams(connection, Infinity)
      .then((found) => createMissing(found, Infinity))
      .then((streams) => streams.length > 0 && log?.error('streams.lost', { streams }))
      .catch((error: unknown) => interruptions?.report('warn', 'streams.not_read', { error }));
  });
  const bodies = await buckets.open(BODIES_BUCKET, false);
  const linked = await buckets.open(LINKED_BUCKET, false);
  const manager = await jetstreamManager(connection, options);
  const publisher = createPublisher(connection, log);
  const { PARTITIONS: partitions } = config;
  const askRoom = createAskRoom(connection);
  return { client, publisher, manager, setup, bodies, linked, askRoom, partitions, region };
}

function existingStreams(
  connection: Nats['connection'],
  withinMs?: number,
): Promise<ReadonlySet<string>> {
  let timeout = FIRST_PROBE_MS;
  const read = async () => {
    const manager = await jetstreamManager(connection, { timeout, checkAPI: false });
    timeout = Math.min(2 * timeout, LAST_PROBE_MS);
    return new Set(await Array.fromAsync(manager.streams.names()));
  };
  return onceJetStreamAnswers(read, { withinMs, isOver: () => connection.isClosed() });
}

type NamedStream = Partial<StreamConfig> & { name: string };

function streamsOf(config: StreamsConfig): NamedStream[] {
  const shared = { storage: StorageType.File, num_replicas: config.STREAM_REPLICAS };
  const queue = { ...shared, max_bytes: config.STREAM_MAX_BYTES || -1, discard: DiscardPolicy.New };
  const lanes = Array.from({ length: config.PARTITIONS }, (_, partition): NamedStream[] => [
    {
      ...queue,
      name: mailStream(partition),
      subjects: [`mail.${partition}.>`],
      retention: RetentionPolicy.Limits,
      duplicate_window: nanos(config.DUPLICATE_WINDOW || TRANSACTION_WINDOW_MS),
    },
    {
      ...queue,
      name: retryStream(partition),
      subjects: [`retry.${partition}.>`],
      retention: RetentionPolicy.Workqueue,
      max_msgs_per_subject: 1, // a message of a later revision replaces the one that sleeps
    },
  ]);
  const failed = {
    ...shared,
    name: FAILED_STREAM,
    subjects: ['failed.>'],
    retention: RetentionPolicy.Limits,
    max_msgs_per_subject: 1, // a copy of a later revision replaces the earlier one
    max_age: nanos(config.FAILED_RETENTION),
  };
  const limits = { max_msgs_per_subject: -1, max_msgs: DEAD_MAX_MESSAGES };
  const dead = { ...failed, ...limits, name: DEAD_STREAM, subjects: ['dead.>'] };
  return [...lanes.flat(), failed, dead];
}

type Bucket = { name: string; replicas: number; ttl: number };

const bucketsWanted = (config: StreamsConfig): Bucket[] => {
  const { STREAM_REPLICAS: replicas, FAILED_RETENTION, LINK_LIFETIME } = config;
  return [
    { name: BODIES_BUCKET, replicas, ttl: nanos(FAILED_RETENTION + SCHEDULE_SLACK_MS) },
    { name: LINKED_BUCKET, replicas, ttl: nanos(LINK_LIFETIME) },
  ];
};

async function ensureBucket(
  buckets: Objm,
  manager: JetStreamManager,
  { name, replicas, ttl }: Bucket,
): Promise<void> {
  const bucket = await buckets.create(name, { storage: StorageType.File, replicas, ttl });
  const { streamInfo: found } = await bucket.status(); // create() does not update an old bucket
  if (found.config.max_age !== ttl || found.config.num_replicas !== replicas)
    await manager.streams.update(found.config.name, { max_age: ttl, num_replicas: replicas });
}

/** Creates the stream, or updates an existing one to these settings. */
async function ensureStream(manager: JetStreamManager, config: NamedStream): Promise<void> {
  try {
    const differs = await manager.streams
      .add(config)
      .then(() => false, trueWhenOtherwiseConfigured);
    if (differs) await manager.streams.update(config.name, config);
  } catch (cause) {
    throw new Error(`create or update stream ${config.name}`, { cause });
  }
}

/** Partitions on the server. They can be more than this process's own setting says. */
export async function existingPartitions(manager: JetStreamManager): Promise<number[]> {
  const partitions: number[] = [];
  for await (const name of manager.streams.names()) {
    const match = /^MAIL-(\d+)$/.exec(name);
    if (match) partitions.push(Number(match[1]));
  }
  return partitions;
}

/**
 * Creates or updates the durable pull consumer of a stream. It has no limit of pending
 * acknowledgments: with the default of 1,000, a thousand waiting retries would stop the lane.
 */
export async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  ackWaitMs: number,
): Promise<ConsumerInfo> {
  const limits = { ack_wait: nanos(ackWaitMs), max_deliver: -1, max_ack_pending: -1 };
  const made = manager.consumers.add(stream, {
    durable_name: DISPATCHER_CONSUMER,
    ack_policy: AckPolicy.Explicit,
    ...limits,
  });
  const equal = await made.catch(trueWhenOtherwiseConfigured);
  return equal === true ? manager.consumers.update(stream, DISPATCHER_CONSUMER, limits) : equal;
}
