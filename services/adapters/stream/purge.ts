/**
 * The end of the replay window: removes emails that are acknowledged and old enough from the MAIL
 * partitions. An email without an acknowledgment is never removed.
 */
import { DISPATCHER_CONSUMER, existingPartitions, mailStream, type Streams } from './streams.ts';

/** Above this share of its limit, a partition makes room for new mail by ending replay windows. */
const NEARLY_FULL = 0.8;

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
    const { ack_floor } = await manager.consumers.info(stream, DISPATCHER_CONSUMER);
    const isNearlyFull = config.max_bytes > 0 && state.bytes > config.max_bytes * NEARLY_FULL;
    const firstKept = isNearlyFull
      ? state.last_seq + 1
      : await firstSince(stream, state.first_seq, state.last_seq, keepFrom);
    const sequence = Math.min(firstKept, ack_floor.stream_seq + 1);
    if (sequence > state.first_seq)
      purged += (await manager.streams.purge(stream, { seq: sequence })).purged;
  }
  return purged;

  /**
   * A sequence that separates the older messages from those stored at `since` or later. The binary
   * search steps over the gaps that removed contents leave.
   */
  async function firstSince(
    stream: string,
    first: number,
    last: number,
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
}
