/**
 * The operator needs every permission in permissions.ts and no other. It runs here as a service
 * account with exactly these, or with those that the chart gives it for some Secrets only.
 */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { LEASE_RULES, RULES } from '../../services/operator/cluster/permissions.ts';
import { helm, PROFILES, rendered, sets } from '../chart/render.ts';
import { until } from '../support/until.ts';
import {
  account,
  address,
  bucket,
  bucketKeys,
  manifest,
  receiver,
  senderList,
  token,
} from '../support/manifests.ts';
import { createNamespace, kubectl } from './kubectl.ts';
import { type OperatorBed, startOperatorBed } from './operator-bed.ts';
import { kubeconfigOfServiceAccount } from './operator-credentials.ts';

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
    receiver('more', 'https://hooks.example.com/'),
    token('ci'),
    manifest('InboundDomain', 'own', { accountRef: { name: 'shop' }, domain: 'shop.example.com' }),
    manifest('AccountNotification', 'pager', {
      accountRef: { name: 'shop' },
      url: 'https://hooks.example.com/pager',
    }),
    senderList('partners', ['partner.example']),
    bucketKeys(),
    bucket('files'),
  );
  await namespace.untilReady('inboundaddress/orders');
  await namespace.untilReady('inboundaddress/taker', 'SecretTaken');
  await namespace.untilReady('inboundreceiver/more');
  await namespace.untilReady('apitoken/ci');
  await namespace.untilReady('accountnotification/pager');
  await namespace.untilReady('senderlist/partners');
  await namespace.untilReady('accountbucket/files');
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

/** The roles of the chart for an operator of these Secrets, all in one namespace. */
const chartRoles = async (namespace: string, secretNames: readonly string[]) =>
  (
    await rendered(
      ...PROFILES.evaluation,
      '--namespace',
      namespace,
      ...sets(
        `operator.namespaces={${namespace}}`,
        `operator.secretNames={${secretNames.join(',')}}`,
      ),
    )
  ).filter(
    ({ kind, metadata }) =>
      ['Role', 'RoleBinding'].includes(kind) && metadata.name.startsWith('inlet-operator'),
  );

test.skipIf(helm === undefined)(
  'with operator.secretNames it reads no other Secret, and manages these (skipped without helm)',
  async () => {
    await using own = await createNamespace();
    const names = ['orders-secret', 'ci-secret'];
    await own.run('create', 'secret', 'generic', 'foreign', '--from-literal=theirs=1');
    const kubeconfig = `${bed.env.KUBECONFIG}-${own.name}`;
    const roles = await chartRoles(own.name, names);
    expect(roles).toHaveLength(4);
    await writeFile(kubeconfig, await kubeconfigOfServiceAccount(own, roles));
    await using operator = await bed.start({
      KUBECONFIG: kubeconfig,
      WATCH_NAMESPACES: own.name,
      LEASE_NAME: 'inlet-operator',
      SECRET_NAMES: names.join(','),
    });
    const hook = 'https://hooks.example.com/';
    await own.apply(
      account('shop', { email: `${own.name}@example.com` }),
      address('orders', hook, { secretName: 'orders-secret' }),
      address('unnamed', hook),
      token('ci', { secretName: 'ci-secret' }),
      token('unnamed'),
    );
    await own.untilReady('inboundaddress/orders');
    await own.untilReady('apitoken/ci');
    await own.untilReady('inboundaddress/unnamed', 'SecretRefused');
    await own.untilReady('apitoken/unnamed', 'SecretRefused');
    expect(await own.get('secret/unnamed-webhook')).toBeUndefined();
    expect(await own.get('secret/unnamed-token')).toBeUndefined();

    await own.patch('secret/orders-secret', { stringData: { address: 'changed' } });
    await until(
      'the Secret to be restored',
      async () => (await own.secret('orders-secret'))?.address !== 'changed',
    );
    await own.delete('secret/ci-secret');
    await until(
      'a deleted Secret to be created again',
      async () => (await own.secret('ci-secret'))?.token !== undefined,
    );

    const asOperator = (...args: string[]) =>
      kubectl(['--kubeconfig', kubeconfig, '-n', own.name, ...args]);
    for (const refused of [
      ['get', 'secrets'],
      ['get', 'secrets', '-l', 'app.kubernetes.io/managed-by=inlet-operator'],
      ['get', 'secrets', '--field-selector', 'metadata.name=foreign'],
      ['get', 'secret', 'foreign'],
      ['get', 'secrets', '--watch-only', '--request-timeout=5s'],
      ['patch', 'secret', 'orders-secret', '-p', '{}'],
      ['delete', 'secret', 'orders-secret'],
    ])
      await expect(asOperator(...refused)).rejects.toThrow(/forbidden/);
    expect(
      await asOperator('get', 'secrets', '--field-selector', 'metadata.name=ci-secret', '-o=name'),
    ).toBe('secret/ci-secret\n');
    expect(await operator.metric('inlet_operator_reconciles_total', 'result="error"')).toBe(0);
  },
);
