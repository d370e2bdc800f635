/**
 * The commands that every noun has: list, create, show, update and delete. A noun gives its calls, its
 * columns, and a table with one option for each field, which does not compile when one is missing.
 */
import { type Command, Option } from 'commander';

import type { Call } from '../../core/api/calls.ts';
import type { Cli } from '../api/cli.ts';
import { orWord, type PageOptions, paged } from '../terminal/arguments.ts';
import { usageFault } from '../terminal/failure.ts';
import { type Column, fields as printedFields, table } from '../terminal/text.ts';

type Offered = {
  /** The commands that have it; by default both. */
  in?: 'create' | 'update';
  /** Reads the value of the field, such as the content of a file. */
  read?: (cli: Cli, text: string) => unknown;
};
type FieldOption =
  /** Such as `<name>`: an argument of the creation. */
  | (Offered & { argument: string })
  /** Such as `--region <region>`. A creation without it means `initial`. */
  | (Offered & {
      flags: string;
      about: string;
      initial?: string;
      isRequired?: true;
      choices?: readonly string[];
      parse?: (text: string) => unknown;
      /** The word that means null, such as `none`. */
      none?: string;
      /** The option of an update that means null, such as `--no-when`. */
      no?: { flags: string; about: string };
    })
  /** `--enable` and `--disable`, or `--enable-webhook` and so on. */
  | (Offered & { enable: string; disable: string; what?: string })
  /** Several options that together are the value. */
  | (Offered & {
      several: (command: Command) => Command;
      value: (options: Record<string, unknown>) => unknown;
    });

/** One for each field of the bodies; null for a field that has commands of its own. */
export type OptionsOf<Body> = Record<keyof Body & string, FieldOption | null>;

type Printed = Record<string, unknown>;
/** A command with the usual name, or its own: people are invited. */
type Named = { about: string; command?: string };
type Resource<Row, Create, Update> = {
  /** Such as `buckets`, with what it is about. */
  name: string;
  about: string;
  /** In `<bucket-id>`. */
  one: string;
  /** The first argument of each command, if the noun belongs to another one: `<address>`. */
  within?: string;
  options: OptionsOf<Create & Update>;
  /** What each command does, and the call that it makes. @param of the id for `within` */
  list: {
    about: string;
    isPaged?: true;
    call: (call: Call, of: string, page: PageOptions) => Promise<{ data: Row[] }>;
    columns: readonly Column<Row>[];
  };
  create: Named & { call: (call: Call, body: Create, of: string) => Promise<Printed> };
  show?: { about: string; call: (call: Call, id: string, of: string) => Promise<Printed> };
  update?: {
    about: string;
    call: (call: Call, id: string, body: Update, of: string) => Promise<Printed>;
  };
  remove: Named & { call: (call: Call, id: string, of: string) => Promise<Printed> };
};

