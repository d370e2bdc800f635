/** Reads from JetStream how much mail the streams hold, how old it is and how much room is left. */
import type { ConsumerInfo, JetStreamManager, StreamInfo } from '@nats-io/jetstream';

import { nullWhenAbsent } from './connection/errors.ts';
import type { Lane } from './pull.ts';
import { keptFromOf } from './purge.ts';
import {
  BODIES_BUCKET,
  DEAD_STREAM,
  DISPATCHER_CONSUMER,
  FAILED_STREAM,
  LINKED_BUCKET,
  type Streams,
} from './events/streams.ts';

export type LaneFacts = {
  lane: Lane;
  partition: number;
  /** Not delivered to any dispatcher yet. */
  ready: number;
  /** In progress in a dispatcher, or waiting until a retry is due. */
  pending: number;
  /** When the oldest unsettled email was stored in this lane; undefined without one. */
  oldestAt: Date | undefined;
};

type StreamFacts = {
  name: string;
  messages: number;
  bytes: number;
  /** undefined without its own limit */
  maxBytes: number | undefined;
  /** undefined for a stream that never made room; else since when it stores all settled emails */
  keptFrom: Date | undefined;
  /** Copies on other nodes that are offline or not up to date; 0 on a single server. */
  copiesBehind: number;
};

export type QueueFacts = {
  lanes: LaneFacts[];
  streams: StreamFacts[];
  /** File storage of the JetStream account; `maxBytes` is undefined when it has no limit. */
  storage: { usedBytes: number; maxBytes: number | undefined };
};

const LANE_STREAM = /^(MAIL|RETRY)-(\d+)$/;
const OTHER_STREAMS: ReadonlySet<string> = new Set([
  DEAD_STREAM,
  FAILED_STREAM,
  `OBJ_${BODIES_BUCKET}`,
  `OBJ_${LINKED_BUCKET}`,
]);

export async function readQueueFacts({ manager }: Pick<Streams, 'manager'>): Promise<QueueFacts> {
  const ours: StreamInfo[] = [];
  for await (const info of manager.streams.list())
    if (LANE_STREAM.test(info.config.name) || OTHER_STREAMS.has(info.config.name)) ours.push(info);
  const [account, lanes] = await Promise.all([
    manager.getAccountInfo(),
    Promise.all(ours.map((info) => laneFacts(manager, info))),
  ]);
  return {
    lanes: lanes.filter((facts) => facts !== undefined),
    streams: ours.map(({ config, state, cluster }) => ({
      name: config.name,
      messages: state.messages,
      bytes: state.bytes,
      maxBytes: limitOf(config.max_bytes),
      keptFrom: keptFromOf(config),
      copiesBehind: (cluster?.replicas ?? []).filter(({ current, offline }) => !current || offline)
        .length,
    })),
    storage: { usedBytes: account.storage, maxBytes: limitOf(account.limits.max_storage) },
  };
}

/** Emails in all RETRY lanes. */
export async function waitingInRetryLanes({ manager }: Pick<Streams, 'manager'>): Promise<number> {
  let waiting = 0;
  for await (const { config, state } of manager.streams.list('retry.>'))
    if (config.name.startsWith('RETRY-')) waiting += state.messages;
  return waiting;
}

async function laneFacts(
  manager: JetStreamManager,
  { config: { name }, state }: StreamInfo,
): Promise<LaneFacts | undefined> {
  const [, kind, number] = LANE_STREAM.exec(name) ?? [];
  if (number === undefined) return undefined;
  const lanePartition = {
    lane: kind === 'MAIL' ? 'mail' : 'retry',
    partition: Number(number),
  } as const;
  const firstAt = state.messages === 0 ? undefined : new Date(state.first_ts);
  const consumer = await manager.consumers.info(name, DISPATCHER_CONSUMER).catch(nullWhenAbsent);
  // no dispatcher has run yet
  if (!consumer) return { ...lanePartition, ready: state.messages, pending: 0, oldestAt: firstAt };
  const counts = { ready: consumer.num_pending, pending: consumer.num_ack_pending };
  // A settled email leaves the RETRY lane immediately, and the MAIL lane after its replay window.
  return {
    ...lanePartition,
    ...counts,
    oldestAt:
      lanePartition.lane === 'retry' ? firstAt : await oldestUnsettled(manager, name, consumer),
  };
}

async function oldestUnsettled(
  manager: JetStreamManager,
  stream: string,
  { num_pending, num_ack_pending, ack_floor }: ConsumerInfo,
): Promise<Date | undefined> {
  if (num_pending + num_ack_pending === 0) return undefined;
  const after = { seq: ack_floor.stream_seq + 1, next_by_subj: '>' };
  return (await manager.streams.getMessage(stream, after))?.time;
}

const limitOf = (bytes: number): number | undefined => (bytes > 0 ? bytes : undefined);
