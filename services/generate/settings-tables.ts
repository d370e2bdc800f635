/** The tables of docs/settings.md, from the schemas that read the settings. */
import { z } from 'zod';

import { ApiConfig } from '../api/process/config.ts';
import { DispatcherConfig } from '../dispatcher/process/config.ts';
import { GatewayConfig } from '../gateway/process/config.ts';
import { OperatorConfig } from '../operator/process/config.ts';
import { StandaloneConfig } from '../standalone/settings/config.ts';

export const SERVICES = {
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

export function settingsTables(): string {
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

/** The names of the settings of each service, for the chart, which refuses others. */
export const settingNames = (): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(SERVICES).map(([service, { shape }]) => [
      service,
      Object.keys(shape).toSorted(),
    ]),
  );

export const fieldsOf = (schema: z.ZodObject | undefined): Readonly<Record<string, z.ZodType>> =>
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
