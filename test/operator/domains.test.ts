/** An InboundDomain resource is claimed, verified by the DNS, and deleted after its addresses. */
import { expect, test } from 'vitest';

import { createDomains } from '../../services/adapters/mongo/domain/domains.ts';
import { challengeValue } from '../../services/core/domain/challenge.ts';
import { account, address, manifest } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/inbound';
const MINUTE_MS = 60_000;

const shared = useOperator();

const own = (domain: string, accountName = 'shop') =>
  manifest('InboundDomain', 'own', { accountRef: { name: accountName }, domain });

async function claimed(domain: string): Promise<TestNamespace> {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  await space.settle(own(domain));
  return space;
}
const recordOf = async (space: TestNamespace) => (await space.records('domains'))[0] ?? {};
const reconcile = (space: TestNamespace) => space.reconcile('InboundDomain', 'own');
/** Of `Ready` and `Verified`. */
const stateOf = (space: TestNamespace) =>
  ['Ready', 'Verified'].map((type) => space.condition('InboundDomain', 'own', type));
const mx = (exchange: string) => [{ exchange, priority: 10 }];

/** Sets the TXT record, and lets the operator look after the pause between two lookups. */
async function prove(space: TestNamespace, host = 'mx.in.example'): Promise<void> {
  const { domain, token } = await recordOf(space);
  shared.bed.dns.set(String(domain), { txt: [challengeValue(String(token))], mx: mx(host) });
  shared.bed.passMs(MINUTE_MS);
  await reconcile(space);
}

test('a new resource is a claim, whose status shows the DNS record to set', async () => {
  shared.bed.dns.set('first.example', { txt: [], mx: [] });
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  space.apply(own('First.Example'));
  expect(await reconcile(space)).toEqual({ result: 'refused', againAfterMs: 30_000 });
  const { _id, token } = await recordOf(space);
  expect(stateOf(space)).toEqual(['False Unverified', 'False TxtMissing']);
  expect(space.get('InboundDomain', 'own')?.status).toMatchObject({
    id: _id,
    verification: {
      type: 'TXT',
      name: '_inlet-challenge.first.example',
      value: challengeValue(String(token)),
    },
    mx: { expected: ['mx.in.example'], found: [], isOk: false },
  });
  expect(space.get('InboundDomain', 'own')?.status?.verification).not.toHaveProperty('found');
});

test('a domain is verified when its record is set, and looked up no more by the operator', async () => {
  shared.bed.dns.set('second.example', { txt: ['inlet-verification=other'], mx: [] });
  const space = await claimed('second.example');
  expect(stateOf(space)).toEqual(['False Unverified', 'False TxtDiffers']);
  await prove(space, 'mx.elsewhere.example');
  expect(stateOf(space)).toEqual(['True MxElsewhere', 'True Proved']);
  expect(await reconcile(space)).toEqual({ result: 'settled' }); // without a time to look again
  expect(await space.audited()).toEqual(['domain.created', 'domain.verified']);
});

test('a domain whose MX records lead here is ready', async () => {
  const space = await claimed('third.example');
  expect(stateOf(space)).toEqual(['False Unverified', 'False DnsUnavailable']);
  await prove(space);
  expect(stateOf(space)).toEqual(['True Ready', 'True Proved']);
});

test('a lookup soon after the last one is left out', async () => {
  const space = await claimed('soon.example');
  const { checked_at } = await recordOf(space);
  expect(await reconcile(space)).toMatchObject({ result: 'refused' });
  expect((await recordOf(space)).checked_at).toEqual(checked_at);
});

test('lookups become rarer, down to one in an hour', async () => {
  const space = await claimed('rare.example');
  shared.bed.passMs(20 * MINUTE_MS);
  expect((await reconcile(space)).againAfterMs).toBeCloseTo(2 * MINUTE_MS, -4);
  shared.bed.passMs(24 * 60 * MINUTE_MS);
  expect(await reconcile(space)).toMatchObject({ againAfterMs: 60 * MINUTE_MS });
});

test('a domain that another account has verified is taken', async () => {
  const [first, second] = [await claimed('both.example'), await claimed('sub.both.example')];
  await prove(first);
  await prove(second);
  expect([stateOf(first)[1], stateOf(second)]).toEqual([
    'True Proved',
    ['False Taken', 'False Taken'],
  ]);
});

test.each<[string, string, string]>([
  ['a domain that cannot be one', '-x-.example', 'InvalidDomain'],
  ['a domain of this service', 'mail.in.example', 'Refused'],
])('%s is refused', async (_, domain, reason) => {
  const space = await claimed(domain);
  expect([stateOf(space)[0], await space.records('domains')]).toEqual([`False ${reason}`, []]);
});

test('a domain without an account waits for it', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.settle(own('waiting.example'));
  expect([stateOf(space)[0], await space.records('domains')]).toEqual([
    'False AccountNotReady',
    [],
  ]);
});

test('the domain that an earlier resource left to another account is not taken over', async () => {
  const space = await claimed('left.example');
  const record = await recordOf(space);
  space.patch('InboundDomain', 'own', { metadata: { finalizers: null } });
  space.delete('InboundDomain', 'own');
  await space.settle(account('heir', { email: `heir@${space.name}.example` }));
  await space.settle(own('left.example', 'heir'));
  expect([stateOf(space)[0], await space.records('domains')]).toEqual(['False NotOurs', [record]]);
});

test('a domain that was released is claimed again, with another value to set', async () => {
  const space = await claimed('released.example');
  await prove(space);
  const { token } = await recordOf(space);
  await createDomains(shared.bed.mongo.db).release('released.example', new Date());
  shared.bed.passMs(MINUTE_MS);
  await reconcile(space);
  expect(stateOf(space)).toEqual(['False Unverified', 'False TxtDiffers']);
  expect((await recordOf(space)).token).not.toBe(token);
});

test('a deleted resource waits for the addresses on its domain, then deletes the domain', async () => {
  const space = await claimed('used.example');
  await prove(space);
  await space.settle(address('sales', HOOK, { localPart: 'sales', domain: 'used.example' }));
  space.delete('InboundDomain', 'own');
  expect(await reconcile(space)).toEqual({ result: 'blocked' });
  expect([stateOf(space)[0], space.message('InboundDomain', 'own')]).toEqual([
    'False InUse',
    'cannot be deleted yet. An address is on used.example: delete it first',
  ]);
  space.delete('InboundAddress', 'sales');
  await space.reconcile('InboundAddress', 'sales');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect([space.get('InboundDomain', 'own'), await space.records('domains')]).toEqual([
    undefined,
    [],
  ]);
});

test('a resource that has no domain can be deleted', async () => {
  const space = await claimed('mail.in.example');
  space.delete('InboundDomain', 'own');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
});
