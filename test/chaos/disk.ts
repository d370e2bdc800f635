/** A disk of one NATS node that can be full: a file system in memory, which only root can mount. */
import { execFile } from 'node:child_process';
import { mkdir, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MIB = 1024 * 1024;
/** Memory is only taken for what is stored. */
const SIZE_MIB = 4096;

export type Disk = AsyncDisposable & {
  /** Leaves no room for another email. */
  fill(): Promise<void>;
  empty(): Promise<void>;
};

/** Undefined without the right to mount one. */
export async function mountDisk(path: string): Promise<Disk | undefined> {
  await mkdir(path, { recursive: true });
  const resize = async (mib: number) => {
    await run('mount', ['-o', `remount,size=${mib}m`, path]);
  };
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m`, 'tmpfs', path]);
  } catch {
    return undefined;
  }
  return {
    fill: async () => {
      const { blocks, bavail, bsize } = await statfs(path);
      await resize(Math.ceil(((blocks - bavail) * bsize) / MIB) + 1);
    },
    empty: () => resize(SIZE_MIB),
    [Symbol.asyncDispose]: async () => void (await run('umount', ['--lazy', path])),
  };
}
