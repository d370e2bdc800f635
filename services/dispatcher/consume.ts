/**
 * Pulls mail from the two lanes of every partition, extends acknowledgment waits, and stops in
 * order.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Shared } from '../core/delivery/claim.ts';
import { mailTrace } from '../core/trace-context.ts';
import { createInterruptionLog } from '../adapters/process/interruption-log.ts';
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
import type { AfterError } from './large/set-aside.ts';
import type { Visibility } from './visibility.ts';

/**
 * Runs the end of an email's processing, which waits for MongoDB and NATS. The email has had its
 * slot since pull.ts took it from the stream, and gives it back here, so that the next email is
 * pulled. Otherwise the slot is free when `deliver` ends.
 */
export type AfterFreeingSlot = (work: () => Promise<void>) => Promise<void>;

type ConsumeOptions = {
  /** @param slots of the email's partition and lane */
  deliver: (mail: QueuedMail, slots: Shared, afterFreeingSlot: AfterFreeingSlot) => Promise<void>;
  /** Emails in progress, over all partitions that exist at the start. */
  slots: Record<Lane, number>;
  /** False while this process cannot work: it leaves the emails to others, or in their streams. */
  mayPull: () => boolean;
  ackWaitMs: number;
  visibility: Pick<Visibility, 'begin' | 'watch'>;
  inProgress: { inc(of: { lane: Lane }): void; dec(of: { lane: Lane }): void };
  /** The delivery of an email threw an error, so it is NAKed or set aside. */
  onNak: (lane: Lane) => void;
  afterError: AfterError;
};

const LANES: readonly Lane[] = ['mail', 'retry'];
const NEW_PARTITIONS_MS = 30_000;
/** A partition without a leader delays the start at most this long. */
const START_WAIT_MS = 1_000;
const REJOIN_PAUSE_MS = 5_000;
/** Slots of one partition and lane, however many partitions share the total. */
const MIN_SLOTS = 8;
/** Bounds for emails that gave their slot back: a crash repeats their attempts. */
const WITHOUT_SLOT_MAX = 512;
const WITHOUT_SLOT_MAX_BYTES = 32 * 1024 * 1024;

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
  const { deliver, slots, mayPull, ackWaitMs, visibility, inProgress, onNak, afterError } = options;
  const pulled = new Map<string, { mail: QueuedMail; sinceMs: number; ended: Promise<void> }>();
  const interruptions = createInterruptionLog(log);
  const lanes: AsyncDisposable[] = [];
  const joined = new Set<number>();
  const withoutSlot = { emails: 0, bytes: 0 };
  let isStopped = false;

  const afterFreeing =
    (freeSlot: () => void, { byteLength }: Uint8Array): AfterFreeingSlot =>
    async (work) => {
      const { emails, bytes } = withoutSlot;
      if (emails < WITHOUT_SLOT_MAX && bytes < WITHOUT_SLOT_MAX_BYTES) freeSlot();
      withoutSlot.emails++;
      withoutSlot.bytes += byteLength;
      try {
        await work();
      } finally {
        withoutSlot.emails--;
        withoutSlot.bytes -= byteLength;
      }
    };

  const handle = async (mail: QueuedMail, ofLane: Shared, freeSlot: () => void): Promise<void> => {
    const id = `${mail.lane} ${mail.event.event_id}`; // an email can be in both lanes for a moment
    if (pulled.has(id)) return; // the same message again: settling the first copy settles both
    inProgress.inc({ lane: mail.lane });
    const end = mail.lane === 'mail' ? visibility.begin(mail) : undefined;
    const ended = deliver(mail, ofLane, afterFreeing(freeSlot, mail.payload))
      .then(() => afterError.succeeded(mail))
      .catch((error: unknown) => {
        const { event_id } = mail.event;
        const facts = { event_id, trace_id: mailTrace(event_id).traceId, lane: mail.lane };
        const isLogged = interruptions.report('error', 'mail.handed_back', { ...facts, error });
        if (!isLogged) log.debug('mail.handed_back', { ...facts, error });
        onNak(mail.lane);
        return afterError.failed(mail, error);
      })
      .finally(() => {
        end?.();
        pulled.delete(id);
        inProgress.dec({ lane: mail.lane });
      });
    pulled.set(id, { mail, sinceMs: performance.now(), ended });
    await ended;
  };

  const join = async (partition: number, lane: Lane, ofLane: Shared): Promise<void> => {
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
      handle: (mail: QueuedMail, freeSlot: () => void) => handle(mail, ofLane, freeSlot),
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
  const heartbeat = setInterval(() => {
    for (const { mail, sinceMs } of pulled.values())
      if (performance.now() - sinceMs > ackWaitMs / 3) mail.working();
  }, ackWaitMs / 3);

  const stop = async (): Promise<void> => {
    isStopped = true;
    clearInterval(discovery);
    await Promise.all(lanes.map((lane) => lane[Symbol.asyncDispose]()));
  };
  return {
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await Promise.allSettled([...pulled.values()].map(({ ended }) => ended));
      clearInterval(heartbeat);
      interruptions[Symbol.dispose]();
    },
  };
}
