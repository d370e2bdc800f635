/** How commands of `inlet admin` run and print. */
import { jsonFor } from '../terminal/text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Database } from './database.ts';

/** Makes an action of a function, whose arguments are those of the command, and prints its result. */
export type Act = <Args extends unknown[]>(
  load: () => Promise<(database: Database, ...args: Args) => Promise<unknown>>,
) => (...args: Args) => Promise<void>;

export const printJson = (terminal: Terminal, result: unknown): void =>
  terminal.write(jsonFor(terminal, `${JSON.stringify(result, undefined, 2)}\n`));
