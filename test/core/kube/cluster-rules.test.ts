/**
 * Which resources the operator reconciles after a change, and what keeps an Account from being
 * deleted.
 */
import { expect, test } from 'vitest';

import {
  accountInUse,
  affectedBy,
  affectedBySecret,
  dependentsOf,
  type ResourceChange,
  type ResourceFacts,
  type SecretChange,
} from '../../../services/core/kube/cluster-rules.ts';
import type { KindName } from '../../../services/core/kube/custom-resource.ts';

const facts = (kind: KindName, name: string, more: Partial<ResourceFacts> = {}): ResourceFacts => ({
  kind,
  namespace: 'shop',
  name,
  uid: `uid-${name}`,
  generation: 1,
  isDeleting: false,
  account: kind === 'Account' ? undefined : 'main',
  address: undefined,
  addressWanted: undefined,
  id: `id-${name}`,
  reason: 'Ready',
  ...more,
});

const account = facts('Account', 'main');
const orders = facts('InboundAddress', 'orders', { addressWanted: 'orders@example.org' });
const random = facts('InboundAddress', 'random');
const more = facts('InboundReceiver', 'more', { account: undefined, address: 'random' });
const moreElsewhere = { ...more, namespace: 'other' };
const own = facts('InboundDomain', 'own');
const leavingDomain = facts('InboundDomain', 'leaving', { isDeleting: true, reason: 'InUse' });
const token = facts('ApiToken', 'token', { reason: 'SecretTaken' });
const refused = facts('InboundAddress', 'refused', {
  addressWanted: 'orders@example.org',
  account: 'second',
  reason: 'Refused',
});
const refusedElsewhere = { ...refused, namespace: 'other' };
const refusedOther = facts('InboundAddress', 'refused-other', {
  addressWanted: 'sales@example.org',
  account: 'second',
  reason: 'Refused',
});
const ofAnotherAccount = facts('InboundAddress', 'stranger', { account: 'second' });
const sameNameElsewhere = facts('InboundAddress', 'elsewhere', { namespace: 'other' });

const cluster = [
  account,
  orders,
  random,
  more,
  moreElsewhere,
  own,
  leavingDomain,
  token,
  refused,
  refusedElsewhere,
  refusedOther,
  ofAnotherAccount,
  sameNameElsewhere,
];

const changed = (resource: ResourceFacts, before?: Partial<ResourceFacts>): ResourceChange => ({
  how: 'changed',
  resource,
  before: before && { ...resource, ...before },
});
const how = (kind: ResourceChange['how'], resource: ResourceFacts): ResourceChange => ({
  how: kind,
  resource,
  before: resource,
});

test.each<[string, ResourceChange, string[]]>([
  ['a new resource is reconciled', changed(orders), ['orders']],
  ['an edited one is', changed(random, { generation: 0 }), ['random']],
  [
    'one that is being deleted is',
    changed({ ...random, isDeleting: true }, { isDeleting: false }),
    ['random'],
  ],
  [
    'one created again under the same name is',
    changed(random, { uid: 'earlier', id: undefined }),
    ['random', 'more'],
  ],
  [
    'a new status alone is not: the operator wrote it',
    changed(orders, { reason: 'Refused', id: undefined }),
    [],
  ],
  ['one that is listed again is, changed or not', how('resync', random), ['random']],
  [
    'an Account that got its record: everything that refers to it',
    changed(account, { id: undefined }),
    ['orders', 'random', 'own', 'leaving', 'token'],
  ],
  [
    'an Account whose status changed otherwise: nothing',
    changed(account, { reason: 'Suspended' }),
    [],
  ],
  [
    'an InboundAddress that got its record: its receivers',
    changed(random, { id: undefined }),
    ['more'],
  ],
  ['a removed Account: nothing else', how('removed', account), []],
  [
    'a removed token: its Account, and domains of that Account that wait for deletion',
    how('removed', token),
    ['main', 'leaving'],
  ],
  [
    'a removed address: also those in its namespace that were refused its name',
    how('removed', orders),
    ['main', 'leaving', 'refused'],
  ],
  [
    'a removed address with a random name: no refused one, but its receivers',
    how('removed', random),
    ['more', 'main', 'leaving'],
  ],
  [
    'a changed domain: the addresses of its Account',
    changed(own, { reason: 'Unverified' }),
    ['orders', 'random'],
  ],
  [
    'a removed domain: those too, and what waits for deletion',
    how('removed', own),
    ['main', 'leaving', 'orders', 'random'],
  ],
  ['a domain that is listed again: itself alone', how('resync', own), ['own']],
])('%s', (_, change, names) => {
  expect(affectedBy(change, cluster).map(({ name }) => name)).toEqual(names);
});

test('resources of other namespaces are never affected', () => {
  const changes = [
    changed(account, { id: undefined }),
    how('removed', orders),
    how('removed', own),
  ];
  const affected = changes.flatMap((change) => affectedBy(change, cluster));
  expect(affected.filter(({ namespace }) => namespace !== 'shop')).toEqual([]);
});

const secret: SecretChange = {
  how: 'changed',
  namespace: 'shop',
  wasKnown: true,
  owner: { kind: 'InboundAddress', name: 'orders' },
};
test.each<[string, SecretChange, string[]]>([
  ['a changed Secret: its owner', secret, ['orders']],
  ['a new one: nothing, the operator created it', { ...secret, wasKnown: false }, []],
  ['one that is listed again: nothing', { ...secret, how: 'resync' }, []],
  ['one of something else: nothing', { ...secret, owner: undefined }, []],
  [
    'a removed one: its owner, and those that wanted its name',
    { ...secret, how: 'removed' },
    ['token', 'orders'],
  ],
  [
    'a removed one in another namespace: its owner',
    { ...secret, how: 'removed', namespace: 'other' },
    ['orders'],
  ],
])('%s', (_, change, names) => {
  expect(affectedBySecret(change, cluster).map(({ name }) => name)).toEqual(names);
});

test('an Account is in use while a resource of its namespace refers to it', () => {
  const dependents = dependentsOf(account, cluster);
  expect(dependents.map(({ name }) => name)).toEqual([
    'orders',
    'random',
    'own',
    'leaving',
    'token',
  ]);
  expect(accountInUse([])).toBeUndefined();
  expect(accountInUse(dependents.slice(0, 2))).toMatchObject({
    status: 'False',
    reason: 'InUse',
    message: expect.stringMatching(/: InboundAddress orders, InboundAddress random$/) as string,
  });
  expect(accountInUse([...dependents, refused, random])?.message).toMatch(
    /, ApiToken token and 2 more$/,
  );
});
