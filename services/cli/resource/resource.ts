/**
 * The commands that every noun has: list, create, show, update and delete. A noun gives its calls, its
 * columns, and a table with one option for each field, which does not compile when one is missing.
 */
import { type Command, Option } from 'commander';

import type { Call } from '../../core/api/calls.ts';
import type { Cli } from '../api/cli.ts';
import { orWord } from '../terminal/arguments.ts';
import { usageFault } from '../terminal/failure.ts';
import { type Column, table } from '../terminal/text.ts';

type Offered = {
  /** The commands that have it; by default both. */
  in?: 'create' | 'update';
  /** Reads the value of the field, such as the content of a file. */
  read?: (cli: Cli, text: string) => unknown;
};
export type FieldOption =
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
    })
  /** `--enable` and `--disable`. */
  | (Offered & { enable: string; disable: string });

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
  options: OptionsOf<Create & Update>;
  /** What each command does, and the call that it makes. */
  list: {
    about: string;
    call: (call: Call) => Promise<{ data: Row[] }>;
    columns: readonly Column<Row>[];
  };
  create: Named & { call: (call: Call, body: Create) => Promise<Printed> };
  show?: { about: string; call: (call: Call, id: string) => Promise<Printed> };
  update?: { about: string; call: (call: Call, id: string, body: Update) => Promise<Printed> };
  remove: Named & { call: (call: Call, id: string) => Promise<Printed> };
};

/** @returns the group of commands, for those that only this noun has */
export function addResource<Row, Create, Update>(
  cli: Cli,
  { name, about, one, options, list, create, show, update, remove }: Resource<Row, Create, Update>,
): Command {
  const group = cli.program.command(name).description(about);
  const creation = fieldsIn('create', options);
  const change = fieldsIn('update', options);

  group
    .command('list')
    .description(list.about)
    .action(cli.printing(list.call, ({ data }) => table(data, list.columns)));

  const names = creation.flatMap(({ option }) => ('argument' in option ? [option.argument] : []));
  const { command = 'create' } = create;
  withOptions(group.command([command, ...names].join(' ')), creation, 'create')
    .description(create.about)
    .action(
      cli.printing(async (call, ...args: unknown[]) =>
        create.call(call, (await bodyOf(cli, creation, args)) as Create),
      ),
    );

  if (show)
    group
      .command(`show <${one}-id>`)
      .description(show.about)
      .action(cli.printing((call, id: string) => show.call(call, id)));

  if (update)
    withOptions(group.command(`update <${one}-id>`), change, 'update')
      .description(update.about)
      .action(
        cli.printing(async (call, id: string, ...args: unknown[]) =>
          update.call(call, id, (await bodyOf(cli, change, args)) as Update),
        ),
      );

  group
    .command(`${remove.command ?? 'delete'} <${one}-id>`)
    .description(remove.about)
    .action(cli.printing((call, id: string) => remove.call(call, id)));
  return group;
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

const ENABLE = '--enable';
const DISABLE = '--disable';

export function withOptions(
  to: Command,
  fields: readonly NamedOption[],
  command: 'create' | 'update',
): Command {
  for (const { option } of fields) {
    if ('enable' in option) to.option(ENABLE, option.enable).option(DISABLE, option.disable);
    if (!('flags' in option)) continue;
    const { flags, about, initial, choices, parse, none, isRequired } = option;
    const isCreation = command === 'create';
    const text = isCreation && initial !== undefined ? `${about}; default: ${initial}` : about;
    const added = new Option(flags, text);
    if (choices) added.choices(choices);
    if (parse) added.argParser(none === undefined ? parse : orWord(none, parse));
    to.addOption(added.makeOptionMandatory(isCreation && isRequired === true));
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
  const options = new Map(Object.entries(args[named.length] as Record<string, unknown>));
  if (options.get('enable') && options.get('disable'))
    throw usageFault(`${ENABLE} and ${DISABLE} exclude each other`);
  const body: Record<string, unknown> = {};
  for (const { field, option } of fields) {
    const value = valueOf(option);
    if (value === undefined) continue;
    body[field] = option.read ? await option.read(cli, String(value)) : value;
  }
  return body;

  function valueOf(option: FieldOption): unknown {
    if ('argument' in option) return args[named.findIndex((one) => one.option === option)];
    if ('flags' in option) {
      const value = options.get(new Option(option.flags).attributeName());
      return value !== undefined && value === option.none ? null : value;
    }
    return options.get('enable') ?? (options.get('disable') ? false : undefined);
  }
}
