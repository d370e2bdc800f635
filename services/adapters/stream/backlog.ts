/**
 * The emails of a MAIL partition that no dispatcher has pulled yet. A consumer of its own delivers
 * their headers only. It exists while there is such a backlog: JetStream removes it afterwards.
 */
import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';

import type { MailEvent, StoredAt } from '../../core/delivery/mail-event.ts';
import {
  BACKLOG_CONSUMER,
  DISPATCHER_CONSUMER,
  mailStream,
  type Streams,
  trueWhenOtherwiseConfigured,
} from './streams.ts';
import { readEvent } from './wire.ts';

export type WaitingMail = { event: MailEvent; storedAt: StoredAt };

const PULL_EXPIRES_MS = 1_000; // the shortest that JetStream accepts
const MAX_MESSAGES = 500;
/** Another dispatcher gets what this one did not settle by then. */
const ACK_WAIT_MS = 3_000;
const INACTIVE_MS = 30_000;

/**
 * Shows emails of one partition's backlog for about a second. All dispatchers share the work.
 * @returns false when the partition has no backlog
 */
export async function readBacklog(
  { client, manager }: Streams,
  partition: number,
  show: (mail: WaitingMail) => Promise<void>,
): Promise<boolean> {
  const stream = mailStream(partition);
  const { num_pending, delivered } = await manager.consumers.info(stream, DISPATCHER_CONSUMER);
  if (num_pending === 0) return false;
  await manager.consumers
    .add(stream, {
      durable_name: BACKLOG_CONSUMER,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      max_deliver: -1,
      max_ack_pending: -1,
      headers_only: true,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: delivered.stream_seq + 1,
      inactive_threshold: nanos(INACTIVE_MS),
      mem_storage: true,
      num_replicas: 1,
    })
    .catch(trueWhenOtherwiseConfigured); // another dispatcher made it: it starts earlier
  const consumer = await client.consumers.get(stream, BACKLOG_CONSUMER);
  const messages = await consumer.fetch({ max_messages: MAX_MESSAGES, expires: PULL_EXPIRES_MS });
  const settled: Promise<void>[] = [];
  for await (const message of messages) {
    if (message.seq <= delivered.stream_seq) {
      message.ack(); // a dispatcher has it, and shows it itself
      continue;
    }
    const waiting = {
      event: readEvent(message.headers),
      storedAt: { partition, sequence: message.seq },
    };
    settled.push(show(waiting).then(() => message.ack()));
  }
  await Promise.all(settled);
  return true;
}
