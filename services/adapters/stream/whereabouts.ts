/** Where the message of a delivery is: in a lane that dispatchers pull, or in none (D167). */
import type { JetStreamManager } from '@nats-io/jetstream';

import type { Delivery } from '../../core/delivery/delivery.ts';
import { subjects } from '../../core/delivery/mail-event.ts';
import { nullWhenAbsent } from './errors.ts';
import { DISPATCHER_CONSUMER, mailStream, retryStream, type Streams } from './streams.ts';
import { readEvent } from './wire.ts';

type Placed = Pick<Delivery, 'event_id' | 'account_id' | 'address_id' | 'stored_at'>;

/** Up to this sequence, a MAIL partition has no message that waits. */
export type SettledUpTo = (partition: number) => Promise<number>;

/** One reading for each partition, for all deliveries of a round. */
export function createSettledUpTo({ manager }: Pick<Streams, 'manager'>): SettledUpTo {
  const floors = new Map<number, Promise<number>>();
  const read = async (partition: number): Promise<number> => {
    const consumer = await manager.consumers
      .info(mailStream(partition), DISPATCHER_CONSUMER)
      .catch(nullWhenAbsent);
    return consumer?.ack_floor.stream_seq ?? 0;
  };
  return (partition) => {
    const known = floors.get(partition) ?? read(partition);
    floors.set(partition, known);
    return known;
  };
}

/** @throws when NATS does not tell */
export async function waitsInLane(
  { manager }: { manager: JetStreamManager },
  delivery: Placed,
  settledUpTo: SettledUpTo,
): Promise<boolean> {
  const { partition, sequence } = delivery.stored_at;
  const subject = subjects.retry(partition, delivery);
  const inRetryLane = await manager.streams
    .getMessage(retryStream(partition), { last_by_subj: subject })
    .catch(nullWhenAbsent);
  if (inRetryLane !== null) return true;
  if (sequence <= (await settledUpTo(partition))) return false;
  const inMailLane = await manager.streams
    .getMessage(mailStream(partition), { seq: sequence })
    .catch(nullWhenAbsent);
  // a stream that was created again has other messages there
  return inMailLane !== null && readEvent(inMailLane.header).event_id === delivery.event_id;
}
