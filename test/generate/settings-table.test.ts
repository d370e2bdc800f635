/**
 * The tables in docs/settings.md are generated from the schemas that read the settings.
 * `npm run golden` updates them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { ApiConfig } from '../../services/api/config.ts';
import { DispatcherConfig } from '../../services/dispatcher/config.ts';
import { GatewayConfig } from '../../services/gateway/config.ts';
import { OperatorConfig } from '../../services/operator/config.ts';
import { StandaloneConfig } from '../../services/standalone/config.ts';

const PAGE = join(import.meta.dirname, '../../docs/settings.md');
const SERVICES = {
  gateway: GatewayConfig,
  dispatcher: DispatcherConfig,
  api: ApiConfig,
  operator: OperatorConfig,
};
const HEADINGS: Record<string, string> = {
  gateway: '## Gateway',
  dispatcher: '## Dispatcher',
  api: '## API',
  operator: '## Operator',
};
const SECTION = /(<!-- settings -->\n)[\s\S]*?(\n<!-- \/settings -->)/;

test('docs/settings.md lists every setting as the services read it', async () => {
  const page = await readFile(PAGE, 'utf8');
  expect(page).toMatch(SECTION);
  await expect(
    page.replace(SECTION, (_, start: string, end: string) => `${start}${tables()}${end}`),
  ).toMatchFileSnapshot(PAGE);
});

test('every setting has a description', () => {
  for (const schema of [...Object.values(SERVICES), StandaloneConfig]) {
    expect(
      Object.entries(fieldsOf(schema))
        .filter(([, field]) => !field.description)
        .map(([name]) => name),
    ).toEqual([]);
  }
});

function tables(): string {
  const names = [
    ...new Set(Object.values(SERVICES).flatMap((schema) => Object.keys(schema.shape))),
  ];
  const users = (name: string) =>
    Object.entries(SERVICES)
      .filter(([, schema]) => name in schema.shape)
      .map(([service]) => service);
  const shared = names.filter((name) => users(name).length > 1);
  const only = (service: string) =>
    names.filter((name) => users(name).length === 1 && users(name)[0] === service);
  const isReadByAll = (name: string) => users(name).length === Object.keys(SERVICES).length;
  const readers = (name: string) => (isReadByAll(name) ? 'all' : users(name).join(', '));
  const standalone = table(Object.keys(StandaloneConfig.shape), undefined, StandaloneConfig);
  return [
    `## Several services\n\n${table(shared, readers)}`,
    ...Object.keys(SERVICES).map((service) => `${HEADINGS[service]}\n\n${table(only(service))}`),
    '## `npm start`\n\nSettings of the services can be given too. They are passed on.',
    standalone,
  ].join('\n\n');
}

function table(names: string[], usedBy?: (name: string) => string, schema?: z.ZodObject): string {
  const rows = names.map((name) => {
    const field = fieldsOf(schema ?? Object.values(SERVICES).find((one) => name in one.shape))[
      name
    ];
    const cells = [
      `\`${name}\``,
      ...(usedBy ? [usedBy(name)] : []),
      defaultOf(field),
      field?.description ?? '',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = ['setting', ...(usedBy ? ['read by'] : []), 'default', 'meaning'];
  return [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows].join('\n');
}

const fieldsOf = (schema: z.ZodObject | undefined): Readonly<Record<string, z.ZodType>> =>
  schema?.shape ?? {};

/** What the table shows as the default of a setting. */
function defaultOf(field: z.ZodType | undefined): string {
  if (field === undefined) return '';
  const json = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
  if (json.default !== undefined)
    return json.default === '' ? 'none' : `\`${String(json.default)}\``;
  return !isOptional(field) ? 'required' : 'none';
}

const isOptional = (field: z.ZodType): boolean => field.safeParse(undefined).success;
