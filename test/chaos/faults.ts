/** The rules of the audit: what must be true of accepted emails, webhooks, records and streams. */
import type { Delivery } from '../../services/core/delivery/delivery.ts';
import type { Settled } from './settle.ts';

export type DeliveryRecord = Omit<Delivery, 'event_id'> & { _id: string };

export type AuditFacts = {
  settled: Settled;
  /** Subjects, each of one email. */
  unsent: readonly string[];
  accepted: readonly string[];
  found: readonly Pick<DeliveryRecord, '_id' | 'subject' | 'status' | 'address_id' | 'ended_as'>[];
  /** Events with a 200 from the receiver. */
  succeeded: ReadonlySet<string>;
  /** Events in FAILED. */
  kept: ReadonlySet<string>;
  /** Events whose copies were erased, or lost with the data of NATS. */
  gone: ReadonlySet<string>;
  wrongCounters: readonly string[];
  absentFiles: readonly string[];
  addresses: readonly { name: string; id: string; emailCount: number | undefined }[];
};

const SHOWN = 5;

export function faultsOf({
  settled,
  unsent,
  accepted,
  found,
  succeeded,
  kept,
  gone,
  wrongCounters,
  absentFiles,
  addresses,
}: AuditFacts): string[] {
  const faults: string[] = [];
  const expectNone = (what: string, wrong: readonly string[]) =>
    wrong.length > 0 &&
    faults.push(`${what}: ${wrong.length}, e.g. ${wrong.slice(0, SHOWN).join(', ')}`);
  const idsOf = (records: AuditFacts['found']) => records.map(({ _id }) => _id);
  const bySubject = Map.groupBy(found, ({ subject }) => subject ?? '');
  const ids = new Set(idsOf(found));

  if (!settled.isComplete)
    faults.push(
      `nothing changes any more, ${settled.ms / 1000} s after the faults: ` +
        `${settled.onStreams} messages on the streams, ${settled.final} records final`,
    );
  expectNone('emails that never got a 250', unsent);
  expectNone(
    'accepted emails without a record',
    accepted.filter((subject) => !bySubject.has(subject)),
  );
  expectNone(
    'emails with several events',
    [...bySubject].filter(([, events]) => events.length > 1).map(([subject]) => subject),
  );
  expectNone(
    'events that the receiver got, without a record',
    [...succeeded].filter((id) => !ids.has(id)),
  );
  expectNone('wrong counters', wrongCounters);
  expectNone(
    'delivered by the record, but not accepted by the receiver',
    idsOf(found.filter(({ _id, status }) => status === 'delivered' && !succeeded.has(_id))),
  );
  expectNone(
    'failed by the record, but not stored in FAILED',
    idsOf(
      found.filter(({ _id, status }) => status === 'failed' && !kept.has(_id) && !gone.has(_id)),
    ),
  );
  expectNone(
    'ended as lost, though NATS had it',
    idsOf(found.filter(({ _id, ended_as }) => ended_as === 'lost' && !gone.has(_id))),
  );
  expectNone(
    'neither delivered nor failed',
    found
      .filter(({ status }) => status !== 'delivered' && status !== 'failed')
      .map(({ _id, status }) => `${_id} ${status}`),
  );
  expectNone('linked files that are not stored', absentFiles);
  for (const { name, id, emailCount } of addresses) {
    const count = found.filter(({ address_id }) => address_id === id).length;
    if (emailCount !== count)
      faults.push(`${name}: email_count is ${emailCount}, but ${count} emails have a record`);
  }
  return faults;
}
