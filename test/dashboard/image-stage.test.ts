/** The image bundles the dashboard from the files that its stage copies, and from no others. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { testDir } from '../support/servers.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');

/** Sources of the COPY lines of a stage, and where each stands. */
async function copiedBy(stage: string): Promise<string[]> {
  const text = await readFile(join(CHECKOUT, 'Dockerfile'), 'utf8');
  const [, lines = ''] = new RegExp(`^FROM \\S+ AS ${stage}\\n([^]*?)^FROM `, 'm').exec(text) ?? [];
  return [...lines.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, from = '']) => from.split(' '));
}

test('the files that the stage copies are enough for the bundle', async () => {
  await using dir = await testDir();
  const copied = await copiedBy('dashboard');
  expect(copied).toContain('services/dashboard');
  for (const path of [...copied, 'package.json']) {
    await mkdir(dirname(join(dir.path, path)), { recursive: true });
    await cp(join(CHECKOUT, path), join(dir.path, path), { recursive: true });
  }
  await symlink(join(CHECKOUT, 'node_modules'), join(dir.path, 'node_modules'));
  const bundle = ['services/dashboard/bundle/main.ts', 'dashboard'];
  const { stdout } = await run(process.execPath, bundle, { cwd: dir.path });
  expect(stdout).toContain('index.html');
});
