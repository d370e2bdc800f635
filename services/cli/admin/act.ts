/** The shape of the commands of `inlet admin`. */
import type { Database } from './database.ts';

/** Makes an action of a function, whose arguments are those of the command, and prints its result. */
export type Act = <Args extends unknown[]>(
  load: () => Promise<(database: Database, ...args: Args) => Promise<unknown>>,
) => (...args: Args) => Promise<void>;
