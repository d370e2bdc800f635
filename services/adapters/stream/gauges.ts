/**
 * The queue as metrics. Every gateway and dispatcher exports the state of the whole queue, so that
 * it is visible while any of them runs. Aggregate over processes with the maximum, never with the
 * sum.
 */
import { replayableMs } from '../../core/delivery/retention.ts';
import { withDeadline } from '../async/deadline.ts';
import { ANY, type Meter } from '../process/meter.ts';
import type { LaneFacts, QueueFacts } from './facts.ts';

/** Scrapes within this time share one reading: several Prometheus servers cost no more than one. */
const FRESH_MS = 1_000;
/** A scrape waits this long for NATS, then omits these metrics. */
const WAIT_MS = 3_000;
/** The next scrapes, until NATS has answered: an outage must not hide the other metrics of the process. */
const WAIT_AGAIN_MS = 200;

/** @param retentionMs how long delivered emails are promised to be stored; only dispatchers know it */
export function registerQueueGauges(
  { gauge: add }: Meter,
  read: () => Promise<QueueFacts>,
  retentionMs?: number,
): void {
  const facts = recently(read);
  const gauge = <const L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
    measure: (facts: QueueFacts, set: (labels: Record<L, string>, value: number) => void) => void,
  ): void => {
    const lists = Object.fromEntries(labels.map((label) => [label, ANY]));
    add(name, help, lists, async (set) => {
      const now = await facts();
      if (now) measure(now, set);
    });
  };

  gauge(
    'inlet_queue_mails',
    'emails in the queue by lane and state: ready, or pending (in progress, or waiting for a retry)',
    ['lane', 'partition', 'state'],
    ({ lanes }, set) => {
      for (const lane of lanes) {
        set({ ...of(lane), state: 'ready' }, lane.ready);
        set({ ...of(lane), state: 'pending' }, lane.pending);
      }
    },
  );
  gauge(
    'inlet_queue_age_seconds',
    'age of the oldest email of a lane that is neither delivered nor failed; 0 without one',
    ['lane', 'partition'],
    ({ lanes }, set) => {
      for (const lane of lanes)
        set(of(lane), lane.oldestAt ? Math.max(0, Date.now() - lane.oldestAt.getTime()) / 1000 : 0);
    },
  );
  gauge(
    'inlet_dispatcher_backlog_mails',
    'emails whose first attempt has not ended, over all partitions; scale dispatchers by this',
    [],
    ({ lanes }, set) => {
      set(
        {},
        lanes
          .filter(({ lane }) => lane === 'mail')
          .reduce((sum, { ready, pending }) => sum + ready + pending, 0),
      );
    },
  );
  gauge(
    'inlet_stream_messages',
    'messages in a stream, including delivered ones that are stored for replay',
    ['stream'],
    ({ streams }, set) => {
      for (const { name, messages } of streams) set({ stream: name }, messages);
    },
  );
  gauge('inlet_stream_bytes', 'bytes in a stream', ['stream'], ({ streams }, set) => {
    for (const { name, bytes } of streams) set({ stream: name }, bytes);
  });
  gauge(
    'inlet_stream_max_bytes',
    'size limit of a stream in bytes; absent for a stream without its own limit',
    ['stream'],
    ({ streams }, set) => {
      for (const { name, maxBytes } of streams)
        if (maxBytes !== undefined) set({ stream: name }, maxBytes);
    },
  );
  gauge(
    'inlet_stream_outdated_copies',
    'copies of a stream on other NATS nodes that are offline or not up to date; 0 when all are current',
    ['stream'],
    ({ streams }, set) => {
      for (const { name, copiesBehind } of streams) set({ stream: name }, copiesBehind);
    },
  );
  gauge(
    'inlet_jetstream_storage_bytes',
    "file storage used by Inlet's JetStream account, in bytes",
    [],
    ({ storage }, set) => set({}, storage.usedBytes),
  );
  gauge(
    'inlet_jetstream_storage_max_bytes',
    "file storage limit of Inlet's JetStream account, in bytes; absent when it has no limit",
    [],
    ({ storage }, set) => {
      if (storage.maxBytes !== undefined) set({}, storage.maxBytes);
    },
  );
  if (retentionMs === undefined) return;
  gauge(
    'inlet_replay_promised_seconds',
    'how long delivered emails should be stored for replay (REPLAY_RETENTION)',
    [],
    (_, set) => set({}, retentionMs / 1000),
  );
  gauge(
    'inlet_replay_kept_seconds',
    'how long delivered emails are stored for replay; less than promised after a stream had to make room',
    [],
    ({ streams }, set) => {
      const keptFrom = streams.flatMap(({ keptFrom: from }) => from ?? []);
      set({}, replayableMs(retentionMs, keptFrom, new Date()) / 1000);
    },
  );
}

const of = ({ lane, partition }: LaneFacts) => ({ lane, partition: String(partition) });

/** Shares one reading between calls for a while. undefined when it fails or takes too long. */
function recently(read: () => Promise<QueueFacts>): () => Promise<QueueFacts | undefined> {
  let reading: Promise<QueueFacts | undefined> | undefined;
  let endedAt: number | undefined;
  let isAnswered = true;
  const readOnce = async (): Promise<QueueFacts | undefined> => {
    const facts = await read().catch(() => undefined);
    isAnswered = facts !== undefined;
    endedAt = performance.now();
    return facts;
  };
  return () => {
    if (
      reading === undefined ||
      (endedAt !== undefined && performance.now() - endedAt > FRESH_MS)
    ) {
      endedAt = undefined;
      reading = readOnce();
    }
    return withDeadline(isAnswered ? WAIT_MS : WAIT_AGAIN_MS, reading).catch(() => {
      isAnswered = false;
      return undefined;
    });
  };
}
