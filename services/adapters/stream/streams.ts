/**
 * The streams that mail lives on (design §3), created or updated by whichever process starts first.
 * MAIL-p holds accepted mail from before its 250 until its replay window ends, RETRY-p what waits for another attempt, FAILED what was given
 * up, BODIES large payloads, RAW the mails that payloads link to. MAIL-p is no work queue: that would write and sync once more for each mail, to mark it removed, and a replay
 * would need a copy. The dispatchers purge what is both acknowledged and past its window (adapters/stream/mail-purge.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises';

import {
  AckPolicy,
  DiscardPolicy,
  jetstream,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';
import { errors, nanos } from '@nats-io/transport-node';
import { z } from 'zod';

import { Duration } from '../../core/duration.ts';
import { bucketsOf } from './bodies.ts';
import type { Nats } from './connection.ts';

export const StreamsConfig = {
  PARTITIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('partitions that mail is spread over; may grow while running, must not shrink'),
  STREAM_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe('copies that NATS keeps of each stream; 3 on a cluster of three servers'),
  STREAM_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe(
      'largest size of each mail and retry partition in bytes; a full one refuses mail with 452 4.3.1; 0 for no limit of its own',
    ),
  DUPLICATE_WINDOW: Duration.prefault('10m').describe(
    'a mail that a sender repeats within this time is folded into the first',
  ),
  LINK_LIFETIME: Duration.prefault('72h').describe(
    'how long links to raw mails and attachments work, and what they point to is kept',
  ),
  FAILED_RETENTION: Duration.prefault('30d').describe(
    'how long mail whose delivery failed is kept',
  ),
};
export type StreamsConfig = z.output<z.ZodObject<typeof StreamsConfig>>;

export const FAILED_STREAM = 'FAILED';
export const BODIES_BUCKET = 'BODIES';
export const RAW_MAILS_BUCKET = 'RAW';
/** The durable consumer of every partition: all dispatchers share it. */
export const DISPATCHER_CONSUMER = 'dispatcher';

export const mailStream = (partition: number) => `MAIL-${partition}`;
export const retryStream = (partition: number) => `RETRY-${partition}`;

/** The handles by which the other adapters reach the streams. */
export type Streams = {
  client: JetStreamClient;
  manager: JetStreamManager;
  bodies: ObjectStore;
  rawMails: ObjectStore;
  partitions: number;
};

const STREAM_EXISTS = 10058; // JetStream API error codes, server/errors.json
const CONSUMER_EXISTS = 10148;
const NO_PEERS = 10005; // fewer servers than replicas, while a cluster comes up
const UNAVAILABLE = 503;
const AWAY_MAX_MS = 60_000;
const AWAY_PAUSE_MS = 500;
const PUBLISH_TIMEOUT_MS = 10_000;
const SCHEDULE_SLACK_MS = 86_400_000; // a body outlives the failed event that refers to it

/**
 * Makes all streams as the settings want them. Safe to call from several processes at once.
 * @throws when JetStream has not answered for a minute: see {@link onceJetStreamAnswers}
 */
export function ensureStreams(nats: Nats, config: StreamsConfig): Promise<Streams> {
  return onceJetStreamAnswers(() => makeStreams(nats, config));
}

