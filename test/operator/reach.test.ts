/**
 * What a tenant who may create custom resources in one namespace reaches of others: nothing
 * (docs/security.md, "What a tenant reaches"). Other rows of that table have their tests elsewhere.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { RECEIVER_AUTH_LABEL } from '../../services/core/kube/spec/receiver-auth-spec.ts';
import { CRDS } from '../support/charts.ts';
import { address, bucket, bucketKeys, receiver } from '../support/manifests.ts';
import { createNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/inbound';
const shared = useOperator();
const namespace = () => createNamespace(shared.bed, shared.operator);

/** Names of all fields of a schema. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(fieldsOf)];
}

test('no field of a spec names a namespace', async () => {
  const files = await readdir(CRDS);
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const crd = parse(await readFile(join(CRDS, file), 'utf8')) as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: object } } } }[] };
    };
    for (const { schema } of crd.spec.versions) {
      const fields = fieldsOf(schema.openAPIV3Schema.properties.spec);
      expect(fields.length).toBeGreaterThan(1);
      expect([file, fields.filter((name) => /namespace/i.test(name))]).toEqual([file, []]);
    }
  }
});

test('an Account of another namespace is none', async () => {
  const [owner, tenant] = [namespace(), namespace()];
  await owner.withAccount();
  await tenant.settle(address('orders', HOOK));
  expect(tenant.condition('InboundAddress', 'orders')).toBe('False AccountNotReady');
  expect(await tenant.records('addresses')).toEqual([]);
});

test('a Secret, a bucket key and an address of another namespace are none', async () => {
  const [owner, tenant] = [namespace(), namespace()];
  for (const space of [owner, tenant]) await space.withAccount();
  owner.apply(bucketKeys());
  owner.apply({
    kind: 'Secret',
    metadata: { name: 'gateway', labels: { [RECEIVER_AUTH_LABEL]: 'true' } },
    data: { username: 'YW5u', password: 'c2VjcmV0' },
  });
  await owner.settle(address('orders', HOOK));
  await tenant.settle(receiver('copy', HOOK), bucket('files'), address('mine', HOOK));
  const guess = { addressRef: { name: 'mine' }, auth: { basicSecretRef: { name: 'gateway' } } };
  await tenant.settle(receiver('guess', HOOK, guess));
  expect([
    tenant.condition('InboundReceiver', 'copy'),
    tenant.condition('InboundReceiver', 'guess'),
    tenant.message('InboundReceiver', 'guess'),
    tenant.condition('AccountBucket', 'files'),
  ]).toEqual([
    expect.stringMatching(/^False /),
    'False AuthNotUsable',
    expect.stringContaining('gateway does not exist'),
    expect.stringMatching(/^False /),
  ]);
  expect([await tenant.records('receivers'), await tenant.records('buckets')]).toEqual([[], []]);
});
