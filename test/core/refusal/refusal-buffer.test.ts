/** What a record says of refusals, how equal ones become one, and that a flood has bounds (D316). */
import { describe, expect, test } from 'vitest';

import { NOT_AUTHENTICATED, UNKNOWN } from '../../../services/core/mail/authentication.ts';
import { createRefusalBuffer } from '../../../services/core/refusal/refusal-buffer.ts';
import type { RefusalOwner, RefusedOnce } from '../../../services/core/refusal/refusal.ts';
import {
  noSuchAddress,
  senderNotAllowed,
  spamRefused,
} from '../../../services/core/smtp/smtp-reply.ts';

const box: RefusalOwner = {
  account_id: 'acc_1',
  environment: 'live',
  address_id: 'addr_1',
  name: 'box@in.example',
};
const domain: RefusalOwner = { ...box, address_id: null, name: '@own.example' };
const once = (fields: Partial<RefusedOnce> = {}): RefusedOnce => ({
  owner: box,
  command: 'data',
  reply: senderNotAllowed,
  mailbox: 'Box@In.example',
  sender: 'ann@sender.example',
  remoteIp: '192.0.2.7',
  heloDomain: 'mx.sender.example',
  content: {
    from: 'Ann <ann@sender.example>',
    subject: 'Invoice 7',
    messageId: '<7@sender.example>',
    authentication: { ...UNKNOWN, iprev: { result: 'pass', name: 'mx.sender.example' } },
  },
  decidedBy: { kind: 'field', name: 'allowed_senders', scope: 'address' },
  ...fields,
});
const at = (minute: number) => new Date(Date.UTC(2026, 10, 29, 12, minute));

/** The records of these refusals, each in its minute. */
function recordsOf(all: readonly [RefusedOnce, number][], bounds = {}) {
  const buffer = createRefusalBuffer(bounds);
  const left = all.filter(([one, minute]) => !buffer.add(one, at(minute))).length;
  return { records: buffer.take(), left };
}

test('everything that a person asks about', () => {
  const { records } = recordsOf([[once(), 5]]);
  expect(records).toEqual([
    {
      id: expect.stringMatching(/^rfs_/) as string,
      account_id: 'acc_1',
      environment: 'live',
      address_id: 'addr_1',
      first_at: at(5),
      last_at: at(5),
      count: 1,
      mailbox: 'box@in.example',
      domain: 'in.example',
      mail_from: 'ann@sender.example',
      reason: 'sender_not_allowed',
      command: 'data',
      code: 550,
      enhanced_code: '5.7.1',
      reply: 'Message rejected by the policy of the recipient',
      from: 'Ann <ann@sender.example>',
      subject: 'Invoice 7',
      message_id: '<7@sender.example>',
      remote_ip: '192.0.2.7',
      helo_domain: 'mx.sender.example',
      remote_name: 'mx.sender.example',
      authentication: { ...NOT_AUTHENTICATED, spf: 'temperror', dmarc: 'temperror' },
      decided_by: { kind: 'field', name: 'allowed_senders', scope: 'address' },
      terms: expect.arrayContaining(['from:@sender.example', 'subject:invoice']) as string[],
    },
  ]);
});

test('what an address redacts, and the signature of a reply address, are in no record', () => {
  const redacting = { ...box, redact: ['from', 'subject'] as const };
  const mailbox = 'box+rticket-42.6931f2a0.0123456789abcdef@in.example';
  const { records } = recordsOf([
    [once({ owner: redacting, mailbox }), 0],
    [once({ owner: redacting, mailbox, sender: 'bob@sender.example' }), 1],
  ]);
  expect(records).toMatchObject([{ count: 2, mailbox: 'box+rticket-42@in.example' }]);
  expect(JSON.stringify(records)).not.toMatch(/ann|bob|invoice|<7@|0123456789abcdef/i);
});

