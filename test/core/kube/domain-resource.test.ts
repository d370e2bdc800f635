/** The steps that turn an InboundDomain resource into a domain, and when DNS is checked again. */
import { expect, test } from 'vitest';

import { InboundDomainSpec } from '../../../services/core/kube/spec/domain-spec.ts';
import type { DomainRecord } from '../../../services/core/domain/domain.ts';
import {
  type DomainFacts,
  domainStep,
  nextLookupMs,
} from '../../../services/core/kube/domain-resource.ts';

const NOW = new Date('2026-11-21T08:00:00Z');
const record = (fields: Partial<DomainRecord> = {}): DomainRecord => ({
  id: 'dom_1',
  account_id: 'acc_1',
  environment: 'live',
  domain: 'example.org',
  unicode_domain: 'example.org',
  token: 'abc',
  is_verified: false,
  created_at: NOW,
  verified_at: null,
  checked_at: null,
  problem: null,
  mx: [],
  missing_since: null,
  missing_noticed_at: null,
  ...fields,
});
const proved = (fields: Partial<DomainRecord> = {}) =>
  record({
    is_verified: true,
    verified_at: NOW,
    mx: [{ exchange: 'mx.in.example', priority: 10 }],
    ...fields,
  });
const facts = (
  given: Omit<Partial<DomainFacts>, 'spec'> & { domain?: string } = {},
): DomainFacts => ({
  spec: InboundDomainSpec.parse({
    accountRef: { name: 'shop' },
    domain: given.domain ?? 'example.org',
  }),
  accountId: 'acc_1',
  record: proved(),
  hasLookedUp: false,
  mxHosts: ['mx.in.example'],
  ...given,
});

test.each<[what: string, facts: DomainFacts, expected: object]>([
  [
    'a domain that agrees with its resource',
    facts(),
    { verdicts: { Ready: { status: 'True', reason: 'Ready' }, Verified: { status: 'True' } } },
  ],
  [
    'no claim yet',
    facts({ record: undefined, domain: 'Example.ORG' }),
    { kind: 'claim', accountId: 'acc_1', domain: 'example.org' },
  ],
  [
    'an invalid domain',
    facts({ record: undefined, domain: 'localhost' }),
    { verdicts: { Ready: { reason: 'InvalidDomain' } } },
  ],
  [
    'no account',
    facts({ record: undefined, accountId: undefined }),
    { verdicts: { Ready: { reason: 'AccountNotReady' } } },
  ],
  ['not verified: DNS is checked', facts({ record: record() }), { kind: 'look_up' }],
  [
    'checked without success',
    facts({ record: record({ problem: 'txt_differs' }), hasLookedUp: true }),
    {
      verdicts: {
        Ready: {
          status: 'False',
          reason: 'Unverified',
          message: expect.stringContaining(
            '_inlet-challenge.example.org to inlet-verification=abc',
          ) as string,
        },
        Verified: { status: 'False', reason: 'TxtDiffers' },
      },
    },
  ],
  [
    'verified, but taken',
    facts({ record: record({ problem: 'taken' }), hasLookedUp: true }),
    {
      verdicts: {
        Ready: {
          status: 'False',
          reason: 'Taken',
          message: expect.stringContaining('another account') as string,
        },
        Verified: { status: 'False', reason: 'Taken' },
      },
    },
  ],
  [
    'verified, but its mail goes elsewhere',
    facts({ record: proved({ mx: [{ exchange: 'mx.other.example', priority: 10 }] }) }),
    { verdicts: { Ready: { status: 'True', reason: 'MxElsewhere' } } },
  ],
  [
    'a domain other than in the spec',
    facts({ domain: 'example.net' }),
    { verdicts: { Ready: { reason: 'NotOurs' } } },
  ],
  [
    'a domain of another account',
    facts({ accountId: 'acc_2' }),
    { verdicts: { Ready: { reason: 'NotOurs' } } },
  ],
])('%s', (_, given, expected) => {
  expect(domainStep(given)).toMatchObject(expected);
});

test('DNS is checked every half minute at first, every hour in the end', () => {
  const ages = [0, 60_000, 600_000, 3_600_000, 86_400_000];
  expect(ages.map((ms) => nextLookupMs(record(), new Date(NOW.getTime() + ms)))).toEqual([
    30_000, 30_000, 60_000, 360_000, 3_600_000,
  ]);
});
