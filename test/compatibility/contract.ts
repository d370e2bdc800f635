/** Everything that docs/project/compatibility.md promises and a program can compare, and its breaks. */
import { breaksOfApi, type OpenApi } from './openapi.ts';
import {
  type Break,
  createSchemaComparison,
  type Named,
  type Schema,
  type Sides,
} from './schema.ts';

export type Definition = {
  names: { plural: string; shortNames: readonly string[] };
  scope: string;
  /** Versions that are served, with their schemas. */
  versions: Readonly<Record<string, Schema>>;
};
export type Metric = { type: string; labels: readonly string[]; buckets?: readonly number[] };
/** The commands below `inlet`, with their options. */
export type Commands = Readonly<Record<string, readonly string[]>>;

export type Contract = {
  openapi: OpenApi;
  payload: Schema & { $defs?: Named };
  crds: Readonly<Record<string, Definition>>;
  /** By service: an object with a property for each setting. */
  settings: Readonly<Record<string, Schema>>;
  values: Schema & { $defs?: Named };
  metrics: Readonly<Record<string, Metric>>;
  exitCodes: Readonly<Record<string, number>>;
  commands: Commands;
};

export function breaksOf({ before, after }: Sides<Contract>): Break[] {
  const of = <K extends keyof Contract>(key: K) => ({ before: before[key], after: after[key] });
  const found = [
    ...breaksOfApi(of('openapi')),
    ...breaksOfSchema(of('payload'), 'response', 'payload'),
    ...breaksOfDefinitions(of('crds')),
    ...breaksOfSettings(of('settings')),
    ...breaksOfSchema(of('values'), 'request', 'values'),
    ...breaksOfMetrics(of('metrics')),
    ...breaksOfExitCodes(of('exitCodes')),
    ...breaksOfCommands(of('commands')),
  ];
  return [...new Map(found.map((one) => [`${one.subject} ${one.what}`, one])).values()];
}

function breaksOfSchema(
  schemas: Sides<Schema & { $defs?: Named }>,
  direction: 'request' | 'response',
  at: string,
): Break[] {
  const breaks: Break[] = [];
  const named = { before: schemas.before.$defs ?? {}, after: schemas.after.$defs ?? {} };
  createSchemaComparison(named, breaks)(schemas, direction, at);
  return breaks;
}

function breaksOfDefinitions({ before, after }: Sides<Contract['crds']>): Break[] {
  return Object.entries(before).flatMap(([kind, was]) => {
    const is = after[kind];
    if (is === undefined) return [{ subject: kind, what: 'is removed' }];
    const names = is.names.plural === was.names.plural && is.scope === was.scope;
    return [
      ...(names ? [] : [{ subject: kind, what: 'has another name or scope' }]),
      ...was.names.shortNames
        .filter((name) => !is.names.shortNames.includes(name))
        .map((name) => ({ subject: `${kind} ${name}`, what: 'is removed' })),
      ...Object.entries(was.versions).flatMap(([version, schema]) => {
        const subject = `${kind} ${version}`;
        const now = is.versions[version];
        if (now === undefined) return [{ subject, what: 'is no longer served' }];
        const part = (name: 'spec' | 'status') => ({
          before: schema.properties?.[name] ?? {},
          after: now.properties?.[name] ?? {},
        });
        return [
          ...breaksOfSchema(part('spec'), 'request', `${subject} spec`),
          ...breaksOfSchema(part('status'), 'response', `${subject} status`),
        ];
      }),
    ];
  });
}

function breaksOfSettings({ before, after }: Sides<Contract['settings']>): Break[] {
  return Object.entries(before).flatMap(([service, was]) => {
    const breaks = breaksOfSchema({ before: was, after: after[service] ?? {} }, 'request', '');
    // a setting has the same name in every service
    return breaks.map(({ subject, what }) => ({ subject: subject.replace(/^\./, ''), what }));
  });
}

function breaksOfMetrics({ before, after }: Sides<Contract['metrics']>): Break[] {
  return Object.entries(before).flatMap(([name, was]) => {
    const is = after[name];
    if (is === undefined) return [{ subject: name, what: 'is removed' }];
    return [
      ...(is.type === was.type ? [] : [{ subject: name, what: `is a ${is.type}` }]),
      ...was.labels
        .filter((label) => !is.labels.includes(label))
        .map((label) => ({ subject: `${name}{${label}}`, what: 'is removed' })),
      ...(was.buckets ?? [])
        .filter((bound) => !is.buckets?.includes(bound))
        .map((bound) => ({ subject: `${name}{le=${bound}}`, what: 'is removed' })),
    ];
  });
}

const breaksOfExitCodes = ({ before, after }: Sides<Contract['exitCodes']>): Break[] =>
  Object.entries(before)
    .filter(([meaning, code]) => after[meaning] !== code)
    .map(([meaning, code]) => ({
      subject: `exit code ${code}`,
      what: `is not ${meaning} any more`,
    }));

function breaksOfCommands({ before, after }: Sides<Commands>): Break[] {
  return Object.entries(before).flatMap(([command, options]) => {
    const now = after[command];
    if (now === undefined) return [{ subject: command, what: 'is removed' }];
    return options
      .filter((option) => !now.includes(option))
      .map((option) => ({ subject: `${command} ${option}`, what: 'is removed' }));
  });
}
