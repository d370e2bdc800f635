/** Which recipients are refused at RCPT, and with which reply (spec 3, D7, D8, D21). */
import { expect, test } from 'vitest';

import type { Recipient } from '../../../services/core/address/recipient.ts';
import { refusalOf } from '../../../services/core/smtp/admission.ts';
import { newRecipient as recipient } from '../../support/new-address.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const EARLIER = new Date('2026-03-01T11:59:59.999Z');
const LATER = new Date('2026-03-01T12:00:00.001Z');

test.each<[string, Recipient | undefined, string | undefined]>([
  ['an enabled, permanent address is accepted', recipient(), undefined],
  ['an expiring address is accepted until its expiry', recipient({ expires_at: LATER }), undefined],
  ['a test address is accepted like a live one', recipient({ environment: 'test' }), undefined],
  ['an unknown address is refused', undefined, '550 5.1.1'],
  ['a deleted address looks unknown', recipient({ deleted_at: EARLIER }), '550 5.1.1'],
  ['an expired address looks unknown', recipient({ expires_at: EARLIER }), '550 5.1.1'],
  ['at the exact time of its expiry it is expired', recipient({ expires_at: NOW }), '550 5.1.1'],
  ['a disabled address has its own reply', recipient({ is_enabled: false }), '550 5.2.1'],
  [
    'an address of a suspended account is refused temporarily',
    recipient({ is_suspended: true }),
    '450 4.7.1',
  ],
  [
    'a disabled address of a suspended account is disabled',
    recipient({ is_suspended: true, is_enabled: false }),
    '550 5.2.1',
  ],
  [
    'an unknown address does not show that its account is suspended',
    recipient({ is_suspended: true, deleted_at: EARLIER }),
    '550 5.1.1',
  ],
  [
    'a disabled and deleted address looks unknown',
    recipient({ is_enabled: false, deleted_at: EARLIER }),
    '550 5.1.1',
  ],
  [
    'a disabled and expired address looks unknown',
    recipient({ is_enabled: false, expires_at: EARLIER }),
    '550 5.1.1',
  ],
  [
    'D57: without a valid reply address it looks unknown',
    recipient({ replies: { only: true, generation: 1, former: [] }, reply: { status: 'none' } }),
    '550 5.1.1',
  ],
  [
    'D57: also when it is disabled',
    recipient({
      replies: { only: true, generation: 1, former: [] },
      reply: { status: 'expired', reference: 'x', expiresAt: EARLIER },
      is_enabled: false,
    }),
    '550 5.1.1',
  ],
  [
    'D57: a valid reply address is accepted',
    recipient({
      replies: { only: true, generation: 1, former: [] },
      reply: { status: 'valid', reference: 'x', expiresAt: LATER },
    }),
    undefined,
  ],
  [
    'D57: others are accepted where replies are not the only email',
    recipient({
      replies: { only: false, generation: 1, former: [] },
      reply: { status: 'invalid' },
    }),
    undefined,
  ],
])('D21: %s', (_, found, expected) => {
  const reply = refusalOf({ recipient: found, now: NOW });
  expect(reply && `${reply.code} ${reply.enhanced}`).toBe(expected);
});

test.each<[string, Recipient | undefined, string | undefined]>([
  ['mail over quota is refused temporarily', recipient(), '452 4.2.2'],
  ['but not test mail, which is never billed (D11)', recipient({ environment: 'test' }), undefined],
  ['a permanent refusal has precedence', recipient({ is_enabled: false }), '550 5.2.1'],
  ['an unknown address has no quota', undefined, '550 5.1.1'],
])('D13, D21: %s', (_, found, expected) => {
  const reply = refusalOf({ recipient: found, isQuotaSpent: true, now: NOW });
  expect(reply && `${reply.code} ${reply.enhanced}`).toBe(expected);
});
