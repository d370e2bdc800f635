/** Folders for the data of test runs, in memory if possible. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { takeOver } from '../../services/standalone/run-record.ts';

const MEMORY_DIR = '/dev/shm';
const PREFIX = 'inlet-test-';
const parent = existsSync(MEMORY_DIR) ? MEMORY_DIR : tmpdir();

export const makeScratchDir = (): Promise<string> => mkdtemp(join(parent, PREFIX));

/** Removes the data of runs that were killed, which would fill the memory. Leaves other runs alone. */
export async function clearKilledRuns(report: (line: string) => void = () => undefined) {
  const scratchDirs = (await readdir(parent))
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(parent, name));
  for (const dir of scratchDirs.filter((path) => existsSync(join(path, 'run.json')))) {
    const isLeftOver = await takeOver(dir, report).then(
      () => true,
      () => false,
    );
    if (isLeftOver) await rm(dir, { recursive: true, force: true });
  }
}
