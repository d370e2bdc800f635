/**
 * Erases random emails while they are delivered, retried or about to be. Afterwards no store has their
 * content, and no receiver gets one of them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';

import { nullWhenAbsent } from '../../services/adapters/stream/connection/errors.ts';
import {
  FAILED_STREAM,
  mailStream,
  retryStream,
} from '../../services/adapters/stream/events/streams.ts';
import { readEvent } from '../../services/adapters/stream/events/wire.ts';
import { subjects } from '../../services/core/delivery/mail-event.ts';
import type { Chance } from './chance.ts';
import type { DeliveryRecord } from './faults.ts';
import { LEASE_SECONDS } from './consumer.ts';
import type { Field } from './field.ts';
import { pathOf, PULLED } from './moods.ts';

/** An email whose erasure was asked for. */
export type Erasure = {
  eventId: string;
  subject: string;
  /** When the API said that it is erased; undefined until then. */
  doneAtMs: number | undefined;
};

const EVERY_MS = 700;
/** The newest emails are those whose attempts are in flight. */
const AMONG = 60;
const AGAIN_MS = 1_000;
/** Longer than a record without a message waits for its end. */
const GIVE_UP_MS = 1_200_000;
/** The janitor erases once more what a dispatcher copied meanwhile. */
const KEPT_WITHIN_MS = 150_000;

type ErasuresOf = Pick<Field, 'mongo' | 'erase'>;
const recordsOf = ({ mongo }: Pick<Field, 'mongo'>) =>
  mongo.db.collection<DeliveryRecord>('deliveries');

/** @param stopAtMs milliseconds since 1970 */
export async function eraseAtRandom(
  field: ErasuresOf,
  chance: Chance,
  stopAtMs: number,
): Promise<Erasure[]> {
  const erasures = new Map<string, Erasure>();
  for (;;) {
    await sleep(chance.between(0, 2 * EVERY_MS));
    if (Date.now() > stopAtMs) return [...erasures.values()];
    const newest = await recordsOf(field)
      .find({ subject: { $ne: null } }, { sort: { _id: -1 }, limit: AMONG, timeoutMS: 5_000 })
      .toArray()
      .catch(() => []); // MongoDB is away
    if (newest.length === 0) continue;
    const { _id: eventId, subject, account_id } = chance.oneOf(newest);
    if (subject === null || erasures.has(eventId)) continue;
    const erasure: Erasure = { eventId, subject, doneAtMs: undefined };
    erasures.set(eventId, erasure);
    await eraseOnce(field, account_id, erasure);
  }
}

async function eraseOnce(field: ErasuresOf, accountId: string, erasure: Erasure): Promise<void> {
  const status = await field.erase(accountId, erasure.eventId);
  if (status === 200) erasure.doneAtMs = Date.now();
}

/** Asks again for those that were in flight: each must be possible in the end. */
export async function finishErasures(
  field: ErasuresOf,
  erasures: readonly Erasure[],
  report: (line: string) => void,
): Promise<void> {
  const deadlineMs = Date.now() + GIVE_UP_MS;
  for (;;) {
    const open = erasures.filter(({ doneAtMs }) => doneAtMs === undefined);
    if (open.length === 0 || Date.now() > deadlineMs) return;
    for (const erasure of open) {
      const record = await recordsOf(field).findOne({ _id: erasure.eventId });
      if (record !== null) await eraseOnce(field, record.account_id, erasure);
    }
    report(`${open.length} erasures were asked for again`);
    await sleep(AGAIN_MS * 10);
  }
}

/** What is wrong with the erased emails. */
export async function faultsOfErasures(
  field: Pick<Field, 'mongo' | 'nats' | 'receiver'>,
  erasures: readonly Erasure[],
): Promise<string[]> {
  const faults: string[] = [];
  const posts = Map.groupBy(field.receiver.received(), ({ payload }) => payload.event_id);
  for (const { eventId, doneAtMs } of erasures) {
    if (doneAtMs === undefined) {
      faults.push(`${eventId} cannot be erased`);
      continue;
    }
    const record = await recordsOf(field).findOne({ _id: eventId });
    if (record === null || record.subject !== null || record.from !== null)
      faults.push(`the record of ${eventId} has content after its erasure`);
    if (posts.get(eventId)?.some(({ at, path }) => at > doneAtMs + graceMs(path)))
      faults.push(`${eventId} was posted after its erasure`);
    const places = record ? await untilGone(field, record) : [];
    if (places.length > 0) faults.push(`${eventId} is in ${places.join(', ')} after its erasure`);
  }
  return faults;
}

/** A consumer may have leased an email before its erasure. */
const graceMs = (path: string): number => (path === pathOf(PULLED) ? LEASE_SECONDS * 1_000 : 0);

async function untilGone(field: Pick<Field, 'nats'>, record: DeliveryRecord): Promise<string[]> {
  for (const deadlineMs = Date.now() + KEPT_WITHIN_MS; ; await sleep(AGAIN_MS)) {
    const places = await placesOf(field, record);
    if (places.length === 0 || Date.now() > deadlineMs) return places;
  }
}

/** The streams that have a message of the email. */
async function placesOf({ nats }: Pick<Field, 'nats'>, record: DeliveryRecord): Promise<string[]> {
  const manager = await jetstreamManager(nats.connection);
  const { partition, sequence: seq } = record.stored_at;
  const delivery = { ...record, event_id: record._id };
  const places = [
    { stream: mailStream(partition), query: { seq } },
    {
      stream: retryStream(partition),
      query: { last_by_subj: subjects.retry(partition, delivery) },
    },
    { stream: FAILED_STREAM, query: { last_by_subj: subjects.failed(delivery) } },
  ];
  const found: string[] = [];
  for (const { stream, query } of places) {
    const message = await manager.streams.getMessage(stream, query).catch(nullWhenAbsent);
    if (message && readEvent(message.header).event_id === record._id) found.push(stream);
  }
  return found;
}
