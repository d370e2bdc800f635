/**
 * The audit after the faults: accepted emails, received webhooks, delivery records and streams must
 * agree.
 */
import { jetstreamManager } from '@nats-io/jetstream';

import {
  DISPATCHER_CONSUMER,
  existingPartitions,
  FAILED_STREAM,
  mailStream,
  retryStream,
} from '../../services/adapters/stream/streams.ts';
import { recountUsage } from '../../services/adapters/mongo/metering/recount.ts';
import type { Delivery } from '../../services/core/delivery/delivery.ts';
import { until } from '../support/until.ts';
import type { Field } from './field.ts';
import type { Load } from './load.ts';

export type Audit = {
  delivered: number;
  failed: number;
  posts: number;
  /** Accepted webhooks of an event after the first one. */
  duplicates: number;
  longestDelayMs: number;
  longestDelayOfGoodMs: number;
  settledMs: number;
  faults: string[];
};

const SETTLE_WITHIN_MS = 90_000;
const SHOWN = 5;

export async function auditMail(field: Field, load: Load): Promise<Audit> {
  const { receiver, nats, mongo } = field;
  const startedMs = Date.now();
  const manager = await jetstreamManager(nats.connection);
  const records = mongo.db.collection<Omit<Delivery, 'event_id'> & { _id: string }>('deliveries');
  const faults: string[] = [];
  const expectNone = (what: string, found: readonly string[]) =>
    found.length > 0 &&
    faults.push(`${what}: ${found.length}, e.g. ${found.slice(0, SHOWN).join(', ')}`);

  const unsettled = async (): Promise<number> => {
    let messages = 0;
    for (const partition of await existingPartitions(manager)) {
      const { num_pending, num_ack_pending } = await manager.consumers.info(
        mailStream(partition),
        DISPATCHER_CONSUMER,
      );
      messages +=
        num_pending +
        num_ack_pending +
        (await manager.streams.info(retryStream(partition))).state.messages;
    }
    return messages;
  };
  const isSettled = async () =>
    (await records.countDocuments({ status: { $in: ['delivered', 'failed'] } })) >=
      load.accepted.length && (await unsettled()) === 0;
  await until('all deliveries to be final', isSettled, SETTLE_WITHIN_MS).catch(async () =>
    faults.push(
      `not settled within ${SETTLE_WITHIN_MS / 1000} s: ${await unsettled()} messages on the streams`,
    ),
  );
  const settledMs = Date.now() - startedMs;

  const found = await records.find().toArray();
  const bySubject = Map.groupBy(found, ({ subject }) => subject ?? '');
  const { state } = await manager.streams.info(FAILED_STREAM, { subjects_filter: 'failed.>' });
  const kept = new Set(
    Object.keys(state.subjects ?? {}).map((subject) => subject.split('.').at(-1)),
  );
  const successes = Map.groupBy(
    receiver.received().filter(({ status }) => status === 200),
    ({ payload }) => payload.event_id,
  );
  const delays = load.accepted.map(({ subject, mood, atMs }) => {
    const first = successes.get(bySubject.get(subject)?.[0]?._id ?? '')?.[0];
    return { mood, ms: first ? Math.max(0, first.at - atMs) : 0 };
  });
  const longest = (of: typeof delays) =>
    of.reduce((longestMs, { ms }) => Math.max(longestMs, ms), 0);

  expectNone('emails that never got a 250', load.unsent);
  expectNone(
    'accepted emails without a record',
    load.accepted.filter(({ subject }) => !bySubject.has(subject)).map(({ subject }) => subject),
  );
  expectNone(
    'emails with several events',
    [...bySubject].filter(([, events]) => events.length > 1).map(([subject]) => subject),
  );
  expectNone(
    'events that the receiver got, without a record',
    [...successes.keys()].filter((id) => !found.some(({ _id }) => _id === id)),
  );
  expectNone(
    'wrong counters',
    (await Array.fromAsync(recountUsage(mongo.client, mongo.db))).map((difference) =>
      JSON.stringify(difference),
    ),
  );
  expectNone(
    'delivered by the record, but not accepted by the receiver',
    found
      .filter(({ _id, status }) => status === 'delivered' && !successes.has(_id))
      .map(({ _id }) => _id),
  );
  expectNone(
    'failed by the record, but not stored in FAILED',
    found.filter(({ _id, status }) => status === 'failed' && !kept.has(_id)).map(({ _id }) => _id),
  );
  expectNone(
    'neither delivered nor failed',
    found
      .filter(({ status }) => status !== 'delivered' && status !== 'failed')
      .map(({ _id, status }) => `${_id} ${status}`),
  );
  for (const [mood, { address, id }] of field.addresses) {
    const { email_count } =
      (await mongo.db
        .collection<{ _id: string; email_count: number }>('addresses')
        .findOne({ _id: id })) ?? {};
    const count = found.filter(({ address_id }) => address_id === id).length;
    if (email_count !== count)
      faults.push(
        `${mood} (${address}): email_count is ${email_count}, but ${count} emails have a record`,
      );
  }
  return {
    delivered: found.filter(({ status }) => status === 'delivered').length,
    failed: found.filter(({ status }) => status === 'failed').length,
    posts: receiver.received().length,
    duplicates: [...successes.values()].reduce((sum, one) => sum + one.length - 1, 0),
    longestDelayMs: longest(delays),
    longestDelayOfGoodMs: longest(delays.filter(({ mood }) => mood === 'good')),
    settledMs,
    faults,
  };
}
