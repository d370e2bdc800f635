/** The contract of this checkout, from the documents that other tests keep up to date, and from the code. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Command } from 'commander';
import { parse } from 'yaml';
import { z } from 'zod';

import { payloadSchema } from '../../services/api/documentation/payload-schema.ts';
import { administration } from '../../services/cli/administration.ts';
import { ExitCode } from '../../services/cli/terminal/failure.ts';
import { createPlugin } from '../../services/cli/kubernetes/program.ts';
import { createProgram } from '../../services/cli/program.ts';
import { metricsOf, SERVICES as METRIC_SERVICES } from '../../services/generate/metric-names.ts';
import { SERVICES } from '../../services/generate/settings-tables.ts';
import { CRDS } from '../support/charts.ts';
import { terminalOf } from '../support/inlet-command.ts';
import { readOpenApi } from '../support/openapi-files.ts';
import type { Commands, Contract, Definition, Metric } from './contract.ts';
import type { OpenApi } from './openapi.ts';
import type { Schema } from './schema.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const read = (...path: string[]) => readFile(join(CHECKOUT, ...path), 'utf8');

export async function currentContract(): Promise<Contract> {
  return withoutTexts({
    openapi: await readOpenApi<OpenApi>(),
    payload: payloadSchema(),
    crds: await definitions(),
    settings: Object.fromEntries(
      Object.entries(SERVICES).map(([service, schema]) => [
        service,
        z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema,
      ]),
    ),
    values: await chartValues(),
    metrics: metrics(),
    exitCodes: ExitCode,
    commands: {
      ...commandsOf(createProgram(terminalOf(), '0.0.0', administration)),
      ...commandsOf(createPlugin(terminalOf(), '0.0.0'), 'kubectl '),
    },
  });
}

/** The schema of the chart is of draft 7, which has another name for `$defs`. */
async function chartValues(): Promise<Schema> {
  const text = await read('charts', 'inlet', 'values.schema.json');
  const { definitions: $defs, ...schema } = JSON.parse(text) as Schema;
  return { ...schema, $defs };
}

type Written = {
  spec: {
    names: { kind: string; plural: string; shortNames: string[] };
    scope: string;
    versions: { name: string; served: boolean; schema: { openAPIV3Schema: Schema } }[];
  };
};

async function definitions(): Promise<Record<string, Definition>> {
  const files = (await readdir(CRDS)).toSorted();
  const found = await Promise.all(
    files.map(async (file) => (parse(await readFile(join(CRDS, file), 'utf8')) as Written).spec),
  );
  return Object.fromEntries(
    found.map(({ names: { kind, plural, shortNames }, scope, versions }) => [
      kind,
      {
        names: { plural, shortNames },
        scope,
        versions: Object.fromEntries(
          versions
            .filter(({ served }) => served)
            .map(({ name, schema }) => [name, schema.openAPIV3Schema]),
        ),
      },
    ]),
  );
}

const metrics = (): Record<string, Metric> =>
  Object.fromEntries(
    METRIC_SERVICES.flatMap(metricsOf)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, type, labels, buckets }) => [
        name,
        { type, labels: labels.toSorted(), ...(buckets && { buckets }) },
      ]),
  );

function commandsOf(command: Command, above = ''): Commands {
  const title = `${above}${command.name()}`;
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, short }) => long ?? short ?? '');
  return {
    [title]: options.toSorted(),
    ...Object.assign({}, ...command.commands.map((one) => commandsOf(one, `${title} `))),
  };
}

/** Keywords of schemas and documents that are for people. */
const TEXTS = new Set([
  'description',
  'summary',
  'title',
  'example',
  'examples',
  'tags',
  'x-codeSamples',
  'info',
  '$schema',
  '$id',
  '$comment',
]);
/** Keywords whose keys are names that somebody chose. */
const MAPS = new Set(['properties', 'schemas', '$defs', 'crds', 'settings', 'metrics', 'commands']);

function withoutTexts<T>(value: T, isMap = false): T {
  if (Array.isArray(value)) return value.map((one) => withoutTexts<unknown>(one)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, part]) => part !== undefined && (isMap || !TEXTS.has(key)))
      .map(([key, part]) => [
        key,
        key === 'default' || key === 'enum'
          ? part
          : withoutTexts<unknown>(part, !isMap && MAPS.has(key)),
      ]),
  ) as T;
}
