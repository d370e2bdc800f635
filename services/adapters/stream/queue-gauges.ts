/**
 * The queue as metrics. Gateways and dispatchers all tell the whole of it, so that it shows whichever of them is left: take the maximum over
 * processes, never the sum.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

import type { LaneFacts, QueueFacts } from './queue-facts.ts';

/** A scrape within this time of the last sees the same facts: several Prometheus servers cost one. */
const FRESH_MS = 1_000;
/** What NATS has not told by then, this scrape does without. */
const WAIT_MS = 3_000;

export function registerQueueGauges(registry: Registry, read: () => Promise<QueueFacts>): void {
  const facts = recently(read);
  const gauge = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    measure: (facts: QueueFacts, set: (labels: Record<L, string>, value: number) => void) => void,
  ): void => {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async function collectFacts() {
        const now = await facts();
        this.reset(); // a value of before would pass for one of now
        if (labelNames.length === 0) this.remove(); // reset makes it 0
        if (now) measure(now, (labels, value) => this.set(labels, value));
      },
    });
  };

  gauge(
    'inlet_queue_mails',
    'mails on the stream by lane and state: ready to be taken, or pending: in hand or asleep',
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
    'age of the oldest mail of a lane that is not settled; 0 without one',
    ['lane', 'partition'],
    ({ lanes }, set) => {
      for (const lane of lanes)
        set(of(lane), lane.oldestAt ? Math.max(0, Date.now() - lane.oldestAt.getTime()) / 1000 : 0);
    },
  );
  gauge(
    'inlet_dispatcher_backlog_mails',
    'fresh mails that no attempt has ended for, over all partitions; sleeping retries are not in it: scale dispatchers by this',
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
    'messages that a stream holds, settled ones that are kept for replay included',
    ['stream'],
    ({ streams }, set) => {
      for (const { name, messages } of streams) set({ stream: name }, messages);
    },
  );
  gauge('inlet_stream_bytes', 'bytes that a stream holds', ['stream'], ({ streams }, set) => {
    for (const { name, bytes } of streams) set({ stream: name }, bytes);
  });
  gauge(
    'inlet_stream_max_bytes',
    'bytes that a stream may hold; absent for a stream without a limit of its own',
    ['stream'],
    ({ streams }, set) => {
      for (const { name, maxBytes } of streams)
        if (maxBytes !== undefined) set({ stream: name }, maxBytes);
    },
  );
  gauge(
    'inlet_jetstream_storage_bytes',
    "file storage that the streams of Inlet's JetStream account take",
    [],
    ({ storage }, set) => set({}, storage.usedBytes),
  );
  gauge(
    'inlet_jetstream_storage_max_bytes',
    'file storage that the JetStream account may take; absent when the account has no limit',
    [],
    ({ storage }, set) => {
      if (storage.maxBytes !== undefined) set({}, storage.maxBytes);
    },
  );
}

const of = ({ lane, partition }: LaneFacts) => ({ lane, partition: String(partition) });

/** One reading for all who ask within a while; undefined when it fails or takes too long, NATS being away for one. */
function recently(read: () => Promise<QueueFacts>): () => Promise<QueueFacts | undefined> {
  let reading: Promise<QueueFacts | undefined> | undefined;
  let endedAt: number | undefined;
  return () => {
    if (reading === undefined || (endedAt !== undefined && Date.now() - endedAt > FRESH_MS)) {
      endedAt = undefined;
      reading = read()
        .catch(() => undefined)
        .finally(() => {
          endedAt = Date.now();
        });
    }
    return Promise.race([reading, sleep(WAIT_MS, undefined, { ref: false })]);
  };
}
