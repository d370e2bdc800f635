/** Runs a command of `inlet` in this process. */
import { join } from 'node:path';

import { runInlet } from '../../services/cli/program.ts';
import type { Terminal } from '../../services/cli/terminal.ts';

export type CommandResult = { code: number; out: string; err: string };

export async function runCommand(
  args: readonly string[],
  terminal: Partial<Terminal> & { input?: Buffer } = {},
): Promise<CommandResult> {
  let [out, err] = ['', ''];
  const { input = Buffer.alloc(0), ...given } = terminal;
  const code = await runInlet(
    args,
    {
      env: {},
      cwd: join(import.meta.dirname, 'no-such-folder'),
      write: (text) => void (out += text),
      complain: (text) => void (err += text),
      readInput: () => Promise.resolve(input),
      isInteractive: false,
      columns: 100,
      stopped: new AbortController().signal,
      ...given,
    },
    '0.0.0-test',
  );
  return { code, out, err };
}