/** @returns the group of commands, for those that only this noun has */
export function addResource<Row, Create, Update>(
  cli: Cli,
  resource: Resource<Row, Create, Update>,
): Command {
  const { name, about, one, within, options, list, create, show, update, remove } = resource;
  const group = cli.program.command(name).description(about);
  const creation = fieldsIn('create', options);
  const change = fieldsIn('update', options);
  const add = (command: string, ...words: readonly string[]) =>
    group.command([command, ...(within === undefined ? [] : [within]), ...words].join(' '));
  /** The id of what the noun belongs to, and the other arguments. */
  const split = (args: readonly unknown[]): [of: string, rest: readonly unknown[]] =>
    within === undefined ? ['', args] : [String(args[0]), args.slice(1)];

  const listing = add('list').description(list.about);
  if (list.isPaged) paged(listing, name);
  listing.action(
    cli.printing(
      (call, ...args: unknown[]) => {
        const [of, [page]] = split(args);
        return list.call(call, of, page as PageOptions);
      },
      ({ data }) => table(data, list.columns),
    ),
  );

  const names = creation.flatMap(({ option }) => ('argument' in option ? [option.argument] : []));
  withOptions(add(create.command ?? 'create', ...names), creation, 'create')
    .description(create.about)
    .action(async (...args: unknown[]) => {
      const [of, rest] = split(args);
      const body = await bodyOf(cli, creation, rest);
      const { api } = await cli.connect();
      cli.print(await create.call(api.call, body as Create, of), printedFields);
    });

  if (show) add('show', `<${one}-id>`).description(show.about).action(byId(show.call));

  if (update)
    withOptions(add('update', `<${one}-id>`), change, 'update')
      .description(update.about)
      .action(async (...args: unknown[]) => {
        const [of, [id, ...rest]] = split(args);
        const body = await bodyOf(cli, change, rest);
        if (Object.keys(body).length === 0) throw usageFault('there is nothing to change');
        const { api } = await cli.connect();
        cli.print(await update.call(api.call, String(id), body as Update, of), printedFields);
      });

  add(remove.command ?? 'delete', `<${one}-id>`)
    .description(remove.about)
    .action(byId(remove.call));
  return group;

  function byId(make: (call: Call, id: string, of: string) => Promise<Printed>) {
    return cli.printing((call, ...args: unknown[]) => {
      const [of, [id]] = split(args);
      return make(call, String(id), of);
    });
  }
}

type NamedOption = { field: string; option: FieldOption };

/** The fields that a command has options for. */
export const fieldsIn = (command: 'create' | 'update', options: OptionsOf<never>): NamedOption[] =>
  Object.entries<FieldOption | null>(options).flatMap(([field, option]) =>
    option !== null &&
    (option.in ?? command) === command &&
    !('argument' in option && command === 'update')
      ? [{ field, option }]
      : [],
  );

/** The flags of a switch. */
const enabling = ({ what = '' }: { what?: string }) => `--enable${what && `-${what}`}`;
const disabling = ({ what = '' }: { what?: string }) => `--disable${what && `-${what}`}`;

export function withOptions(
  to: Command,
  fields: readonly NamedOption[],
  command: 'create' | 'update',
): Command {
  const isCreation = command === 'create';
  for (const { option } of fields) {
    if ('enable' in option)
      to.option(enabling(option), option.enable).option(disabling(option), option.disable);
    if ('several' in option) option.several(to);
    if (!('flags' in option)) continue;
    const { flags, about, initial, choices, parse, none, no, isRequired } = option;
    const text = isCreation && initial !== undefined ? `${about}; default: ${initial}` : about;
    const added = new Option(flags, text);
    if (choices) added.choices(choices);
    if (parse) added.argParser(none === undefined ? parse : orWord(none, parse));
    to.addOption(added.makeOptionMandatory(isCreation && isRequired === true));
    if (no && !isCreation) to.option(no.flags, no.about);
  }
  return to;
}

/** @param args the arguments in their order, then the options by their names in commander */
export async function bodyOf(
  cli: Cli,
  fields: readonly NamedOption[],
  args: readonly unknown[],
): Promise<Record<string, unknown>> {
  const named = fields.filter(({ option }) => 'argument' in option);
  const options = args[named.length] as Record<string, unknown>;
  const given = (flags: string) => options[new Option(flags).attributeName()];
  const body: Record<string, unknown> = {};
  for (const { field, option } of fields) {
    const value = valueOf(option);
    if (value === undefined) continue;
    body[field] = option.read && value !== null ? await option.read(cli, String(value)) : value;
  }
  return body;

  function valueOf(option: FieldOption): unknown {
    if ('argument' in option) return args[named.findIndex((one) => one.option === option)];
    if ('several' in option) return option.value(options);
    if ('flags' in option) {
      const value = given(option.flags);
      const isNone = value === undefined && option.no && given(option.no.flags) === false;
      return isNone || value === false || (value !== undefined && value === option.none)
        ? null
        : value;
    }
    const [on, off] = [enabling(option), disabling(option)];
    if (given(on) && given(off)) throw usageFault(`${on} and ${off} exclude each other`);
    return given(on) ?? (given(off) ? false : undefined);
  }
}
