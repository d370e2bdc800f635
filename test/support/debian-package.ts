/** Programs out of Debian's packages: apt fetches them and dpkg unpacks them into the cache; nothing is installed. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
const CACHE = process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache');

/** The folder that holds the packages' `usr`. @throws where apt, dpkg or the packages are not to be had */
export async function unpackDebian(packages: readonly string[]): Promise<string> {
  const kept = join(CACHE, `debian-${packages.join('-')}`);
  if (await stat(kept).then(() => true, () => false)) return kept;
  await mkdir(CACHE, { recursive: true });
  const dir = await mkdtemp(`${kept}-`);
  try {
    const download = () => run('apt-get', ['download', ...packages], { cwd: dir });
    await download().catch(async () => {
      await run('apt-get', ['update']); // the lists of a fresh image are empty; takes root
      await download();
    });
    for (const deb of (await readdir(dir)).filter((name) => name.endsWith('.deb'))) await run('dpkg', ['-x', join(dir, deb), join(dir, 'root')]);
    await rename(join(dir, 'root'), kept).catch(() => undefined); // another test file was faster
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  return kept;
}
