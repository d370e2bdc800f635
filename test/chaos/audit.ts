/**
 * The audit after the faults: accepted emails, received webhooks, delivery records and streams must
 * agree.
 */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';

import { FAILED_STREAM, LINKED_BUCKET } from '../../services/adapters/stream/events/streams.ts';
import { recountUsage } from '../../services/adapters/mongo/usage/recount.ts';
import { LOST_AFTER_MS } from '../../services/core/delivery/overdue-delivery.ts';
import { attachmentsFile } from '../../services/core/webhook/linked-attachments.ts';
import { type Erasure, faultsOfErasures, finishErasures } from './erasures.ts';
import { type DeliveryRecord, faultsOf } from './faults.ts';
import type { Field } from './field.ts';
import type { Accepted, Load } from './load.ts';
import { settle, UNCHANGED_MS } from './settle.ts';

export type Audit = {
  delivered: number;
  failed: number;
  posts: number;
  /** Accepted webhooks of an event after the first one. */
  duplicates: number;
  longestDelayMs: number;
  /** For the receiver that always accepts, the longest delay first. */
  delaysOfGood: { eventId: string; ms: number }[];
  /** Its attempts without a response in time, for lack of processor time: it is paced for them. */
  timeoutsOfGood: number;
  /** Of what was accepted before NATS lost its data: ended as lost, and without a record. */
  lost: number;
  unrecorded: number;
  settledMs: number;
  faults: string[];
};

export type Run = {
  load: Load;
  erasures: readonly Erasure[];
  /** When NATS had lost all of its data and worked again; undefined if it did not. */
  emptiedAtMs: number | undefined;
};

export async function auditMail(
  field: Field,
  { load, erasures, emptiedAtMs = 0 }: Run,
  report: (line: string) => void,
): Promise<Audit> {
  const { receiver, nats } = field;
  const manager = await jetstreamManager(nats.connection);
  await finishErasures(field, erasures, report);
  const subjectOf = new Map(erasures.map(({ eventId, subject }) => [eventId, subject]));
  const endangered = new Set(
    load.accepted.filter(({ begunMs }) => begunMs <= emptiedAtMs).map(({ subject }) => subject),
  );
  const unrecorded = await withoutRecord(field, endangered, subjectOf);
  const unchangedMs = emptiedAtMs > 0 ? LOST_AFTER_MS + 2 * UNCHANGED_MS : UNCHANGED_MS;
  const settled = await settle(field, load.accepted.length - unrecorded.size, report, unchangedMs);
  const { found: records, counts } = await recordsAndCounts(field);
  // the record of an erased email has no subject any more
  const found = records.map((one) => ({ ...one, subject: subjectOf.get(one._id) ?? one.subject }));
  const bySubject = Map.groupBy(found, ({ subject }) => subject ?? '');
  const { state } = await manager.streams.info(FAILED_STREAM, { subjects_filter: 'failed.>' });
  const kept = new Set(
    Object.keys(state.subjects ?? {}).map((subject) => subject.split('.').at(-1) ?? ''),
  );
  const successes = Map.groupBy(
    receiver.received().filter(({ status }) => status === 200),
    ({ payload }) => payload.event_id,
  );
  const delayOf = ({ subject, atMs }: Accepted) => {
    const eventId = bySubject.get(subject)?.[0]?._id ?? '';
    const [first] = successes.get(eventId) ?? [];
    return { eventId, ms: first ? Math.max(0, first.at - atMs) : 0 };
  };

  const wrongCounters = await Array.fromAsync(recountUsage(field.mongo.db));
  const linked = field.addresses.get('linked')?.id;
  const files = await new Objm(jetstream(nats.connection)).open(LINKED_BUCKET);
  const isAbsent = async (name: string) => (await files.info(name))?.deleted !== false;
  const absent: string[] = [];
  const isGone = ({ _id, subject }: DeliveryRecord) =>
    subjectOf.has(_id) || endangered.has(subject ?? '');
  for (const { _id } of found.filter((one) => one.address_id === linked && !isGone(one)))
    for (const name of [_id, attachmentsFile(_id)]) if (await isAbsent(name)) absent.push(name);
  const faults = faultsOf({
    settled,
    unsent: load.unsent,
    accepted: load.accepted.map(({ subject }) => subject).filter((one) => !unrecorded.has(one)),
    found,
    succeeded: new Set(successes.keys()),
    kept,
    gone: new Set(found.filter(isGone).map(({ _id }) => _id)),
    wrongCounters: wrongCounters.map((difference) => JSON.stringify(difference)),
    absentFiles: absent,
    addresses: [...field.addresses].map(([mood, { address, id }]) => ({
      name: `${mood} (${address})`,
      id,
      emailCount: counts.get(id),
    })),
  });
  faults.push(...(await faultsOfErasures(field, erasures)));
  return {
    lost: found.filter(({ ended_as }) => ended_as === 'lost').length,
    unrecorded: unrecorded.size,
    delivered: found.filter(({ status }) => status === 'delivered').length,
    failed: found.filter(({ status }) => status === 'failed').length,
    posts: receiver.received().length,
    duplicates: [...successes.values()].reduce((sum, one) => sum + one.length - 1, 0),
    longestDelayMs: load.accepted.reduce((ms, email) => Math.max(ms, delayOf(email).ms), 0),
    delaysOfGood: load.accepted
      .filter(({ mood }) => mood === 'good')
      .map(delayOf)
      .toSorted((one, other) => other.ms - one.ms),
    timeoutsOfGood: found
      .filter(({ address_id }) => address_id === field.addresses.get('good')?.id)
      .flatMap(({ attempts }) => attempts)
      .filter(({ outcome }) => outcome === 'unreachable').length,
    settledMs: settled.ms,
    faults,
  };
}

/** Of these subjects, those that no record has: dispatchers had not seen them before they were lost. */
async function withoutRecord(
  { mongo }: Pick<Field, 'mongo'>,
  subjects: ReadonlySet<string>,
  subjectOf: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const records = await mongo.db
    .collection<DeliveryRecord>('deliveries')
    .find({}, { projection: { subject: 1 } })
    .toArray();
  const recorded = new Set(records.map(({ _id, subject }) => subjectOf.get(_id) ?? subject));
  return subjects.difference(recorded);
}

/** Read at the same point in time: dispatchers may still write. */
async function recordsAndCounts({ mongo }: Pick<Field, 'mongo'>) {
  await using session = mongo.client.startSession({ snapshot: true });
  const found = await mongo.db
    .collection<DeliveryRecord>('deliveries')
    .find({}, { session })
    .toArray();
  const addresses = await mongo.db
    .collection<{ _id: string; email_count: number }>('addresses')
    .find({}, { session })
    .toArray();
  return { found, counts: new Map(addresses.map(({ _id, email_count }) => [_id, email_count])) };
}
