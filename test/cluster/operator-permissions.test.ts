/**
 * The operator needs every permission in permissions.ts and no other. It runs here as a service
 * account with exactly these.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { LEASE_RULES, RULES } from '../../services/operator/permissions.ts';
import { until } from '../support/until.ts';
import { account, address, manifest, token } from './kubectl.ts';
import { type OperatorBed, startOperatorBed } from './operator-bed.ts';

let bed: OperatorBed;
beforeAll(async () => {
  bed = await startOperatorBed();
});
afterAll(() => bed?.[Symbol.asyncDispose]());

test('no verb is missing, none is unused', async () => {
  await using operator = await bed.start();
  const { namespace } = bed;
  await namespace.run('create', 'secret', 'generic', 'taken', '--from-literal=mine=1');
  await namespace.apply(
    account(),
    address('orders', 'https://hooks.example.com/'),
    address('taker', 'https://hooks.example.com/', { secretName: 'taken' }),
    token('ci'),
    manifest('InboundDomain', 'own', { accountRef: { name: 'shop' }, domain: 'shop.example.com' }),
    manifest('AccountNotification', 'pager', {
      accountRef: { name: 'shop' },
      url: 'https://hooks.example.com/pager',
    }),
  );
  await namespace.untilReady('inboundaddress/orders');
  await namespace.untilReady('inboundaddress/taker', 'SecretTaken');
  await namespace.untilReady('apitoken/ci');
  await namespace.untilReady('accountnotification/pager');
  await namespace.patch('secret/orders-webhook', { stringData: { address: 'mine' } });
  await until(
    'the Secret to be restored',
    async () => (await namespace.secret('orders-webhook'))?.address !== 'mine',
  );
  await namespace.untilReady('inbounddomain/own', 'Unverified');

  const granted = [...RULES, ...LEASE_RULES].flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
  const used = [...(await operator.requests()).keys()];
  expect(used.toSorted()).toEqual(granted.toSorted());
  expect(await operator.metric('inlet_operator_reconciles_total', 'result="error"')).toBe(0);
});
