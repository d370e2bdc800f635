/** A file system in memory that a test can fill, and enlarge. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { noteSkip } from './skip-notes.ts';

const run = promisify(execFile);

/** @returns undefined, with a note, without the right to mount one */
export async function smallDisk(
  path: string,
  megabytes: number,
): Promise<(AsyncDisposable & { enlarge(megabytes: number): Promise<void> }) | undefined> {
  const mount = (options: string) => run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
  try {
    await mount(`size=${megabytes}m`);
  } catch {
    noteSkip('the full disk: only root can mount a file system');
    return undefined;
  }
  return {
    enlarge: async (to) => void (await mount(`remount,size=${to}m`)),
    [Symbol.asyncDispose]: async () => void (await run('umount', ['--lazy', path])),
  };
}
