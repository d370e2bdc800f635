/** The streams between the two halves of the yardstick `floor`. */
import { AckPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';

export const FLOOR_PARTITIONS = 4;

export const floorStream = (partition: number) => ({
  name: `FLOOR-${partition}`,
  subjects: [`floor.${partition}.>`],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
});

export const floorConsumer = {
  durable_name: 'floor',
  ack_policy: AckPolicy.Explicit,
  max_ack_pending: -1,
};
