/** What a real API server says of fields that it dropped, and of namespaces that nobody watches. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

import { type ManagedFields, droppedFields } from '../../services/core/kube/dropped-fields.ts';
import { CHART } from '../support/charts.ts';
import { account } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import { createNamespace, establishDefinitions, kubectl, type Namespace } from './kubectl.ts';
import { clusterHelm } from './release.ts';

let namespace: Namespace;
beforeAll(async () => {
  await establishDefinitions();
  namespace = await createNamespace();
});
afterAll(async () => namespace?.[Symbol.asyncDispose]());

const GROUP = `${randomBytes(4).toString('hex')}.test`;
const text = { type: 'string' };
const definition = (properties: object) =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `toys.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind: 'Toy', plural: 'toys' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties },
                status: { type: 'object', properties: { id: text } },
              },
            },
          },
        },
      ],
    },
  });
const below = (more: object) => ({ type: 'object', properties: { key: text, ...more } });
const FORMER = { name: text, below: below({}) };
const CURRENT = {
  name: text,
  below: below({ deep: text }),
  rules: { type: 'array', items: text },
};
const Toy = z.object({
  name: z.string(),
  below: z.object({ key: z.string(), deep: z.string().optional() }).optional(),
  rules: z.array(z.string()).optional(),
});
const spec = { name: 'a', below: { key: 'b', deep: 'c' }, rules: ['d'] };
const toy = (name: string, rest: object) =>
  JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: 'Toy', metadata: { name }, ...rest });
const inNamespace = (args: string[], input?: string) =>
  kubectl(['-n', namespace.name, ...args], input);
const define = (properties: object) =>
  kubectl(['apply', '--server-side', '-f', '-'], definition(properties));

async function dropped(name: string): Promise<string[]> {
  const found = JSON.parse(
    await inNamespace(['get', `toys.${GROUP}`, name, '-o', 'json', '--show-managed-fields']),
  ) as { spec: unknown; metadata: { managedFields: ManagedFields[] } };
  return droppedFields(found.spec, Toy.parse(found.spec), found.metadata.managedFields).toSorted();
}

const WAYS = [
  ['apply', ['apply', '-f', '-']],
  ['server-side', ['apply', '--server-side', '-f', '-']],
  ['create', ['create', '-f', '-']],
] as const;

test('V.4: dropped fields are known after a rollback of the definition, and after the next upgrade', async () => {
  await define(CURRENT);
  try {
    await kubectl(['wait', '--for=condition=Established', `crd/toys.${GROUP}`, '--timeout=300s']);
    for (const [name, args] of WAYS) await inNamespace([...args], toy(name, { spec }));
    for (const [name] of WAYS) expect([name, await dropped(name)]).toEqual([name, []]);

    await define(FORMER);
    const both = ['spec.below.deep', 'spec.rules'];
    for (const [name] of WAYS)
      await until(`${name} to lose its fields`, async () => (await dropped(name)).length === 2);
    const status = [
      'apply',
      '--server-side',
      '--subresource=status',
      '--field-manager=op',
      '-f',
      '-',
    ];
    for (const [name] of WAYS) await inNamespace(status, toy(name, { status: { id: '1' } }));
    await define(CURRENT);
    for (const [name] of WAYS) expect([name, await dropped(name)]).toEqual([name, both]);

    for (const [name, args] of WAYS.slice(0, 2))
      await until(`${name} to be as its manifest`, async () => {
        await inNamespace([...args], toy(name, { spec }));
        return (await dropped(name)).length === 0;
      });
  } finally {
    await kubectl(['delete', 'crd', `toys.${GROUP}`, '--wait=false']);
  }
});

/** `created`, or what kubectl says instead. */
const tryToCreate = (where: string) =>
  kubectl(
    ['-n', where, 'create', '--dry-run=server', '--warnings-as-errors', '-f', '-'],
    JSON.stringify(account()),
  ).then(
    () => 'created',
    (error: Error) => error.message,
  );

test('V.4: whoever creates a resource in a namespace that no operator watches is warned', async () => {
  const { helm } = await clusterHelm();
  await using elsewhere = await createNamespace();
  const policy = await helm(
    'template',
    'mail',
    CHART,
    '-n',
    namespace.name,
    '-f',
    join(CHART, 'values-evaluation.yaml'),
    '--set',
    `inboundDomain=in.example.com,operator.namespaces={${namespace.name}}`,
    '-s',
    'templates/operator-namespaces.yaml',
  );
  await kubectl(['apply', '-f', '-'], policy);
  try {
    // policies of releases of other tests warn, too
    const ours = `in namespace ${namespace.name} does not watch this namespace`;
    await until('a warning', async () => (await tryToCreate(elsewhere.name)).includes(ours));
    expect(await tryToCreate(namespace.name)).not.toContain(ours);
    await kubectl(['label', 'namespace', elsewhere.name, 'inlet.email/watched=true']);
    await until('no warning', async () => !(await tryToCreate(elsewhere.name)).includes(ours));
  } finally {
    await kubectl(['delete', '-f', '-'], policy);
  }
});
