/**
 * What a DNS check changes in a domain. Verification is permanent, a DNS failure changes nothing,
 * and a long absence of the record is reported once.
 */
import { describe, expect, test } from 'vitest';

import { challengeValue } from '../../../services/core/domain/challenge.ts';
import {
  type DomainRecord,
  domainView,
  meetsShared,
} from '../../../services/core/domain/domain.ts';
import { type DnsFacts, findings } from '../../../services/core/domain/findings.ts';

const NOW = new Date('2026-03-08T12:00:00Z');
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const record = (fields: Partial<DomainRecord> = {}): DomainRecord => ({
  id: 'dom_1',
  account_id: 'acc_1',
  environment: 'live',
  domain: 'shop.example',
  unicode_domain: 'shop.example',
  token: 'secret',
  is_verified: false,
  created_at: daysAgo(30),
  verified_at: null,
  checked_at: null,
  problem: null,
  mx: [],
  missing_since: null,
  missing_noticed_at: null,
  ...fields,
});
const PROOF = { txt: [challengeValue('secret')], mx: [] };
const NONE = { txt: [], mx: [] };
const SILENCE = { txt: undefined, mx: undefined };
const verified = (fields: Partial<DomainRecord> = {}) =>
  record({ is_verified: true, verified_at: daysAgo(20), ...fields });

test.each<[string, DomainRecord, DnsFacts, object]>([
  [
    'the record verifies the domain',
    record(),
    { txt: ['v=spf1', challengeValue('secret')], mx: [] },
    { isProved: true, problem: null, txt: [challengeValue('secret'), 'v=spf1'] },
  ],
  [
    'a missing record does not',
    record({ txt: ['before'] }),
    NONE,
    { isProved: false, problem: 'txt_missing', txt: [] },
  ],
  [
    'a record with another value does not',
    record(),
    { txt: [challengeValue('other')], mx: [] },
    { isProved: false, problem: 'txt_differs' },
  ],
  [
    'a record that only begins or ends with the value does not',
    record(),
    { txt: [`${challengeValue('secret')}x`, `x${challengeValue('secret')}`], mx: [] },
    { isProved: false, problem: 'txt_differs' },
  ],
  [
    'a DNS failure verifies nothing',
    record({ txt: ['before'] }),
    SILENCE,
    { isProved: false, problem: 'dns_unavailable', missing_since: null, txt: ['before'] },
  ],
  [
    'the time of the first check without the record is stored',
    verified(),
    NONE,
    { problem: 'txt_missing', missing_since: NOW, isToBeTold: false },
  ],
  [
    'and does not change later',
    verified({ missing_since: daysAgo(6) }),
    NONE,
    { missing_since: daysAgo(6), isToBeTold: false },
  ],
  [
    'a DNS failure does not set it',
    verified(),
    SILENCE,
    { problem: 'dns_unavailable', missing_since: null, isToBeTold: false },
  ],
  [
    'a DNS failure does not clear it',
    verified({ missing_since: daysAgo(3) }),
    SILENCE,
    { missing_since: daysAgo(3) },
  ],
  [
    'after a week the absence is reported',
    verified({ missing_since: daysAgo(7) }),
    NONE,
    { isToBeTold: true, missing_noticed_at: NOW },
  ],
  [
    'once',
    verified({ missing_since: daysAgo(9), missing_noticed_at: daysAgo(2) }),
    NONE,
    { isToBeTold: false, missing_noticed_at: daysAgo(2) },
  ],
  [
    'the record found again clears it',
    verified({ missing_since: daysAgo(9), missing_noticed_at: daysAgo(2) }),
    PROOF,
    { problem: null, missing_since: null, missing_noticed_at: null },
  ],
])('%s', (_, before, facts, expected) => {
  expect(findings(before, facts, NOW)).toMatchObject({ checked_at: NOW, ...expected });
});

describe('the API shows', () => {
  test.each<[string, Partial<DomainRecord>, string]>([
    ['before the first check', {}, 'pending'],
    ['without the record', { problem: 'txt_missing' }, 'failed'],
    ['while DNS fails', { problem: 'dns_unavailable' }, 'pending'],
    [
      'once verified, even if records are missing now',
      { is_verified: true, problem: 'txt_missing' },
      'verified',
    ],
  ])('status %s', (_, fields, status) => {
    expect(domainView(record(fields), { mxHosts: ['mx.in.example'] }).status).toBe(status);
  });

  test.each<[string, [string, number][], boolean]>([
    ['without MX records, no mail arrives', [], false],
    ['ours', [['mx.in.example', 10]], true],
    [
      'another server with lower priority',
      [
        ['mx.in.example', 10],
        ['mx.other.example', 20],
      ],
      true,
    ],
    [
      'another server with higher priority',
      [
        ['mx.in.example', 20],
        ['mx.other.example', 10],
      ],
      false,
    ],
    [
      'another server with the same priority',
      [
        ['mx.in.example', 10],
        ['mx.other.example', 10],
      ],
      false,
    ],
  ])('%s', (_, mx, isOk) => {
    const found = findings(
      record(),
      { txt: [], mx: mx.map(([exchange, priority]) => ({ exchange, priority })) },
      NOW,
    ).mx;
    expect(domainView(record({ mx: found }), { mxHosts: ['mx.in.example'] }).mx.is_ok).toBe(isOk);
  });

  test('while DNS fails, the last known MX records are shown', () => {
    expect(
      findings(record({ mx: [{ exchange: 'mx.in.example', priority: 1 }] }), SILENCE, NOW).mx,
    ).toEqual([{ exchange: 'mx.in.example', priority: 1 }]);
  });
});

test('of thousands of long TXT records, twenty are stored, the expected one first', () => {
  const txt = Array.from({ length: 3_000 }, (_, i) => `${'x'.repeat(4_000)}${i}`);
  const found = findings(
    record(),
    { txt: [...txt, challengeValue('other'), challengeValue('secret')], mx: [] },
    NOW,
  ).txt;
  expect(found?.slice(0, 2)).toEqual([challengeValue('secret'), challengeValue('other')]);
  expect(found?.map((text) => text.length).slice(2)).toEqual(Array(18).fill(255));
});

test('TXT records of a domain that an earlier release checked: only the expected one is known', () => {
  const shown = [{ checked_at: NOW }, { checked_at: NOW, problem: 'txt_missing' as const }, {}].map(
    (fields) => domainView(verified(fields), { mxHosts: [] }).verification.found,
  );
  expect(shown).toEqual([[challengeValue('secret')], [], []]);
});

test('of thousands of MX records, those with the highest priority are stored', () => {
  const mx = Array.from({ length: 3_600 }, (_, i) => ({
    exchange: `${'x'.repeat(60)}${i}.example`,
    priority: 9_999 - i,
  }));
  expect(findings(record(), { txt: [], mx }, NOW).mx.map(({ priority }) => priority)).toEqual(
    Array.from({ length: 20 }, (_, i) => 6_400 + i),
  );
});

test.each<[string, boolean]>([
  ['in.acme.example', true],
  ['*.in.acme.example', true],
  ['sub.in.acme.example', true],
  ['*.acme.example', true],
  ['acme.example', false],
  ['other.acme.example', false],
  ['*.other.acme.example', false],
  ['login.acme.example', false],
  ['*.shop.example', false],
])(
  'addresses at %s could take mail for the shared domain in.acme.example: %s',
  (place, expected) => {
    expect(meetsShared(place, 'in.acme.example')).toBe(expected);
  },
);
