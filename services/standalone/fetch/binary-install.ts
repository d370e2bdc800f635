/**
 * Puts a server binary into the cache completely or not at all: it is downloaded into a temporary
 * folder of the cache, run as a check, then renamed. Several processes may do this at the same
 * time; the last rename wins.
 */
import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { runTool } from './tool.ts';

const FETCH_PREFIX = '.fetch-';
const STALE_FETCH_MS = 3_600_000;
const VERSION_TIMEOUT_MS = 20_000;

export type Version = { major: number; minor: number; text: string };

/**
 * The version that `<binary> --version` prints. @throws if it does not run on this machine, with
 * the reason
 */
export async function versionOf(binary: string): Promise<Version> {
  const stdout = await runTool(binary, ['--version'], { timeoutMs: VERSION_TIMEOUT_MS }).catch(
    (cause: unknown) => {
      throw new Error(`${binary} does not run`, { cause });
    },
  );
  const found = /v?(\d+)\.(\d+)\.(\d+\S*)/.exec(stdout);
  if (!found) throw new Error(`${binary} does not print its version`);
  return {
    major: Number(found[1]),
    minor: Number(found[2]),
    text: `${found[1]}.${found[2]}.${found[3]}`,
  };
}

/**
 * Lets `fetch` put a binary into an empty folder, checks that it runs, and moves it to `target`. A
 * failure leaves nothing behind.
 */
export async function installBinary(
  target: string,
  fetch: (dir: string) => Promise<string>,
): Promise<Version> {
  const cacheDir = dirname(target);
  await mkdir(cacheDir, { recursive: true });
  await removeStaleFetches(cacheDir);
  const dir = await mkdtemp(join(cacheDir, FETCH_PREFIX));
  const clear = () => rmSync(dir, { recursive: true, force: true });
  process.once('exit', clear); // for Ctrl-C during the download
  try {
    const binary = await fetch(dir);
    await chmod(binary, 0o755);
    const version = await versionOf(binary);
    await rename(binary, target);
    return version;
  } finally {
    process.off('exit', clear);
    await rm(dir, { recursive: true, force: true });
  }
}

/** Removes the folders of processes that were killed during a download. */
async function removeStaleFetches(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith(FETCH_PREFIX)) continue;
    const path = join(cacheDir, name);
    const folder = await stat(path).catch(() => undefined);
    if (folder && Date.now() - folder.mtimeMs > STALE_FETCH_MS)
      await rm(path, { recursive: true, force: true });
  }
}
