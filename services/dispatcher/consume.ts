/** Pulls mail from the two lanes of every partition, and stops in order. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { SharedLimit } from '../core/delivery/claim.ts';
import type { Log } from '../adapters/process/log.ts';
import { type Lane, pullLane, type QueuedMail } from '../adapters/stream/pull.ts';
import type { Nats } from '../adapters/stream/connection/connection.ts';
import { onceJetStreamAnswers } from '../adapters/stream/connection/outage.ts';
import {
  type EnsuredStreams,
  ensureConsumer,
  existingPartitions,
  mailStream,
  retryStream,
} from '../adapters/stream/events/streams.ts';
import { handleEmails, type HandlingOptions } from './handle-emails.ts';
import type { Visibility } from './pacing/visibility.ts';

type ConsumeOptions = HandlingOptions & {
  /** Emails in progress, over all partitions that exist at the start. */
  slots: Record<Lane, number>;
  /** False while this process cannot work: it leaves the emails to others, or in their streams. */
  mayPull: () => boolean;
  visibility: Pick<Visibility, 'watch'>;
};

const LANES: readonly Lane[] = ['mail', 'retry'];
const NEW_PARTITIONS_MS = 30_000;
/** A partition without a leader delays the start at most this long. */
const START_WAIT_MS = 1_000;
const REJOIN_PAUSE_MS = 5_000;
/** Slots of one partition and lane, however many partitions share the total. */
const MIN_SLOTS = 8;
const shareOf = (slots: number, partitions: number): number =>
  Math.max(MIN_SLOTS, Math.floor(slots / partitions));

type Consuming = AsyncDisposable & {
  /** Pulls no more mail. Mail in progress continues. */
  stop(): Promise<void>;
};

export async function startConsuming(
  nats: Nats,
  streams: EnsuredStreams,
  options: ConsumeOptions,
  log: Log,
): Promise<Consuming> {
  const { slots, mayPull, ackWaitMs, visibility } = options;
  const emails = handleEmails(options, log);
  const lanes: AsyncDisposable[] = [];
  const joined = new Set<number>();
  let isStopped = false;

  const join = async (partition: number, lane: Lane, ofLane: SharedLimit): Promise<void> => {
    const stream = lane === 'mail' ? mailStream(partition) : retryStream(partition);
    const createConsumer = () => ensureConsumer(streams.setup, stream, ackWaitMs);
    const consumer = await onceJetStreamAnswers(createConsumer);
    if (isStopped) return;
    const pull = {
      lane,
      partition,
      consumer,
      createConsumer,
      slots: ofLane.capacity,
      mayPull,
      handle: (mail: QueuedMail, freeSlot: () => void) => emails.handle(mail, ofLane, freeSlot),
    };
    const joinedLane = pullLane(nats, streams, pull, log);
    lanes.push(joinedLane);
    if (lane === 'mail') visibility.watch(partition, () => joinedLane.isFull());
  };

  /** Both lanes of each new partition, as soon as each answers. */
  const joinNewPartitions = async (): Promise<void> => {
    const partitions = await existingPartitions(streams.setup);
    const added = partitions.filter((partition) => !joined.has(partition));
    await Promise.all(
      added.map(async (partition) => {
        joined.add(partition);
        await Promise.all(LANES.map((lane) => joinForGood(partition, lane, partitions.length)));
        log.info('partition.joined', { partition });
      }),
    );
  };

  /** Tries until it succeeds: a stream without a leader may get one after hours. */
  const joinForGood = async (partition: number, lane: Lane, partitions: number) => {
    const ofLane = { capacity: shareOf(slots[lane], partitions), used: 0 };
    while (!isStopped) {
      try {
        return await join(partition, lane, ofLane);
      } catch (error) {
        log.warn('partition.not_joined', { partition, lane, error });
        await sleep(REJOIN_PAUSE_MS, undefined, { ref: false });
      }
    }
  };

  const joining = onceJetStreamAnswers(joinNewPartitions).catch((error: unknown) =>
    log.warn('partitions.not_listed', { error }),
  );
  await Promise.race([joining, sleep(START_WAIT_MS, undefined, { ref: false })]);
  const discovery = setInterval(() => {
    joinNewPartitions().catch((error: unknown) => log.warn('partitions.not_listed', { error }));
  }, NEW_PARTITIONS_MS);

  const stop = async (): Promise<void> => {
    isStopped = true;
    clearInterval(discovery);
    await Promise.all(lanes.map((lane) => lane[Symbol.asyncDispose]()));
  };
  return {
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await emails[Symbol.asyncDispose]();
    },
  };
}
