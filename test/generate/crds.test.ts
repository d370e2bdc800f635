/** The CRDs in crds/ are generated from the schemas in core. `npm run golden` updates them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { customResourceDefinition } from '../../services/core/kube/crd.ts';
import { GROUP, KIND_NAMES, KINDS } from '../../services/core/kube/custom-resource.ts';

const CRDS = join(import.meta.dirname, '../..', 'crds');
const fileOf = (kind: keyof typeof KINDS) => `${KINDS[kind].plural}.${GROUP}.yaml`;

test.each(KIND_NAMES)('the definition of %s is what its schema says', async (kind) => {
  const text = stringify(customResourceDefinition(kind), {
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  await expect(
    `# Made from the schemas in services/core/kube by: npm run golden\n${text}`,
  ).toMatchFileSnapshot(join(CRDS, fileOf(kind)));
});

test.each(KIND_NAMES)(
  'X.1: %s is stored in v1, and served in v1alpha1 with the same schema',
  (kind) => {
    const { conversion, versions } = customResourceDefinition(kind).spec as {
      conversion: object;
      versions: { name: string; [field: string]: unknown }[];
    };
    const [current = expect.fail('no v1'), former = expect.fail('no v1alpha1'), ...others] =
      versions;
    expect([conversion, others]).toEqual([{ strategy: 'None' }, []]);
    expect(current).toMatchObject({ name: 'v1', served: true, storage: true });
    const { deprecationWarning, ...same } = former;
    expect(same).toEqual({ ...current, name: 'v1alpha1', storage: false, deprecated: true });
    expect(deprecationWarning).toBe(
      `inlet.email/v1alpha1 ${kind} is deprecated; use inlet.email/v1`,
    );
  },
);

test('crds/ holds these and nothing else', async () => {
  expect((await readdir(CRDS)).toSorted()).toEqual(KIND_NAMES.map(fileOf).toSorted());
});

const NOT_STRUCTURAL = new Set([
  '$ref',
  'oneOf',
  'anyOf',
  'allOf',
  'additionalProperties',
  'const',
  'not',
  '$schema',
  'id',
]);

/** The API server takes a schema of all values in the place of named properties. */
const isMap = ({ properties, additionalProperties: values }: Record<string, unknown>): boolean =>
  properties === undefined && typeof values === 'object';

/** Every schema below a schema, with its path. */
function* schemas(
  schema: Record<string, unknown>,
  path: string,
): Generator<[path: string, schema: Record<string, unknown>]> {
  yield [path, schema];
  for (const [name, property] of Object.entries(
    (schema.properties ?? {}) as Record<string, Record<string, unknown>>,
  ))
    yield* schemas(property, `${path}.${name}`);
  if (isMap(schema))
    yield* schemas(schema.additionalProperties as Record<string, unknown>, `${path}{}`);
  if (schema.items) yield* schemas(schema.items as Record<string, unknown>, `${path}[]`);
}

test.each(KIND_NAMES)(
  '%s is structural: each schema has one type, and nothing that the API server does not take',
  (kind) => {
    const [version] = (
      customResourceDefinition(kind).spec as {
        versions: { schema: { openAPIV3Schema: Record<string, unknown> } }[];
      }
    ).versions;
    for (const [path, schema] of schemas(version?.schema.openAPIV3Schema ?? {}, kind)) {
      expect([path, schema.type]).toEqual([
        path,
        expect.stringMatching(/^(object|array|string|integer|boolean|number)$/),
      ]);
      const refused = Object.keys(schema).filter(
        (key) => NOT_STRUCTURAL.has(key) && !(key === 'additionalProperties' && isMap(schema)),
      );
      expect([path, refused]).toEqual([path, []]);
    }
  },
);

test.each(KIND_NAMES)('kubectl explain describes every field of %s', (kind) => {
  const [version] = (
    customResourceDefinition(kind).spec as {
      versions: {
        schema: { openAPIV3Schema: { properties: Record<string, Record<string, unknown>> } };
      }[];
    }
  ).versions;
  const { spec = {}, status = {} } = version?.schema.openAPIV3Schema.properties ?? {};
  const untold = [...schemas(spec, 'spec'), ...schemas(status, 'status')].filter(
    ([path, { description }]) => /\.\w+$/.test(path) && !description,
  );
  expect(untold.map(([path]) => path)).toEqual([]);
});
