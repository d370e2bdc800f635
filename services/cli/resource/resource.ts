/**
 * The commands that every noun of the API has: list, create, show, update, delete, and actions such
 * as test. Its path names the calls, whose types are those of the API document. A noun gives its
 * texts, its columns, and a table with one option for each field, which does not compile when one is
 * missing (D358).
 */
import type { Command } from 'commander';

import type { Calls } from '../../core/api/api-calls.generated.ts';
import { isNamed } from '../api/address-names.ts';
import { type Cli, demandYes } from '../api/cli.ts';
import { agreed, withYes } from '../terminal/agreement.ts';
import { paged } from '../terminal/arguments.ts';
import { usageFault } from '../terminal/failure.ts';
import { type Column, fields as printedFields, table } from '../terminal/text.ts';
import { bodyOf, fieldsIn, type OptionsOf, withOptions } from './options.ts';

type Rows = { data: unknown[] };
/** The paths of the document that list something, such as `/domains`. */
type ListPath = {
  [Name in keyof Calls]: Name extends `GET ${infer Path}`
    ? Calls[Name]['response'] extends Rows
      ? Path
      : never
    : never;
}[keyof Calls];
type Row<Path extends ListPath> = (Calls[`GET ${Path}`]['response'] & Rows)['data'][number];
type BodyAt<Name> = [Name] extends [never]
  ? unknown
  : [Name] extends [keyof Calls]
    ? NonNullable<Calls[Name]['body']>
    : unknown;
/** The word after the id of a call, such as `test`. */
type Action<Path extends string> = {
  [Name in keyof Calls]: Name extends `POST ${Path}/{${string}}/${infer Word}`
    ? Word extends `${string}/${string}`
      ? never
      : Word
    : never;
}[keyof Calls];
/** The call that changes one. */
type Change<Path extends string> = {
  [Name in keyof Calls]: Name extends `PATCH ${Path}/{${infer Field}}`
    ? Field extends `${string}/${string}`
      ? never
      : Name
    : never;
}[keyof Calls];
type Body<Path extends ListPath> = BodyAt<`POST ${Path}`> & BodyAt<Change<Path>>;

type Printed = Record<string, unknown>;
/** Actions that ask something. */
const CHECKS: readonly string[] = ['test', 'verify'];
type AnyCall = (name: string, input: Printed) => Promise<Printed>;
/** Options that the table does not have: filters of a list, and fields that an update changes in part. */
type More<Args extends unknown[] = []> = {
  options: (command: Command) => Command;
  value: (options: never, ...args: Args) => object | Promise<object>;
};
type Text = (data: never) => string;

export type Resource<Path extends ListPath> = {
  path: Path;
  /** Such as `buckets`, with what it is about. */
  name: string;
  about: string;
  /** Such as `bucket`: its ids are `bucket_id` of the path. */
  one: string;
  options: OptionsOf<Body<Path>>;
  list: {
    about: string;
    isPaged?: true;
    filters?: More;
    columns: readonly Column<Row<Path>>[];
  };
  /** What each command does. A command has the usual name, or its own: people are invited. */
  create?: { about: string; command?: string; more?: More; text?: Text };
  show?: { about: string; more?: More; text?: Text };
  /** `hides` is a field of the response that is not printed. */
  update?: { about: string; more?: More<[shown: () => Promise<never>]>; hides?: string };
  remove?: { about: string; command?: string };
  actions?: Partial<Record<Action<Path>, string>>;
  /** How actions print what they changed. */
  changed?: Text;
};

