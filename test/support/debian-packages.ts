/**
 * Programs from Debian packages for tests: apt downloads them, dpkg unpacks them into the cache.
 * Nothing is installed.
 */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { inTurn } from './in-turn.ts';
import { noteSkip } from './skip-notes.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
const CACHE = process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache');

/**
 * What `find` returns; undefined, with a note in the skip report, if that fails on a machine
 * without apt.
 * @throws the failure on a machine with apt
 */
export async function findWhereAptIs<T>(
  name: string,
  find: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await find();
  } catch (cause) {
    if (
      await run('apt-get', ['--version']).then(
        () => true,
        () => false,
      )
    )
      throw new Error(`get ${name} from Debian packages`, { cause });
    noteSkip(`${name} is missing, and so is apt, which could fetch it`);
    return undefined;
  }
}

/**
 * The folder with the unpacked packages and those of their dependencies that this machine lacks.
 * Downloaded once.
 * @param program a file that a complete folder has, such as `usr/bin/prometheus`
 * @throws without apt, or if there is no such package
 */
export async function unpackedPackages(names: readonly string[], program: string): Promise<string> {
  const folder = join(CACHE, names.join('-'));
  const isWhole = () =>
    access(join(folder, program)).then(
      () => true,
      () => false,
    );
  const unpack = async () => {
    if (await isWhole()) return; // unpacked while this one waited
    const dir = await mkdtemp(`${folder}-`);
    try {
      const packages = await missingPackages(names).catch(async () => {
        await run('apt-get', ['update']); // a fresh image has no package lists; needs root
        return await missingPackages(names);
      });
      await run('apt-get', ['download', ...packages], { cwd: dir });
      const files = (await readdir(dir)).filter((file) => file.endsWith('.deb'));
      for (const file of files) await run('dpkg', ['-x', join(dir, file), join(dir, 'root')]);
      await rename(join(dir, 'root'), folder).catch(() => undefined); // there is one already
      if (!(await isWhole())) throw new Error(`no ${program} in ${files.join(', ')}`);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  };
  if (await isWhole()) return folder;
  await mkdir(CACHE, { recursive: true });
  await inTurn(`${folder}.lock`, unpack);
  return folder;
}

/** What an installation would download, and the packages themselves even if they are installed. */
async function missingPackages(names: readonly string[]): Promise<string[]> {
  const { stdout } = await run('apt-get', [
    'install',
    '--print-uris',
    '-qq',
    '-y',
    '--no-install-recommends',
    '-o',
    'Debug::NoLocking=1',
    ...names,
  ]);
  const packages = [...stdout.matchAll(/^'[^']*' (\S+?)_\S+\.deb /gm)].map(
    ([, found = '']) => found,
  );
  return [...new Set([...names, ...packages])];
}
