/** The audit finds each kind of fault, and none when everything is right. */
import { expect, test } from 'vitest';

import { type AuditFacts, faultsOf } from './faults.ts';

const record = (
  number: number,
  status: AuditFacts['found'][number]['status'] = 'delivered',
): AuditFacts['found'][number] => ({
  _id: `evt_${number}`,
  subject: `chaos ${number}`,
  status,
  address_id: 'addr_good',
});

/** Three emails: two delivered, one failed. */
const facts = (changes: Partial<AuditFacts> = {}): AuditFacts => ({
  settled: { onStreams: 0, final: 3, ms: 1_000, isComplete: true },
  unsent: [],
  accepted: ['chaos 1', 'chaos 2', 'chaos 3'],
  found: [record(1), record(2), record(3, 'failed')],
  succeeded: new Set(['evt_1', 'evt_2']),
  kept: new Set(['evt_3']),
  gone: new Set(),
  wrongCounters: [],
  absentFiles: [],
  addresses: [{ name: 'good', id: 'addr_good', emailCount: 3 }],
  ...changes,
});

const withCount = (emailCount: number | undefined) => ({
  addresses: [{ name: 'good', id: 'addr_good', emailCount }],
});

test('no fault', () => {
  expect(faultsOf(facts())).toEqual([]);
});

test('an erased email need not be stored', () => {
  expect(faultsOf(facts({ kept: new Set(), gone: new Set(['evt_3']) }))).toEqual([]);
});

test.each<[string, Partial<AuditFacts>, string]>([
  [
    'an email that is lost',
    { accepted: ['chaos 1', 'chaos 2', 'chaos 3', 'chaos 4'] },
    'accepted emails without a record: 1, e.g. chaos 4',
  ],
  [
    'an email without a 250',
    { unsent: ['chaos 4'] },
    'emails that never got a 250: 1, e.g. chaos 4',
  ],
  [
    'an email that was not folded',
    {
      found: [record(1), record(2), record(3, 'failed'), { ...record(4), subject: 'chaos 1' }],
      succeeded: new Set(['evt_1', 'evt_2', 'evt_4']),
      ...withCount(4),
    },
    'emails with several events: 1, e.g. chaos 1',
  ],
  [
    'a webhook without a record',
    { succeeded: new Set(['evt_1', 'evt_2', 'evt_4']) },
    'events that the receiver got, without a record: 1, e.g. evt_4',
  ],
  [
    'a record without its webhook',
    { succeeded: new Set(['evt_1']) },
    'delivered by the record, but not accepted by the receiver: 1, e.g. evt_2',
  ],
  [
    'a failed email that is not stored',
    { kept: new Set() },
    'failed by the record, but not stored in FAILED: 1, e.g. evt_3',
  ],
  [
    'an email that ended as lost without a reason',
    { found: [record(1), record(2), { ...record(3, 'failed'), ended_as: 'lost' }] },
    'ended as lost, though NATS had it: 1, e.g. evt_3',
  ],
  [
    'a record that is not final',
    { found: [record(1), record(2), record(3, 'retrying')] },
    'neither delivered nor failed: 1, e.g. evt_3 retrying',
  ],
  [
    'a count ahead of the records',
    withCount(6),
    'good: email_count is 6, but 3 emails have a record',
  ],
  [
    'a count behind the records',
    withCount(2),
    'good: email_count is 2, but 3 emails have a record',
  ],
  ['a wrong counter', { wrongCounters: ['{"day":"x"}'] }, 'wrong counters: 1, e.g. {"day":"x"}'],
  ['a missing file', { absentFiles: ['evt_1'] }, 'linked files that are not stored: 1, e.g. evt_1'],
  [
    'emails that stay on a stream',
    { settled: { onStreams: 7, final: 2, ms: 90_000, isComplete: false } },
    'nothing changes any more, 90 s after the faults: 7 messages on the streams, 2 records final',
  ],
])('%s is the only fault', (_, changes, fault) => {
  expect(faultsOf(facts(changes))).toEqual([fault]);
});
