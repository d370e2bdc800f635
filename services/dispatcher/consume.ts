/**
 * Pulls mail from the two lanes of every partition, extends acknowledgment waits, and stops in
 * order.
 */
import type { LaneSlots } from '../core/delivery/pacing.ts';
import type { Log } from '../adapters/process/log.ts';
import { type Lane, pullLane, type QueuedMail } from '../adapters/stream/mail-lanes.ts';
import type { Nats } from '../adapters/stream/connection.ts';
import {
  ensureConsumer,
  existingPartitions,
  mailStream,
  onceJetStreamAnswers,
  retryStream,
  type Streams,
} from '../adapters/stream/streams.ts';
import type { Visibility } from './visibility.ts';

export type ConsumeOptions = {
  /** @param slots of the email's partition */
  deliver: (mail: QueuedMail, slots: LaneSlots) => Promise<void>;
  /** Emails in progress, over all partitions that exist at the start. */
  slots: Record<Lane, number>;
  ackWaitMs: number;
  visibility: Pick<Visibility, 'begin' | 'watch'>;
  inHand: { inc(of: { lane: Lane }): void; dec(of: { lane: Lane }): void };
  /** An email was NAKed because its delivery threw an error. */
  handedBack: (lane: Lane) => void;
};

const NEW_PARTITIONS_MS = 30_000;
/** Slots of one partition and lane, however many partitions share the total. */
const MIN_SLOTS = 8;
/** Redelivery delay of an email that failed inside Inlet, for example because MongoDB is down. */
const NAK_DELAY_MS = 3_000;

export type Consuming = AsyncDisposable & {
  /** Pulls no more mail. Mail in progress continues. */
  stop(): Promise<void>;
};

export async function startConsuming(
  nats: Nats,
  streams: Streams,
  { deliver, slots, ackWaitMs, visibility, inHand, handedBack }: ConsumeOptions,
  log: Log,
): Promise<Consuming> {
  const inProgress = new Map<string, { mail: QueuedMail; sinceMs: number; ended: Promise<void> }>();
  const lanes: AsyncDisposable[] = [];
  const pulled = new Set<number>();

  const handle = async (mail: QueuedMail, ofPartition: LaneSlots): Promise<void> => {
    const id = `${mail.lane} ${mail.event.event_id}`; // an email can be in both lanes for a moment
    if (inProgress.has(id)) return; // the same message again: settling the first copy settles both
    inHand.inc({ lane: mail.lane });
    const end = mail.lane === 'mail' ? visibility.begin(mail) : undefined;
    const ended = deliver(mail, ofPartition)
      .catch((error: unknown) => {
        log.error('mail.handed_back', { event_id: mail.event.event_id, lane: mail.lane, error });
        handedBack(mail.lane);
        mail.nak(NAK_DELAY_MS);
      })
      .finally(() => {
        end?.();
        inProgress.delete(id);
        inHand.dec({ lane: mail.lane });
      });
    inProgress.set(id, { mail, sinceMs: Date.now(), ended });
    await ended;
  };

  const pullNewPartitions = async (): Promise<void> => {
    const partitions = await existingPartitions(streams.manager);
    for (const partition of partitions.filter((one) => !pulled.has(one))) {
      await ensureConsumer(streams.manager, mailStream(partition), ackWaitMs);
      await ensureConsumer(streams.manager, retryStream(partition), ackWaitMs);
      const slotsOf = (lane: Lane) => ({
        capacity: Math.max(MIN_SLOTS, Math.floor(slots[lane] / partitions.length)),
        used: 0,
      });
      const ofPartition = { mail: slotsOf('mail'), retry: slotsOf('retry') };
      for (const lane of ['mail', 'retry'] as const) {
        const pulledLane = pullLane(
          nats,
          streams,
          {
            lane,
            partition,
            slots: ofPartition[lane].capacity,
            handle: (mail) => handle(mail, ofPartition),
          },
          log,
        );
        lanes.push(pulledLane);
        if (lane === 'mail') visibility.watch(partition, () => pulledLane.isFull());
      }
      pulled.add(partition);
      log.info('partition.joined', { partition });
    }
  };

  await onceJetStreamAnswers(pullNewPartitions);
  const discovery = setInterval(() => {
    pullNewPartitions().catch((error: unknown) => log.warn('partitions.not_listed', { error }));
  }, NEW_PARTITIONS_MS);
  const heartbeat = setInterval(() => {
    for (const { mail, sinceMs } of inProgress.values())
      if (Date.now() - sinceMs > ackWaitMs / 3) mail.working();
  }, ackWaitMs / 3);

  const stop = async (): Promise<void> => {
    clearInterval(discovery);
    await Promise.all(lanes.map((lane) => lane[Symbol.asyncDispose]()));
  };
  return {
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await Promise.allSettled([...inProgress.values()].map(({ ended }) => ended));
      clearInterval(heartbeat);
    },
  };
}
