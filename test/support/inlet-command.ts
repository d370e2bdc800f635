/** Runs a command of `inlet` in this process. */
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';

import { administration } from '../../services/cli/administration.ts';
import { runInlet } from '../../services/cli/program.ts';
import type { Terminal } from '../../services/cli/terminal/terminal.ts';

export type CommandResult = { code: number; out: string; err: string };
type Given = Partial<Terminal> & { input?: Buffer };

/** A terminal without settings, in a folder that does not exist: it finds no running Inlet. */
export const terminalOf = ({ input = Buffer.alloc(0), ...given }: Given = {}): Terminal => ({
  env: {},
  cwd: join(import.meta.dirname, 'no-such-folder'),
  write: () => undefined,
  complain: () => undefined,
  readInput: () => Promise.resolve(input),
  byteInput: () => Readable.from([input]),
  byteOutput: () => new PassThrough(),
  readLine: () => Promise.resolve(input.toString()),
  readSecret: () => Promise.resolve(input.toString()),
  isInputInteractive: false,
  isInteractive: false,
  columns: 100,
  stopped: new AbortController().signal,
  ...given,
});

export async function runCommand(
  args: readonly string[],
  given: Given = {},
): Promise<CommandResult> {
  let [out, err] = ['', ''];
  const terminal = terminalOf({
    write: (text) => void (out += text),
    complain: (text) => void (err += text),
    ...given,
  });
  const code = await runInlet(args, terminal, '0.0.0-test', administration);
  return { code, out, err };
}
