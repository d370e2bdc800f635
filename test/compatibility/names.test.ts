/**
 * The names that docs/project/compatibility.md promises, as lists: a line that a change removes is a break, and
 * a review sees it. openapi-breaks.test.ts compares the API.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { KIND_NAMES } from '../../services/core/kube/custom-resource.ts';
import { payloadSchema } from '../../services/api/documentation/payload-schema.ts';
import { administration } from '../../services/cli/administration.ts';
import { createPlugin } from '../../services/cli/kubernetes/program.ts';
import { createProgram } from '../../services/cli/program.ts';
import { ExitCode } from '../../services/cli/terminal/failure.ts';
import { metricsOf, SERVICES as METRIC_SERVICES } from '../../services/generate/metric-names.ts';
import { SERVICES } from '../../services/generate/settings-tables.ts';
import { CRDS } from '../support/charts.ts';
import { terminalOf } from '../support/inlet-command.ts';
import { SERVED_BASELINE, versionsOf } from './baseline.ts';

const VALUES = join(import.meta.dirname, '../../charts/inlet/values.schema.json');

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
};

/** Each field with its type and its values. A schema with a name stands once, below that name. */
function fieldsOf(schema: Schema, path: string): string[] {
  const { additionalProperties: other, anyOf = [], oneOf = [], allOf = [] } = schema;
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
      const about = [field.type ?? [], (field.enum ?? []).map((one) => JSON.stringify(one))].flat();
      return [
        `${path}.${name} ${about.join(' ')}`.trimEnd(),
        ...fieldsOf(field, `${path}.${name}`),
      ];
    }),
    ...(schema.items ? fieldsOf(schema.items, `${path}[]`) : []),
    ...(typeof other === 'object' ? fieldsOf(other, `${path}{}`) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((one) => fieldsOf(one, path)),
    ...Object.entries({ ...schema.$defs, ...schema.definitions }).flatMap(([name, one]) =>
      fieldsOf(one, name),
    ),
  ];
}

type Definition = {
  spec: {
    names: { kind: string; plural: string; shortNames: string[] };
    scope: string;
    versions: { name: string; served: boolean; schema: { openAPIV3Schema: Schema } }[];
  };
};

async function crds(): Promise<string[]> {
  const files = (await readdir(CRDS)).map((file) => readFile(join(CRDS, file), 'utf8'));
  return (await Promise.all(files)).flatMap((text) => {
    const { names, scope, versions } = (parse(text) as Definition).spec;
    return versions
      .filter(({ served }) => served)
      .flatMap(({ name, schema }) => {
        const subject = `${names.kind} ${name}`;
        const about = [scope, names.plural, ...names.shortNames].join(' ');
        return [`${subject}: ${about}`, ...fieldsOf(schema.openAPIV3Schema, subject)];
      });
  });
}

function commandsOf(command: Command, above = ''): string[] {
  const title = `${above}${command.name()}`;
  return [
    title,
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map(({ long, short }) => `${title} ${long ?? short}`),
    ...command.commands.flatMap((one) => commandsOf(one, `${title} `)),
  ];
}

test.each<[string, () => string[] | Promise<string[]>]>([
  ['payload', () => fieldsOf(payloadSchema(), 'payload')],
  ['crds', crds],
  [
    'settings',
    () =>
      Object.entries(SERVICES).flatMap(([service, schema]) =>
        Object.keys(schema.shape).map((name) => `${service} ${name}`),
      ),
  ],
  ['values', async () => fieldsOf(JSON.parse(await readFile(VALUES, 'utf8')) as Schema, 'values')],
  [
    'metrics',
    () =>
      METRIC_SERVICES.flatMap(metricsOf).map(({ name, type, labels, buckets = [] }) =>
        `${name} ${type} {${labels.toSorted().join(', ')}} ${buckets.join(' ')}`.trimEnd(),
      ),
  ],
  [
    'commands',
    () => [
      ...commandsOf(createProgram(terminalOf(), '0.0.0', administration)),
      ...commandsOf(createPlugin(terminalOf(), '0.0.0'), 'kubectl '),
    ],
  ],
  ['exit-codes', () => Object.entries(ExitCode).map(([name, code]) => `${code} ${name}`)],
])('the names of %s equal the golden file; npm run golden updates it', async (part, namesOf) => {
  const names = [...new Set(await namesOf())].toSorted();
  await expect(
    `${names.join('\n')}\n`,
    'docs/CHANGELOG.md names each removed line as a break; then: npm run golden',
  ).toMatchFileSnapshot(`${part}.golden.txt`);
});

test('a version of a definition is stored only when the last release served it', async () => {
  const served = JSON.parse(await readFile(SERVED_BASELINE, 'utf8')) as Record<string, string[]>;
  const tooEarly = KIND_NAMES.flatMap((kind) =>
    versionsOf(kind)
      .filter(({ name, storage }) => storage && served[kind]?.includes(name) === false)
      .map(({ name }) => `${kind} ${name}`),
  );
  expect(tooEarly, 'the API server refuses to roll the definition back').toEqual([]);
});
