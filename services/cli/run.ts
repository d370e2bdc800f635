/** Runs a command in a process: its arguments, environment, streams and signals. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { chooseSocketDefaults } from '../adapters/dns/sockets.ts';
import type { ExitCode } from './terminal/failure.ts';
import type { Terminal } from './terminal/terminal.ts';

const EXIT_GRACE_MS = 300;
const DEFAULT_COLUMNS = 80;

export async function runInProcess(
  host: NodeJS.Process,
  run: (argv: readonly string[], terminal: Terminal) => Promise<ExitCode>,
): Promise<void> {
  chooseSocketDefaults();
  const stop = new AbortController();
  host.on('SIGINT', () => stop.abort()).on('SIGTERM', () => stop.abort());
  host.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') host.exit(); // `inlet tail | head`
  });
  host.exitCode = await run(host.argv.slice(2), {
    env: host.env,
    cwd: host.cwd(),
    write: (text) => host.stdout.write(text),
    complain: (text) => host.stderr.write(text),
    readInput: () => buffer(host.stdin),
    byteInput: () => host.stdin,
    byteOutput: () => host.stdout,
    readLine: (prompt) => ask(host, prompt, stop, { isShown: true }),
    readSecret: (prompt) => ask(host, prompt, stop, { isShown: false }),
    isInputInteractive: host.stdin.isTTY,
    isInteractive: host.stdout.isTTY,
    columns: host.stdout.columns || DEFAULT_COLUMNS,
    stopped: stop.signal,
  });
  // a DNS lookup in progress, for example, cannot be canceled
  setTimeout(() => host.exit(), EXIT_GRACE_MS).unref();
}

async function ask(
  { stdin, stderr }: NodeJS.Process,
  prompt: string,
  stop: AbortController,
  { isShown }: { isShown: boolean },
): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, written) => written() });
  // with `terminal`, what is typed appears only at the output
  const output = isShown ? stderr : nowhere;
  const lines = createInterface({ input: stdin, output, terminal: true });
  lines.on('SIGINT', () => stop.abort()); // the terminal now sends Ctrl-C as a character
  try {
    if (!isShown) stderr.write(prompt);
    return await lines.question(isShown ? prompt : '', { signal: stop.signal });
  } finally {
    lines.close();
  }
}
