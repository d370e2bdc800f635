/** Go programs for tests: several test files may need the same one on a fresh clone. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';

import { findGoTool } from './go-tool.ts';
import { testDir } from './servers.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Writes its output slowly, as the linker does. */
const GO = `#!/bin/sh
case "$1" in
  version) exit 0 ;;
  mod) echo '{"Dir": "/"}' ;;
  build)
    echo build >> "$BUILDS"; printf '#!/bin/' > "$3"; chmod +x "$3"; sleep 0.3
    printf 'sh\\nexit 0\\n' >> "$3" ;;
esac
`;
const run = promisify(execFile);

const find = (version: string) =>
  findGoTool({
    name: 'inlet-test-tool',
    versionArgs: ['version'],
    module: `example.com/tool@${version}`,
    folder: '.',
  });

test('a program that several test files need is compiled once, and is whole when it appears', async () => {
  await using dir = await testDir();
  const programs = join(dir.path, 'programs');
  const cache = join(dir.path, 'go', 'bin');
  await mkdir(programs);
  await writeFile(join(programs, 'go'), GO, { mode: 0o755 });
  vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
  vi.stubEnv('INLET_CACHE', dir.path);
  const builds = join(dir.path, 'builds');
  vi.stubEnv('BUILDS', builds);
  const installed = join(cache, 'inlet-test-tool@v1.0.0');
  let isDone = false;
  const watched = (async () => {
    for (; !isDone; await sleep(20)) if (existsSync(installed)) await run(installed, ['version']);
  })();
  const found = await Promise.all([find('v1.0.0'), find('v1.0.0')]);
  isDone = true;
  await watched;
  expect(found).toEqual([installed, installed]);
  expect(await readdir(cache)).toEqual(['inlet-test-tool@v1.0.0', 'inlet-test-tool@v1.0.0.lock']);
  expect(await readFile(builds, 'utf8')).toBe('build\n');

  expect(await find('v1.1.0')).toBe(join(cache, 'inlet-test-tool@v1.1.0'));
});
