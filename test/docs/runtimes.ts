/**
 * The languages of the receivers in docs/: how each program is prepared and started, and which
 * packages it needs.
 */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { CHECKOUT } from './pages.ts';
import { atMost } from '../support/slowdown.ts';

const run = promisify(execFile);

const CACHE = join(process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache'), 'snippets');
const INSTALL_TIMEOUT_MS = 120_000;
const PYTHON_PACKAGE = 'standardwebhooks==1.1.0';
const GO_MODULE = 'github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1';

export type Program = { command: string; args: string[]; env?: NodeJS.ProcessEnv };

export type Runtime = {
  name: 'Node' | 'Python' | 'Go';
  /** As code blocks name it. */
  language: string;
  /** @throws when the language or the standardwebhooks package is missing on this machine */
  install(): Promise<void>;
  /** Writes the sources into an empty folder. The first is the snippet, a second one calls it. */
  prepare(dir: string, sources: readonly string[]): Promise<Program>;
};

const node: Runtime = {
  name: 'Node',
  language: 'js',
  install: async () => undefined, // a development dependency
  prepare: async (dir, sources) => {
    await symlink(join(CHECKOUT, 'node_modules'), join(dir, 'node_modules'));
    await writeFile(join(dir, 'program.mjs'), sources.join('\n'));
    return { command: process.execPath, args: [join(dir, 'program.mjs')] };
  },
};

const python: Runtime = {
  name: 'Python',
  language: 'python',
  install: async () => {
    const pip = ['-m', 'pip', 'install', '--quiet', '--target', join(CACHE, 'python')];
    const isInstalled = await run('python3', ['-c', 'import standardwebhooks'], {
      env: pythonEnv(),
    }).then(
      () => true,
      () => false,
    );
    if (!isInstalled)
      await run('python3', [...pip, PYTHON_PACKAGE], { timeout: atMost(INSTALL_TIMEOUT_MS) });
  },
  prepare: async (dir, sources) => {
    await writeFile(join(dir, 'program.py'), sources.join('\n'));
    return { command: 'python3', args: [join(dir, 'program.py')], env: pythonEnv() };
  },
};

const pythonEnv = (): NodeJS.ProcessEnv => ({
  ...process.env,
  PYTHONPATH: join(CACHE, 'python'),
});

const go: Runtime = {
  name: 'Go',
  language: 'go',
  install: async () => {
    const dir = join(CACHE, 'go');
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'go.mod'), 'module snippet\n\ngo 1.22\n');
    await run('go', ['get', GO_MODULE], { cwd: dir, timeout: atMost(INSTALL_TIMEOUT_MS) });
  },
  prepare: async (dir, sources) => {
    await Promise.all([
      writeFile(join(dir, 'go.mod'), 'module snippet\n\ngo 1.22\n'),
      ...sources.map((source, i) => writeFile(join(dir, `source${i}.go`), source)),
    ]);
    await run('go', ['get', GO_MODULE], { cwd: dir, timeout: atMost(INSTALL_TIMEOUT_MS) });
    await run('go', ['build', '-o', 'program', '.'], {
      cwd: dir,
      timeout: atMost(INSTALL_TIMEOUT_MS),
    });
    return { command: join(dir, 'program'), args: [] };
  },
};

export const RUNTIMES: readonly Runtime[] = [node, python, go];
