/**
 * An InboundDomain resource: claimed, verified by DNS, then used by an InboundAddress resource. What
 * else happens to domains is in test/operator/domains.test.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { account, address, manifest } from '../support/manifests.ts';
import type { Found } from './kubectl.ts';
import { type OperatorBed, startOperatorBed } from './operator-bed.ts';
import type { Operator } from './operator-process.ts';

let bed: OperatorBed;
let operator: Operator;
beforeAll(async () => {
  bed = await startOperatorBed();
  operator = await bed.start({}, { resyncMs: 7_000 });
  await bed.namespace.apply(account());
});
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await bed?.[Symbol.asyncDispose]();
});

const ownDomain = (name: string, domain: string) =>
  manifest('InboundDomain', name, { accountRef: { name: 'shop' }, domain });
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
