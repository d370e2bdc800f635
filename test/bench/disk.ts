/**
 * The cost of a sync on the disk with the data. Without it, results from two disks cannot be
 * compared.
 */
import { mkdir, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

import { median } from './statistics.ts';

const SYNCS = 200;
const AT_MOST_MS = 2_000;
const BLOCK_BYTES = 4096;
const IN_MEMORY = new Set([0x01021994, 0x858458f6]); // tmpfs, ramfs: statfs(2)

/**
 * Median time of a 4 KiB write with fdatasync. @throws if the folder is in memory, where a sync
 * does nothing
 */
export async function fsyncMs(dir: string): Promise<number> {
  await mkdir(dir, { recursive: true });
  if (IN_MEMORY.has((await statfs(dir)).type))
    throw new Error(`${dir} is in memory: choose a folder on a disk with --dir`);
  const path = join(dir, 'fsync-probe');
  const file = await open(path, 'w');
  const block = Buffer.alloc(BLOCK_BYTES, 1);
  const times: number[] = [];
  try {
    for (
      const deadline = performance.now() + AT_MOST_MS;
      times.length < SYNCS && performance.now() < deadline;
    ) {
      const startedAt = performance.now();
      await file.write(block);
      await file.datasync();
      times.push(performance.now() - startedAt);
    }
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
  return median(times);
}
