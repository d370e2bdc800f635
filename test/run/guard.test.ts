/** An interrupted run of test/run/main.ts leaves no process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { until } from '../support/until.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const SETUP = join(CHECKOUT, 'test/support/record-children.ts');

/** Starts a server in a process group of its own, as the servers of tests are, and never ends. */
const HANGS = `
  import { spawn } from 'node:child_process';
  import { test } from 'vitest';
  const program = \`
    const { spawn } = require('node:child_process');
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    child.once('spawn', () => require('node:fs').writeFileSync('pids', process.pid + ' ' + child.pid));
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1000);
  \`;
  test('hangs', async () => {
    spawn(process.execPath, ['-e', program], { detached: true, env: { PATH: process.env.PATH }, stdio: 'ignore' });
    await new Promise(() => undefined);
  });`;

test.for(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('%s', async (signal) => {
  await mkdir(join(CHECKOUT, '.inlet'), { recursive: true });
  const cwd = await mkdtemp(join(CHECKOUT, '.inlet', 'interrupted-')); // finds vitest in node_modules
  onTestFinished(() => rm(cwd, { recursive: true }));
  const config = { test: { include: ['hangs.mjs'], setupFiles: [SETUP], testTimeout: 0 } };
  await writeFile(join(cwd, 'config.mjs'), `export default ${JSON.stringify(config)};`);
  await writeFile(join(cwd, 'hangs.mjs'), HANGS);
  const run = spawn(
    process.execPath,
    [join(CHECKOUT, 'test/run/main.ts'), '--config', 'config.mjs'],
    { cwd, stdio: 'ignore' },
  );
  const pids = await until('the server', async () => {
    const file = join(cwd, 'pids');
    const text = existsSync(file) ? await readFile(file, 'utf8') : '';
    return text === '' ? undefined : text.split(' ').map(Number);
  });
  const ended = once(run, 'exit');
  run.kill(signal);
  await ended;
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
