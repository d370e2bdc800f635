/** The command line of a tool: options by name, each a zod schema with a description. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

import { z } from 'zod';

const defaultOf = (schema: z.ZodType): unknown => schema.safeParse(undefined).data;

/** Undefined for --help. @throws an error with one sentence per problem */
export function readOptions<Settings extends Readonly<Record<string, z.ZodType>>>(
  settings: Settings,
  args: readonly string[],
): z.output<z.ZodObject<Settings>> | undefined {
  const options: NonNullable<ParseArgsConfig['options']> = {
    help: { type: 'boolean', short: 'h' },
  };
  for (const [name, schema] of Object.entries(settings))
    options[name] = { type: typeof defaultOf(schema) === 'boolean' ? 'boolean' : 'string' };
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return undefined;
  const parsed = z.object(settings).safeParse(values);
  if (parsed.success) return parsed.data;
  throw new Error(
    parsed.error.issues.map((issue) => `--${String(issue.path[0])}: ${issue.message}`).join('; '),
  );
}

/** A line of help for each option, with its default. */
export function optionLines(settings: Readonly<Record<string, z.ZodType>>): string[] {
  const width = Math.max(...Object.keys(settings).map((name) => name.length));
  return Object.entries(settings).map(([name, schema]) => {
    const initial = defaultOf(schema);
    const shown = initial === undefined || initial === false ? '' : `; default ${String(initial)}`;
    return `  --${name.padEnd(width)}  ${schema.description}${shown}`;
  });
}
