/** An InboundDomain resource: claimed, verified by DNS, then used by InboundAddress resources. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createDomains } from '../../services/adapters/mongo/addresses/domains.ts';
import { until } from '../support/until.ts';
import { account, address, manifest } from '../support/manifests.ts';
import type { Found } from './kubectl.ts';
import { type OperatorBed, startOperatorBed } from './operator-bed.ts';
import type { Operator } from './operator-process.ts';

let bed: OperatorBed;
let operator: Operator;
beforeAll(async () => {
  bed = await startOperatorBed();
  operator = await bed.start({ RESYNC_INTERVAL: '7s' });
  await bed.namespace.apply(account());
});
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await bed?.[Symbol.asyncDispose]();
});

const ownDomain = (name: string, domain: string, accountName = 'shop') =>
  manifest('InboundDomain', name, { accountRef: { name: accountName }, domain });
const verified = ({ status }: Found) => status?.conditions?.find(({ type }) => type === 'Verified');
const record = ({ status }: Found) =>
  status?.verification as { type: string; name: string; value: string };

test('a domain shows the DNS record to set; once verified it is ready, and its addresses are created', async () => {
  const { namespace, dns, pipeline } = bed;
  await namespace.apply(
    ownDomain('own', 'Orders.Example.ORG'),
    address('sales', pipeline.receiver.url('/sales'), {
      localPart: 'Sales',
      domain: 'orders.example.org',
    }),
  );
  const claimed = await namespace.untilReady('inbounddomain/own', 'Unverified');
  expect([verified(claimed)?.status, verified(claimed)?.reason]).toEqual(['False', 'TxtMissing']);
  expect(record(claimed)).toMatchObject({
    type: 'TXT',
    name: '_inlet-challenge.orders.example.org',
  });
  await namespace.untilReady('inboundaddress/sales', 'Refused');

  dns.set(record(claimed).name, { TXT: [record(claimed).value] });
  dns.set('orders.example.org', { MX: [{ exchange: 'mx.in.example', priority: 10 }] });
  const ready = await namespace.untilReady('inbounddomain/own');
  expect([verified(ready)?.status, ready.status?.mx]).toEqual([
    'True',
    { expected: ['mx.in.example'], found: ['mx.in.example'], isOk: true },
  ]);
  const { status } = await namespace.untilReady('inboundaddress/sales');
  expect(status?.address).toBe('sales@orders.example.org');
  await pipeline.mailer.sendMail({
    from: 'a@b.example',
    to: 'SALES@orders.example.org',
    subject: 'x',
    text: 'x',
  });
  expect((await pipeline.receiver.nth('/sales', 1)).payload.address_id).toBe(status?.id);
});

test('an address whose domain its account has lost stays deleted, even for the next owner', async () => {
  const {
    namespace,
    dns,
    pipeline: { mongo },
  } = bed;
  await namespace.apply(
    ownDomain('given', 'given.example.org'),
    address('former', 'https://hooks.example.com/', {
      localPart: 'sales',
      domain: 'given.example.org',
    }),
  );
  const claimed = await namespace.untilReady('inbounddomain/given', 'Unverified');
  dns.set(record(claimed).name, { TXT: [record(claimed).value] });
  const { status } = await namespace.untilReady('inboundaddress/former');
  expect(await createDomains(mongo.db).release('given.example.org', new Date())).toMatchObject({
    addresses: 1,
  });
  const lost = await namespace.untilReady('inboundaddress/former', 'Lost');
  expect([
    lost.status?.address,
    await mongo.db
      .collection('addresses')
      .countDocuments({ address: status?.address, deleted_at: null }),
  ]).toEqual([status?.address, 0]);
  expect(record(await namespace.untilReady('inbounddomain/given', 'Unverified')).value).not.toBe(
    record(claimed).value,
  );
  await namespace.delete('inboundaddress/former');
});

test('a domain is deleted after its addresses', async () => {
  const { namespace } = bed;
  await namespace.delete('inbounddomain/own', '--wait=false');
  const blocked = await namespace.untilReady('inbounddomain/own', 'InUse');
  expect(blocked.status?.conditions?.find(({ type }) => type === 'Ready')?.message).toContain(
    'An address is on orders.example.org',
  );
  await namespace.delete('inboundaddress/sales');
  await until(
    'the domain to be deleted',
    async () => (await namespace.get('inbounddomain/own')) === undefined,
  );
  expect(
    await bed.pipeline.mongo.db
      .collection('domains')
      .countDocuments({ domain: 'orders.example.org' }),
  ).toBe(0);
});

test.each([
  ['the domain of the platform', 'mail.in.example', 'Refused'],
  ['an invalid domain', '-x-.example.org', 'InvalidDomain'],
])('%s is refused', async (_, domain, reason) => {
  await bed.namespace.apply(ownDomain('refused', domain));
  const found = await bed.namespace.untilReady('inbounddomain/refused', reason);
  expect(found.status?.id).toBeUndefined();
  await bed.namespace.delete('inbounddomain/refused');
});

test('a domain that another account has verified is reported as taken', async () => {
  const { namespace, dns } = bed;
  await namespace.apply(
    account('rival'),
    ownDomain('first', 'both.example.org'),
    ownDomain('second', 'both.example.org', 'rival'),
  );
  const [first, second] = [
    await namespace.untilReady('inbounddomain/first', 'Unverified'),
    await namespace.untilReady('inbounddomain/second', 'Unverified'),
  ];
  dns.set('_inlet-challenge.both.example.org', { TXT: [record(first).value] });
  await namespace.untilReady('inbounddomain/first', 'MxElsewhere');
  dns.set('_inlet-challenge.both.example.org', { TXT: [record(second).value] });
  const taken = await namespace.untilReady('inbounddomain/second', 'Taken');
  expect(record(taken)).toEqual(record(second));
});

test('reserved and invalid names of the shared domain are refused', async () => {
  await bed.namespace.apply(
    address('root', 'https://hooks.example.com/', { localPart: 'postmaster' }),
    address('odd', 'https://hooks.example.com/', { localPart: 'a..b' }),
  );
  expect(
    (await bed.namespace.untilReady('inboundaddress/root', 'Refused')).status?.address,
  ).toBeUndefined();
  expect(
    (await bed.namespace.untilReady('inboundaddress/odd', 'InvalidLocalPart')).status?.address,
  ).toBeUndefined();
});
