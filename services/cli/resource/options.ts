/**
 * Options of the fields of a body: a table with one for each field, the options of a command that it
 * makes, and the body that a command line means.
 */
import { type Command, Option } from 'commander';

import type { Cli } from '../api/cli.ts';
import { orWord } from '../terminal/arguments.ts';
import { usageFault } from '../terminal/failure.ts';

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
