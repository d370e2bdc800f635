/** How duplicates of an email are recognized (D32), and the partition and subject of an event. */
import { expect, test } from 'vitest';

import {
  digestOfRaw,
  foldDigest,
  headerForRecord,
  partitionOf,
  subjects,
} from '../../../services/core/delivery/mail-event.ts';
import type { MailVerdict } from '../../../services/core/delivery/search-terms.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { fc } from '../../support/random.ts';

const RAW = digestOfRaw(Buffer.from('Subject: hi\r\n\r\nbody\r\n'));
const PASSED: MailVerdict = { spf: 'pass', dkim: 'pass', dmarc: 'pass', spam: 'not_spam' };
const digest = (
  addressId = 'addr_1',
  mailFrom = 'a@b.example',
  raw = RAW,
  mailboxes = ['box@in.example'],
  verdict: Partial<MailVerdict> = {},
) => foldDigest(addressId, mailboxes, mailFrom, raw, { ...PASSED, ...verdict });

test('two copies of one email share a digest', () => {
  expect(digest()).toBe(
    foldDigest(
      'addr_1',
      ['box@in.example'],
      'a@b.example',
      digestOfRaw(Buffer.from('Subject: hi\r\n\r\nbody\r\n')),
      PASSED,
    ),
  );
  expect(digest()).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['another address', digest('addr_2')],
  ...Object.entries({ spf: 'fail', dkim: 'none', dmarc: 'temperror', spam: 'spam' }).map(
    ([check, word]): [string, string] => [
      `${check} ${word}`,
      digest(undefined, undefined, undefined, undefined, { [check]: word }),
    ],
  ),
  ['another sender', digest('addr_1', 'c@b.example')],
  ['the null sender', digest('addr_1', '')],
  [
    'one different byte',
    digest('addr_1', 'a@b.example', digestOfRaw(Buffer.from('Subject: hi\r\n\r\nBody\r\n'))),
  ],
  ['the same characters, divided differently', digest('addr_1a', '@b.example')],
])('%s makes it a different email', (_, other) => {
  expect(other).not.toBe(digest());
});

test('digests spread evenly over the partitions, and equal ones share a partition', () => {
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 4_000; i++) {
    const partition = partitionOf(digest(`addr_${i}`), 4);
    counts[partition] = (counts[partition] ?? 0) + 1;
    expect(partitionOf(digest(`addr_${i}`), 4)).toBe(partition);
  }
  for (const count of counts) expect(count).toBeGreaterThan(850);
});

test('every digest has an existing partition', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (addressId, partitions) => {
      const partition = partitionOf(digest(addressId), partitions);
      expect(partition).toBeGreaterThanOrEqual(0);
      expect(partition).toBeLessThan(partitions);
    }),
  );
});

test('subjects name lane, partition, account and address, and in RETRY and FAILED the event', () => {
  const owned = { id: 'addr_1', account_id: 'acc_1', environment: 'live' as const };
  const event = mailEvent(owned, new Date(1), { event_id: 'evt_1' });
  expect([subjects.mail(3, event), subjects.retry(3, event), subjects.failed(event)]).toEqual([
    'mail.3.acc_1.addr_1',
    'retry.3.acc_1.addr_1.evt_1',
    'failed.acc_1.addr_1.evt_1',
  ]);
});

test('a delivery record shows the first thousand characters of a header, without half a surrogate pair', () => {
  expect([headerForRecord(null), headerForRecord(''), headerForRecord('hi')]).toEqual([
    null,
    '',
    'hi',
  ]);
  expect(headerForRecord(`${'x'.repeat(999)}🎉`)).toBe('x'.repeat(999));
});
