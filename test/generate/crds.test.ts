/**
 * The definitions in crds/ are generated from the schemas in core, and what the charts install are copies of
 * them. `npm run golden` updates both.
 */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';

import { customResourceDefinition } from '../../services/core/kube/crd.ts';
import { GROUP, KIND_NAMES, KINDS } from '../../services/core/kube/custom-resource.ts';
import { CRD_COPIES, CRDS } from '../support/charts.ts';

const fileOf = (kind: keyof typeof KINDS) => `${KINDS[kind].plural}.${GROUP}.yaml`;

test.each(KIND_NAMES)('the definition of %s is what its schema says', async (kind) => {
  const definition = customResourceDefinition(kind);
  const text = stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false });
  expect(parse(text)).toEqual(definition);
  for (const folder of [CRDS, ...CRD_COPIES])
    await expect(
      `# Made from the schemas in services/core/kube by: npm run golden\n${text}`,
    ).toMatchFileSnapshot(join(folder, fileOf(kind)));
});

test('crds/ has these definitions and no others', async () => {
  expect((await readdir(CRDS)).toSorted()).toEqual(KIND_NAMES.map(fileOf).toSorted());
});

test.each(CRD_COPIES)('%s has the bytes of crds/, as plain files', async (copies) => {
  const names = (await readdir(copies)).toSorted();
  expect(names).toEqual((await readdir(CRDS)).toSorted());
  for (const name of names) {
    expect((await lstat(join(copies, name))).isFile()).toBe(true); // some systems have no symlinks
    const [copy, original] = await Promise.all(
      [copies, CRDS].map((folder) => readFile(join(folder, name))),
    );
    expect([name, copy?.equals(original ?? Buffer.alloc(0))]).toEqual([name, true]);
  }
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
      // with any other name, each apply prints a warning
      expect([undefined, 'date-time', 'email', 'int64']).toContain(schema.format);
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
