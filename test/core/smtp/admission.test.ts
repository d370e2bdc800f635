/** Which recipients are refused at RCPT, and with which reply (spec 3, D7, D8, D21). */
import { expect, test } from 'vitest';

import { type Recipient, refusalOf } from '../../../services/core/smtp/admission.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const EARLIER = new Date('2026-03-01T11:59:59.999Z');
const LATER = new Date('2026-03-01T12:00:00.001Z');

const recipient = (changes: Partial<Recipient> = {}): Recipient => ({
  id: 'addr_1',
  account_id: 'acc_1',
  environment: 'live',
  address: 'box@in.example',
  is_enabled: true,
  expires_at: null,
  deleted_at: null,
  ...changes,
});

test.each<[string, Recipient | undefined, string | undefined]>([
  ['an enabled, permanent address is accepted', recipient(), undefined],
  ['an expiring one is accepted until its end', recipient({ expires_at: LATER }), undefined],
  ['a test address is accepted like a live one', recipient({ environment: 'test' }), undefined],
  ['an unknown address is refused', undefined, '550 5.1.1'],
  ['a deleted one like an unknown one', recipient({ deleted_at: EARLIER }), '550 5.1.1'],
  ['an expired one like an unknown one', recipient({ expires_at: EARLIER }), '550 5.1.1'],
  ['at the very moment of its end it is expired', recipient({ expires_at: NOW }), '550 5.1.1'],
  ['a disabled one is told apart', recipient({ is_enabled: false }), '550 5.2.1'],
  [
    'one of a suspended account is refused for the time being',
    recipient({ is_suspended: true }),
    '450 4.7.1',
  ],
  [
    'a disabled one of a suspended account is disabled',
    recipient({ is_suspended: true, is_enabled: false }),
    '550 5.2.1',
  ],
  [
    'an unknown one does not tell that its account is suspended',
    recipient({ is_suspended: true, deleted_at: EARLIER }),
    '550 5.1.1',
  ],
  [
    'a disabled and deleted one is not',
    recipient({ is_enabled: false, deleted_at: EARLIER }),
    '550 5.1.1',
  ],
  [
    'a disabled and expired one is not',
    recipient({ is_enabled: false, expires_at: EARLIER }),
    '550 5.1.1',
  ],
])('D21: %s', (_, found, expected) => {
  const reply = refusalOf({ recipient: found, now: NOW });
  expect(reply && `${reply.code} ${reply.enhanced}`).toBe(expected);
});

test.each<[string, Recipient | undefined, string | undefined]>([
  ['mail over quota is put off', recipient(), '452 4.2.2'],
  ['but not test mail, which is never billed (D11)', recipient({ environment: 'test' }), undefined],
  ['what is refused for good is not put off', recipient({ is_enabled: false }), '550 5.2.1'],
  ['an unknown address has no quota', undefined, '550 5.1.1'],
])('D13, D21: %s', (_, found, expected) => {
  const reply = refusalOf({ recipient: found, isQuotaSpent: true, now: NOW });
  expect(reply && `${reply.code} ${reply.enhanced}`).toBe(expected);
});
