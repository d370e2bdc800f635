/** Ends the replay window: what is acknowledged and old enough leaves its mail partition. What is not acknowledged never does. */
import { DISPATCHER_CONSUMER, existingPartitions, mailStream, type Streams } from './streams.ts';

/** A partition this full gives replays up for new mail. */
const NEARLY_FULL = 0.8;

/**
 * Purges every partition. Several processes may do it at once.
 * @param keepFrom mails stored before this time go; those that are not settled stay, however old
 * @returns messages purged
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

  /** The first sequence stored at `since` or later; one beyond the last when all are older. Sequences have no gaps below the last purge. */
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
