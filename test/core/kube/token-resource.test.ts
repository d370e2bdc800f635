/** The steps that turn an ApiToken resource into a token. */
import { expect, test } from 'vitest';

import { ApiTokenSpec } from '../../../services/core/kube/spec/token-spec.ts';
import { PERMISSIONS } from '../../../services/core/token/permission.ts';
import { type TokenFacts, tokenStep } from '../../../services/core/kube/token-resource.ts';

const record = {
  account_id: 'acc_1',
  environment: 'live' as const,
  name: 'ci',
  permissions: [...PERMISSIONS],
  limit: null,
  expires_at: null,
};
const facts = ({
  spec = {},
  ...given
}: Omit<Partial<TokenFacts>, 'spec'> & { spec?: object } = {}): TokenFacts => ({
  spec: ApiTokenSpec.parse({ accountRef: { name: 'shop' }, ...spec }),
  name: 'ci',
  accountId: 'acc_1',
  record,
  secretHoldsToken: true,
  ...given,
});

test.each<[what: string, facts: TokenFacts, expected: object]>([
  [
    'a token that agrees with its resource',
    facts(),
    { kind: 'settled', verdict: { reason: 'Ready' } },
  ],
  [
    'no account',
    facts({ accountId: undefined, record: undefined }),
    { kind: 'settled', verdict: { reason: 'AccountNotReady' } },
  ],
  [
    'no token yet: D10, all permissions by default',
    facts({ record: undefined }),
    { kind: 'create', requested: { name: 'ci', permissions: [...PERMISSIONS] } },
  ],
  ['a Secret that does not contain it', facts({ secretHoldsToken: false }), { kind: 'replace' }],
  [
    'a token of another account',
    facts({ accountId: 'acc_2', secretHoldsToken: false }),
    { kind: 'settled', verdict: { reason: 'NotOurs' } },
  ],
  [
    'other permissions',
    facts({ spec: { permissions: ['usage:read'] } }),
    { kind: 'change', change: { permissions: ['usage:read'] } },
  ],
  [
    'the same permissions in another order',
    facts({ spec: { permissions: PERMISSIONS.toReversed() } }),
    { kind: 'settled', verdict: { reason: 'Ready' } },
  ],
  [
    'other labels',
    facts({ spec: { labels: { team: 'shop' } } }),
    { kind: 'change', change: { limit: { labels: ['team=shop'] } } },
  ],
  [
    'the same address ids in another order',
    facts({
      spec: { addressIds: ['addr_2', 'addr_1'] },
      record: { ...record, limit: { address_ids: ['addr_1', 'addr_2'] } },
    }),
    { kind: 'settled', verdict: { reason: 'Ready' } },
  ],
  [
    'no limit any more',
    facts({ record: { ...record, limit: { labels: ['team=shop'] } } }),
    { kind: 'change', change: { limit: null } },
  ],
  [
    'another end',
    facts({ spec: { expiresAt: '2027-01-31T00:00:00Z' } }),
    { kind: 'change', change: { expires_at: new Date('2027-01-31T00:00:00Z') } },
  ],
  ['another name', facts({ spec: { name: 'New' } }), { kind: 'change', change: { name: 'New' } }],
])('%s', (_, given, expected) => {
  expect(tokenStep(given)).toMatchObject(expected);
});
