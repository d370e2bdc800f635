/** Asks the person at a terminal before what cannot be undone; a script says nothing, and is not asked. */
import type { Command } from 'commander';

import { ExitCode, Failure } from './failure.ts';
import type { Terminal } from './terminal.ts';

export const withYes = (command: Command): Command =>
  command.option('--yes', 'do not ask on a terminal');

/** @throws Failure unless the person agrees */
export async function agreed(
  { isInputInteractive, isInteractive, readLine }: Terminal,
  { yes = false }: { yes?: boolean },
  question: string,
): Promise<void> {
  if (yes || !isInputInteractive || !isInteractive) return;
  if (!/^y(es)?$/i.test((await readLine(`${question} [y/N] `)).trim()))
    throw new Failure('nothing was changed', ExitCode.failed);
}