/** @returns the group of commands, for those that only this noun has */
export function addResource<Path extends ListPath>(cli: Cli, resource: Resource<Path>): Command {
  const { path, name, about, one, list, create, show, update, remove, actions = {} } = resource;
  const options = resource.options as unknown as OptionsOf<never>;
  const owners = Array.from(path.matchAll(/\{(\w+)_id\}/g), ([, noun = '']) => noun);
  const all = placeOf(cli, cli.program.command(name).description(about), path, owners);
  const single = placeOf(cli, all.group, `${path}/{${one}_id}`, [...owners, one]);

  const listing = all.add('list', list.about);
  if (list.isPaged) paged(listing, name);
  list.filters?.options(listing);
  const rows = ({ data }: Printed) => table(data as Row<Path>[], list.columns);
  listing.action(all.read(list.filters ?? { value: (query: object) => query }, rows));

  if (create) addCreate(cli, all, fieldsIn('create', options), create);
  if (show) {
    const showing = single.add('show', show.about);
    (show.more?.options(showing) ?? showing).action(single.read(show.more, show.text));
  }
  if (update) addUpdate(cli, single, fieldsIn('update', options), update);
  if (remove) {
    const removing = withYes(single.add(remove.command ?? 'delete', remove.about));
    const act = single.act('DELETE', '');
    removing.action(async (...args: unknown[]) => {
      const { rest, names } = single.split(args);
      await agreed(cli.terminal, rest[0] as object, `${removing.name()} ${names.join(' ')}?`);
      await act(...args);
    });
  }
  for (const [action, text] of Object.entries<string | undefined>(actions))
    single.add(action, text ?? '').action(single.act('POST', `/${action}`, resource.changed));
  return all.group;
}

type Place = ReturnType<typeof placeOf>;

/** The commands of a path: their arguments begin with the nouns whose ids it contains. */
function placeOf(cli: Cli, group: Command, path: string, nouns: readonly string[]) {
  const words = nouns.map((noun) => (isNamed(noun) ? `<${noun}>` : `<${noun}-id>`));
  const split = (args: readonly unknown[]) => ({
    params: Object.fromEntries(nouns.map((noun, i) => [`${noun}_id`, String(args[i])])),
    names: args.slice(0, nouns.length),
    rest: args.slice(nouns.length),
  });
  const call: AnyCall = async (name, input) =>
    ((await cli.connect()).api.call as unknown as AnyCall)(name, input);
  const printing = (
    name: string,
    query: (options: never) => object | Promise<object>,
    text: Text = printedFields,
    isCheck = false,
  ) => {
    return async (...args: unknown[]): Promise<void> => {
      const { params, rest } = split(args);
      const response = await call(name, { params, query: await query(rest[0] as never) });
      cli.print(response, text as (data: Printed) => string);
      if (isCheck) demandYes(response);
    };
  };
  return {
    group,
    add: (command: string, about: string, more: readonly string[] = []) =>
      group.command([command, ...words, ...more].join(' ')).description(about),
    split,
    send: (method: string, input: Printed) => call(`${method} ${path}`, input),
    read: (more?: Pick<More, 'value'>, text?: Text) =>
      printing(`GET ${path}`, more?.value ?? (() => ({})), text),
    act: (method: string, action: string, text?: Text) =>
      printing(`${method} ${path}${action}`, () => ({}), text, CHECKS.includes(action.slice(1))),
  };
}

type Fields = ReturnType<typeof fieldsIn>;

function addCreate(
  cli: Cli,
  place: Place,
  fields: Fields,
  { command = 'create', about, more, text = printedFields }: NonNullable<Resource<never>['create']>,
): void {
  const names = fields.flatMap(({ option }) => ('argument' in option ? [option.argument] : []));
  const creating = withOptions(place.add(command, about, names), fields, 'create');
  (more?.options(creating) ?? creating).action(async (...args: unknown[]) => {
    const { params, rest } = place.split(args);
    const others = await more?.value(rest[names.length] as never);
    const body = { ...others, ...(await bodyOf(cli, fields, rest)) };
    cli.print(await place.send('POST', { params, body }), text as typeof printedFields);
  });
}

function addUpdate(
  cli: Cli,
  place: Place,
  fields: Fields,
  { about, more, hides = '' }: NonNullable<Resource<never>['update']>,
): void {
  const updating = withOptions(place.add('update', about), fields, 'update');
  (more?.options(updating) ?? updating).action(async (...args: unknown[]) => {
    const { params, rest } = place.split(args);
    const shown = () => place.send('GET', { params }) as Promise<never>;
    const others = await more?.value(rest[0] as never, shown);
    const body = { ...others, ...(await bodyOf(cli, fields, rest)) };
    if (Object.keys(body).length === 0) throw usageFault('there is nothing to change');
    const { [hides]: _, ...changed } = await place.send('PATCH', { params, body });
    cli.print(changed, printedFields);
  });
}
