/**
 * The end of the replay window: removes emails that are settled and old enough from the MAIL
 * partitions, or the oldest ones to make room for new email. An email that is not settled is never
 * removed.
 */
import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream';

import { isStreamFull, nullWhenAbsent } from './connection/errors.ts';
import {
  DISPATCHER_CONSUMER,
  existingPartitions,
  mailStream,
  type Streams,
} from './events/streams.ts';

/** A round leaves at least the rest of a partition's limit free. */
const NEARLY_FULL = 0.8;
/** Share of the limit that is freed when an email does not fit. */
const ROOM = 0.05;
/** For the headers of a message and the stream's own bytes. */
const OVERHEAD_BYTES = 64 * 1024;
/** Metadata of a stream: it still stores the settled emails that were stored since this time. */
const KEPT_FROM = 'inlet-kept-from';

/**
 * Purges every partition. Several processes may do this at the same time.
 * @param keepFrom emails stored before this time are removed, if they are settled
 * @returns number of messages purged
 */
export async function purgeMail({ manager }: Streams, keepFrom: Date): Promise<number> {
  let purged = 0;
  for (const partition of await existingPartitions(manager)) {
    const stream = mailStream(partition);
    const { state, config } = await manager.streams.info(stream);
    if (state.messages === 0) continue;
    const firstKept = await firstSince(
      manager,
      stream,
      [state.first_seq, state.last_seq],
      keepFrom,
    );
    purged += await purgeSettled(manager, stream, state.first_seq, firstKept);
    if (config.max_bytes > 0)
      purged += await shrink(manager, stream, config.max_bytes * NEARLY_FULL);
  }
  return purged;
}

/**
 * Makes room for an email that its partition refused. Callers for one partition share the work.
 * @param bytes size of the email
 * @returns false when no settled email is stored there
 */
type MakeRoom = (partition: number, bytes: number, refusal: unknown) => Promise<boolean>;

export function createMakeRoom({ manager }: Pick<Streams, 'manager'>): MakeRoom {
  const making = new Map<number, Promise<boolean>>();
  const make = async (stream: string, bytes: number, refusal: unknown): Promise<boolean> => {
    const { state, config } = await manager.streams.info(stream);
    const full = isStreamFull(refusal) ? config.max_bytes : state.bytes;
    const wanted = full - Math.max(full * ROOM, bytes + OVERHEAD_BYTES);
    return state.bytes <= wanted || (await shrink(manager, stream, wanted)) > 0;
  };
  return function makeRoom(partition, ...of) {
    const made =
      making.get(partition) ??
      make(mailStream(partition), ...of).finally(() => making.delete(partition));
    making.set(partition, made);
    return made;
  };
}

/** Notes that a bucket no longer stores the objects of all settled emails before this time. */
export async function noteKeptFrom(
  manager: JetStreamManager,
  bucket: string,
  from: Date,
): Promise<void> {
  const stream = `OBJ_${bucket}`;
  const { config } = await manager.streams.info(stream);
  const metadata = { ...config.metadata, [KEPT_FROM]: from.toISOString() };
  await manager.streams.update(stream, { metadata });
}

/** Since when partitions store all settled emails. Those that never had to make room are left out. */
export async function keptFrom({ manager }: Pick<Streams, 'manager'>): Promise<Date[]> {
  const infos = await Array.fromAsync(manager.streams.list());
  const partitions = infos.filter(({ config }) => config.name.startsWith('MAIL-'));
  return partitions.flatMap(({ config }) => keptFromOf(config) ?? []);
}

/** undefined without a time */
export const keptFromOf = ({ metadata }: Pick<StreamConfig, 'metadata'>): Date | undefined =>
  metadata?.[KEPT_FROM] === undefined ? undefined : new Date(metadata[KEPT_FROM]);

/** Removes the oldest settled emails until the stream has at most this size. */
async function shrink(manager: JetStreamManager, stream: string, bytes: number): Promise<number> {
  for (let purged = 0; ;) {
    const { state } = await manager.streams.info(stream);
    const each = state.bytes / state.messages;
    const firstKept = state.first_seq + Math.ceil((state.bytes - bytes) / each);
    const removed =
      state.bytes > bytes ? await purgeSettled(manager, stream, state.first_seq, firstKept) : 0;
    purged += removed;
    if (removed > 0) continue;
    const first = state.messages > 0 ? state.first_ts : new Date().toISOString();
    if (purged > 0) await manager.streams.update(stream, { metadata: { [KEPT_FROM]: first } });
    return purged;
  }
}

/** Removes the messages before a sequence, as far as all of them are settled. */
async function purgeSettled(
  manager: JetStreamManager,
  stream: string,
  first: number,
  firstKept: number,
): Promise<number> {
  const consumer = await manager.consumers.info(stream, DISPATCHER_CONSUMER).catch(nullWhenAbsent);
  const seq = Math.min(firstKept, (consumer?.ack_floor.stream_seq ?? 0) + 1);
  return seq > first ? (await manager.streams.purge(stream, { seq })).purged : 0;
}

/**
 * A sequence that separates the older messages from those stored at `since` or later. The binary
 * search steps over the gaps that removed contents leave.
 */
async function firstSince(
  manager: JetStreamManager,
  stream: string,
  [first, last]: readonly [number, number],
  since: Date,
): Promise<number> {
  let [low, high] = [first, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const atOrAfter = { seq: middle, next_by_subj: '>' };
    const next = await manager.streams.getMessage(stream, atOrAfter);
    if (next === null || next.time >= since) high = middle;
    else low = next.seq + 1;
  }
  return low;
}
