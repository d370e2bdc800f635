/**
 * Reads the headers of stored emails in a MAIL partition from a position: those that are stored from
 * then on, those in a range, and the backlog.
 */
import { AckPolicy, DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';

import { type MailEvent, type StoredAt, storedIn } from '../../../core/delivery/mail-event.ts';
import { trueWhenOtherwiseConfigured } from '../connection/errors.ts';
import { BACKLOG_CONSUMER, DISPATCHER_CONSUMER, mailStream, type Streams } from './streams.ts';
import { readEvent } from './wire.ts';

export type StoredMail = { event: MailEvent; storedAt: StoredAt };

export type Mailbox = {
  accountId: string;
  /** Addresses and further receivers; undefined for all of the account. */
  receiverIds: readonly string[] | undefined;
};

type Clients = Pick<Streams, 'client' | 'manager' | 'region'>;

const FOLLOW_BATCH = 200;
const RANGE_EXPIRES_MS = 2_000;
const BACKLOG_EXPIRES_MS = 1_000; // the shortest that JetStream accepts
const BACKLOG_MAX_MESSAGES = 500;
/** Another dispatcher gets the emails of the backlog that this one did not settle by then. */
const BACKLOG_ACK_WAIT_MS = 3_000;
const BACKLOG_INACTIVE_MS = 30_000;

/** @param from emails after this sequence, or since this time */
const headersFrom = (from: number | Date) => ({
  headers_only: true,
  ...(from instanceof Date
    ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.toISOString() }
    : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from + 1 }),
});

/**
 * Reports every message of these accounts after a sequence, as soon as it is stored.
 * @param seen gets undefined for a message that is not an email of Inlet
 * @returns a function that stops it
 */
export async function followHeaders(
  { client, region }: Pick<Clients, 'client' | 'region'>,
  partition: number,
  accountIds: readonly string[],
  after: number,
  seen: (sequence: number, mail: StoredMail | undefined) => void,
): Promise<() => Promise<void>> {
  const consumer = await client.consumers.get(mailStream(partition), {
    ...headersFrom(after),
    filter_subjects: accountIds.map((account) => `mail.${partition}.${account}.>`),
  });
  const messages = await consumer.consume({ max_messages: FOLLOW_BATCH });
  void (async () => {
    for await (const message of messages) seen(message.seq, mailIn(message, region, partition));
  })();
  return async function stop() {
    await messages.close();
    await consumer.delete().catch(() => false); // else the server removes it when it is inactive
  };
}

/**
 * The emails of an account, or of some of its receivers, oldest first. `isComplete` is false when
 * there are more than `limit`, or some are no longer stored.
 * @param from emails after this sequence, or since this time
 */
export async function readHeaders(
  { client, manager, region }: Clients,
  partition: number,
  { accountId, receiverIds = ['>'] }: Mailbox,
  from: number | Date,
  limit: number,
): Promise<{ mails: StoredMail[]; isComplete: boolean }> {
  if (receiverIds.length === 0) return { mails: [], isComplete: true }; // no filter would be all
  const stream = mailStream(partition);
  const { state } = await manager.streams.info(stream);
  const isTime = from instanceof Date;
  // NATS has lost its data since, and counts from 1 again
  const isOfLostStream = !isTime && from > state.last_seq;
  if (!isTime && from === state.last_seq) return { mails: [], isComplete: true };
  const isKept = !isOfLostStream && (isTime || from === 0 || from + 1 >= state.first_seq);
  const consumer = await client.consumers.get(stream, {
    ...headersFrom(isOfLostStream ? 0 : from),
    filter_subjects: receiverIds.map((id) => `mail.${partition}.${accountId}.${id}`),
  });
  try {
    const { num_pending } = await consumer.info();
    const mails: StoredMail[] = [];
    let read = 0; // also what is not an email
    if (num_pending > 0) {
      const max_messages = Math.min(num_pending, limit);
      const messages = await consumer.fetch({ max_messages, expires: RANGE_EXPIRES_MS });
      for await (const message of messages) {
        read++;
        const mail = mailIn(message, region, partition);
        if (mail) mails.push(mail);
      }
    }
    return { mails, isComplete: isKept && num_pending <= limit && read === num_pending };
  } finally {
    await consumer.delete().catch(() => false);
  }
}

/**
 * Shows emails of one partition that no dispatcher has pulled yet, for about a second. All
 * dispatchers share the work, by a consumer that JetStream removes when there is no such backlog.
 * @returns false when the partition has no backlog
 */
export async function readBacklog(
  { client, manager, region }: Clients,
  partition: number,
  show: (mail: StoredMail) => Promise<void>,
): Promise<boolean> {
  const stream = mailStream(partition);
  const { num_pending, delivered } = await manager.consumers.info(stream, DISPATCHER_CONSUMER);
  if (num_pending === 0) return false;
  await manager.consumers
    .add(stream, {
      ...headersFrom(delivered.stream_seq),
      durable_name: BACKLOG_CONSUMER,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(BACKLOG_ACK_WAIT_MS),
      max_deliver: -1,
      max_ack_pending: -1,
      inactive_threshold: nanos(BACKLOG_INACTIVE_MS),
      mem_storage: true,
      num_replicas: 1,
    })
    .catch(trueWhenOtherwiseConfigured); // another dispatcher made it: it starts earlier
  const consumer = await client.consumers.get(stream, BACKLOG_CONSUMER);
  const messages = await consumer.fetch({
    max_messages: BACKLOG_MAX_MESSAGES,
    expires: BACKLOG_EXPIRES_MS,
  });
  const settled: Promise<void>[] = [];
  for await (const message of messages) {
    const mail = mailIn(message, region, partition);
    // a dispatcher that has pulled an email shows it itself
    if (message.seq <= delivered.stream_seq || !mail) message.ack();
    else {
      const shown = show(mail).then(() => message.ack());
      shown.catch(() => undefined); // thrown below: unhandled until then, it would end the process
      settled.push(shown);
    }
  }
  await Promise.all(settled);
  return true;
}

/** Undefined for a message that is not an email of Inlet. */
function mailIn(
  message: JsMsg,
  region: string | undefined,
  partition: number,
): StoredMail | undefined {
  try {
    const event = readEvent(message.headers);
    return { event, storedAt: storedIn(region, partition, message.seq) };
  } catch {
    return undefined;
  }
}
