/** How much mail lies on the stream, as the metrics show it. */
import { existingPartitions, DISPATCHER_CONSUMER, mailStream, retryStream, type Streams } from './streams.ts';

export type LaneDepth = {
  lane: 'mail' | 'retry';
  partition: number;
  /** Not yet taken by any dispatcher. */
  ready: number;
  /** In a dispatcher's hands, or asleep until a retry is due. */
  pending: number;
};

export async function readLaneDepths({ manager }: Streams): Promise<LaneDepth[]> {
  const depths: LaneDepth[] = [];
  for (const partition of await existingPartitions(manager)) {
    for (const [lane, stream] of [['mail', mailStream(partition)], ['retry', retryStream(partition)]] as const) {
      const info = await manager.consumers.info(stream, DISPATCHER_CONSUMER);
      depths.push({ lane, partition, ready: info.num_pending, pending: info.num_ack_pending });
    }
  }
  return depths;
}
