/** Programs out of Debian's packages for tests: apt fetches them, dpkg unpacks them into the cache, nothing is installed. */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
const CACHE = process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache');

/**
 * What `find` finds; undefined, with a line on standard error, where it cannot be had for want of apt: tests that need it are skipped.
 * @throws what went wrong where there is apt
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
      throw new Error(`get ${name} out of Debian's packages`, { cause });
    process.stderr.write(`skipped: ${name} is not to be had here: there is no apt\n`);
    return undefined;
  }
}

/**
 * The folder that holds the packages with what they depend on and this machine lacks; fetched once.
 * @param program a file of it, without which it is not whole, such as `usr/bin/prometheus`
 * @throws where there is no apt, or no such package
 */
export async function unpackedPackages(names: readonly string[], program: string): Promise<string> {
  const kept = join(CACHE, names.join('-'));
  const isWhole = () =>
    access(join(kept, program)).then(
      () => true,
      () => false,
    );
  if (await isWhole()) return kept;
  await mkdir(CACHE, { recursive: true });
  const dir = await mkdtemp(`${kept}-`);
  try {
    const packages = await missingPackages(names).catch(async () => {
      await run('apt-get', ['update']); // the lists of a fresh image are empty; takes root
      return await missingPackages(names);
    });
    await run('apt-get', ['download', ...packages], { cwd: dir });
    const files = (await readdir(dir)).filter((file) => file.endsWith('.deb'));
    for (const file of files) await run('dpkg', ['-x', join(dir, file), join(dir, 'root')]);
    await rename(join(dir, 'root'), kept).catch(() => undefined); // another test file was faster
    if (!(await isWhole())) throw new Error(`no ${program} in ${files.join(', ')}`);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  return kept;
}

/** What an installation would fetch. The packages themselves are among it unless they are installed already. */
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
