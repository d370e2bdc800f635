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
   * The first sequence stored at `since` or later, or `last + 1` when all are older. A binary
   * search works because the sequences of a stream without deletions have no gaps.
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
      const message = await manager.streams.getMessage(stream, { seq: middle });
      if (message !== null && message.time >= since) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
