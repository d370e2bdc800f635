/**
 * Go programs for tests: given by a variable, from PATH, from the cache, or compiled into the cache
 * with `go install` from the Go module proxy. Nobody has to install them by hand.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { noteSkip } from './skip-notes.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
const COMPILE_TIMEOUT_MS = 900_000;

export type GoTool = {
  name: string;
  /** A path from the environment. */
  given?: string;
  /** Arguments with which it prints its version and exits. */
  versionArgs: string[];
  /** Package path and version for `go install`. */
  module: string;
};

/**
 * Its path; undefined, with a note in the skip report, where it can be neither found nor compiled.
 */
export async function findGoTool(tool: GoTool): Promise<string | undefined> {
  const { name, given, versionArgs, module } = tool;
  const dir = join(process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache'), 'go', 'bin');
  const installed = join(dir, name);
  for (const path of [given || name, installed]) if (await runs(path, versionArgs)) return path;
  if (!(await runs('go', ['version']))) {
    noteSkip(`${name} is missing, and so is Go, which could compile it`);
    return undefined;
  }
  process.stderr.write(
    `compiling ${name} (go install ${module}), which can take minutes, once …\n`,
  );
  try {
    await mkdir(dir, { recursive: true });
    const env = { ...process.env, GOBIN: dir };
    await run('go', ['install', module], { env, timeout: COMPILE_TIMEOUT_MS });
    return installed;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    noteSkip(`${name} is missing, and Go could not compile it: ${lastLine(stderr)}`);
    return undefined;
  }
}

async function runs(path: string, args: readonly string[]): Promise<boolean> {
  try {
    await run(path, args);
    return true;
  } catch {
    return false;
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