describe('one record', () => {
  test('equal ones of an hour, by any spelling and of any gateway', () => {
    const { records } = recordsOf([
      [once(), 1],
      [once({ mailbox: 'box@in.example', command: 'rcpt' }), 59],
    ]);
    expect(records).toMatchObject([{ count: 2, first_at: at(1), last_at: at(59) }]);
    expect(recordsOf([[once(), 30]]).records[0]?.id).toBe(records[0]?.id);
  });

  test.each<[string, Partial<RefusedOnce>, number]>([
    ['another sender', { sender: '' }, 2],
    ['another mailbox', { mailbox: 'box+a@in.example' }, 2],
    ['another reason', { reply: spamRefused }, 2],
    ['another hour', {}, 62],
  ])('not %s', (_, fields, minute) => {
    const { records } = recordsOf([
      [once(), 2],
      [once(fields), minute],
    ]);
    expect(records.map(({ count }) => count)).toEqual([1, 1]);
    expect(new Set(records.map(({ id }) => id)).size).toBe(2);
  });
});

const flood = (owner: RefusalOwner, count: number): [RefusedOnce, number][] =>
  Array.from({ length: count }, (_, n) => [
    once({ owner, mailbox: `x${n}@own.example`, reply: noSuchAddress }),
    0,
  ]);

describe('a flood', () => {
  test.each([
    ['an address', box, 'box@in.example'],
    ['the unknown mailboxes of a domain', domain, '@own.example'],
  ])('%s: a number of kinds, then one record for all others', (_, owner, mailbox) => {
    const buffer = createRefusalBuffer({ ofAddress: 3 });
    for (const [one, minute] of flood(owner, 3)) buffer.add(one, at(minute));
    buffer.take(); // writing frees no kind of this hour
    for (const [one, minute] of flood(owner, 10)) expect(buffer.add(one, at(minute))).toBe(true);
    const records = buffer.take();
    expect(records.map(({ reason, count }) => [reason, count])).toEqual([
      ['no_such_address', 1],
      ['no_such_address', 1],
      ['no_such_address', 1],
      ['further', 7],
    ]);
    expect(records[3]).toMatchObject({ mailbox, mail_from: '', from: null, subject: null });
  });

  test('all accounts together: the memory has a bound, and others have room in the next hour', () => {
    const owners = Array.from({ length: 6 }, (_, n) => ({ ...box, address_id: `addr_${n}` }));
    const all = owners.map((owner): [RefusedOnce, number] => [
      once({ owner, mailbox: `${owner.address_id}@in.example` }),
      0,
    ]);
    const { records, left } = recordsOf(all, { inMemory: 4 });
    expect([records.length, left]).toEqual([4, 2]);
    const buffer = createRefusalBuffer({ inMemory: 4 });
    for (const [one] of all) buffer.add(one, at(0));
    buffer.take();
    expect(all.slice(2).map(([one]) => buffer.add(one, at(61)))).toEqual([true, true, true, true]);
  });

  test('what could not be written waits, within the same bound', () => {
    const buffer = createRefusalBuffer({ inMemory: 2 });
    buffer.add(once(), at(0));
    buffer.add(once({ sender: '' }), at(0));
    const failed = buffer.take();
    buffer.add(once(), at(3));
    expect(buffer.putBack([...failed, ...recordsOf([[once(), 70]]).records])).toBe(1);
    expect(buffer.take()).toMatchObject([
      { count: 2, first_at: at(0), last_at: at(3) },
      { count: 1, mail_from: '' },
    ]);
  });
});

const from = (author: string) => {
  const content = once().content;
  return once({ content: content && { ...content, from: author } });
};

test('another From is another record: who is let in is who was shown', () => {
  const { records } = recordsOf([
    [from('"Ann" <ann@customer.example>'), 1],
    [from('"Ann" <ann@customer.example.evil.example>'), 2],
  ]);
  const [shown, later] = records;
  expect(shown).toMatchObject({ from: '"Ann" <ann@customer.example>', count: 1 });
  expect(later?.id).not.toBe(shown?.id);
});

test('who floods one account takes no room of another', () => {
  const buffer = createRefusalBuffer({ ofAddress: 5, ofAccount: 20 });
  for (let n = 0; n < 1_000; n++) {
    const address_id = `addr_${n % 100}`;
    buffer.add(once({ owner: { ...box, address_id }, sender: `${n}@flood.example` }), at(1));
  }
  const records = buffer.take();
  expect(records.length).toBeLessThanOrEqual(25);
  expect(buffer.add(once({ owner: { ...box, account_id: 'acc_2' } }), at(2))).toBe(true);
});
