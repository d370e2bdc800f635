/**
 * Go programs for tests: given by a variable, from PATH, from the cache, or compiled into the cache
 * from the Go module proxy. Nobody has to install them by hand. Several test files may need the same
 * program at the same time: one compiles it, with all processors, and the others wait.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { inTurn } from './in-turn.ts';
import { noteSkip } from './skip-notes.ts';
import { atMost } from './slowdown.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
const COMPILE_TIMEOUT_MS = 900_000;

export type GoTool = {
  name: string;
  /** A path from the environment. */
  given?: string;
  /** Arguments with which it prints its version, or its help, and exits. */
  versionArgs: string[];
  /** The exit status after that; 0 if absent. */
  versionStatus?: number;
  /** Path and version of the module, such as `helm.sh/helm/v4@v4.3.1`. */
  module: string;
  /** The folder of the program in the module. */
  folder: string;
};

/**
 * Its path; undefined, with a note in the skip report, where it can be neither found nor compiled.
 */
export async function findGoTool(tool: GoTool): Promise<string | undefined> {
  const { name, given, versionArgs, versionStatus, module } = tool;
  const dir = join(process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache'), 'go', 'bin');
  const installed = join(dir, `${name}@${module.split('@').at(-1)}`);
  for (const path of [given || name, installed])
    if (await runs(path, versionArgs, versionStatus)) return path;
  if (!(await runs('go', ['version']))) {
    noteSkip(`${name} is missing, and so is Go, which could compile it`);
    return undefined;
  }
  const install = async () => {
    if (await runs(installed, versionArgs, versionStatus)) return; // compiled while this one waited
    process.stderr.write(`compiling ${name} (${module}), which can take minutes, once …\n`);
    const temporary = await mkdtemp(join(dir, `${name}-`));
    try {
      await compile(tool, join(temporary, name));
      await rename(join(temporary, name), installed); // others find no program, or a whole one
    } finally {
      await rm(temporary, { recursive: true });
    }
  };
  try {
    await mkdir(dir, { recursive: true });
    await inTurn(`${installed}.lock`, install);
    return installed;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const fault = /"Error": (".*")/.exec(stdout)?.[1] ?? lastLine(stderr); // of download, or build
    noteSkip(`${name} is missing, and Go could not compile it: ${fault}`);
    return undefined;
  }
}

/**
 * In the module's own folder. `go install` refuses modules with replace directives, and needs a
 * proxy that lists versions.
 */
async function compile({ module, folder }: GoTool, to: string): Promise<void> {
  const limit = { timeout: atMost(COMPILE_TIMEOUT_MS) };
  const { stdout } = await run('go', ['mod', 'download', '-json', module], limit);
  const { Dir: cwd } = JSON.parse(stdout) as { Dir: string };
  await run('go', ['build', '-o', resolve(to), folder], { ...limit, cwd });
}

async function runs(path: string, args: readonly string[], status = 0): Promise<boolean> {
  try {
    await run(path, args);
    return status === 0;
  } catch (error) {
    return (error as { code?: unknown }).code === status;
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