async function makeStreams(nats: Nats, config: StreamsConfig): Promise<Streams> {
  const manager = await jetstreamManager(nats.connection, { timeout: PUBLISH_TIMEOUT_MS });
  const shared = { storage: StorageType.File, num_replicas: config.STREAM_REPLICAS };
  const queue = { ...shared, max_bytes: config.STREAM_MAX_BYTES || -1, discard: DiscardPolicy.New };
  for (let partition = 0; partition < config.PARTITIONS; partition++) {
    await ensureStream(manager, {
      ...queue,
      name: mailStream(partition),
      subjects: [`mail.${partition}.>`],
      retention: RetentionPolicy.Limits,
      duplicate_window: nanos(config.DUPLICATE_WINDOW),
    });
    await ensureStream(manager, {
      ...queue,
      name: retryStream(partition),
      subjects: [`retry.${partition}.>`],
      retention: RetentionPolicy.Workqueue,
    });
  }
  await ensureStream(manager, {
    ...shared,
    name: FAILED_STREAM,
    subjects: ['failed.>'],
    retention: RetentionPolicy.Limits,
    max_age: nanos(config.FAILED_RETENTION),
  });
  const client = jetstream(nats.connection, { timeout: PUBLISH_TIMEOUT_MS });
  const buckets = bucketsOf(client);
  const ensureBucket = async (name: string, ttlMs: number): Promise<ObjectStore> => {
    const ttl = nanos(ttlMs);
    const bucket = await buckets.create(name, {
      storage: StorageType.File,
      replicas: config.STREAM_REPLICAS,
      ttl,
    });
    const { streamInfo: found } = await bucket.status(); // a bucket that exists keeps the settings that it was made with
    if (found.config.max_age !== ttl || found.config.num_replicas !== config.STREAM_REPLICAS) {
      await manager.streams.update(found.config.name, {
        max_age: ttl,
        num_replicas: config.STREAM_REPLICAS,
      });
    }
    return bucket;
  };
  const bodies = await ensureBucket(BODIES_BUCKET, config.FAILED_RETENTION + SCHEDULE_SLACK_MS);
  const rawMails = await ensureBucket(RAW_MAILS_BUCKET, config.LINK_LIFETIME);
  return { client, manager, bodies, rawMails, partitions: config.PARTITIONS };
}

/** Creates the stream, or brings an existing one up to these settings. */
async function ensureStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
): Promise<void> {
  try {
    const differs = await manager.streams
      .add(config)
      .then(() => false, isOtherwiseConfigured(STREAM_EXISTS)); // an equal one that exists already is a success
    if (differs) await manager.streams.update(config.name, config);
  } catch (cause) {
    throw new Error(`create or update stream ${config.name}`, { cause });
  }
}

const isOtherwiseConfigured =
  (code: number) =>
  (error: unknown): true => {
    if (error instanceof JetStreamApiError && error.code === code) return true;
    throw error;
  };

/** Repeats what fails while JetStream starts, elects leaders or is short of servers: a process that starts meanwhile waits instead of ending. */
export async function onceJetStreamAnswers<T>(work: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + AWAY_MAX_MS; ; await sleep(AWAY_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!jetStreamIsAway(error) || Date.now() > deadline) throw error;
    }
  }
}

function jetStreamIsAway(error: unknown): boolean {
  if (error instanceof JetStreamApiError)
    return error.status === UNAVAILABLE || error.code === NO_PEERS;
  if (
    error instanceof errors.TimeoutError ||
    error instanceof errors.RequestError ||
    error instanceof errors.NoRespondersError
  )
    return true;
  return error instanceof Error && jetStreamIsAway(error.cause);
}

/** Partitions that exist on the server: producers may use more than this process was told of. */
export async function existingPartitions(manager: JetStreamManager): Promise<number[]> {
  const partitions: number[] = [];
  for await (const name of manager.streams.names()) {
    const match = /^MAIL-(\d+)$/.exec(name);
    if (match) partitions.push(Number(match[1]));
  }
  return partitions;
}

/** The durable pull consumer of a stream. Its pending acknowledgements are unlimited: the default of 1,000 would stop everyone after 1,000 sleeping mails. */
export async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  ackWaitMs: number,
): Promise<void> {
  const limits = { ack_wait: nanos(ackWaitMs), max_deliver: -1, max_ack_pending: -1 };
  const made = manager.consumers.add(stream, {
    durable_name: DISPATCHER_CONSUMER,
    ack_policy: AckPolicy.Explicit,
    ...limits,
  });
  const differs = await made.then(() => false, isOtherwiseConfigured(CONSUMER_EXISTS));
  if (differs) await manager.consumers.update(stream, DISPATCHER_CONSUMER, limits);
}
