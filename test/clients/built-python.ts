/** Builds inlet-client from the checkout: its sync half exists only in the package. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { CHECKOUT } from '../docs/pages.ts';

const run = promisify(execFile);
export const PYTHON_PACKAGE = join(CHECKOUT, 'services', 'clients', 'python');

/**
 * Builds the sdist and the wheel from it into `dist` of a folder, and installs the wheel into the folder.
 * @param python with installPythonPackageTools
 * @returns the paths of both
 */
export async function installBuiltPython(
  python: string,
  folder: string,
): Promise<{ wheel: string; sdist: string }> {
  const dist = join(folder, 'dist');
  await run(python, ['-m', 'build', '--no-isolation', '--outdir', dist, PYTHON_PACKAGE]);
  const [wheel = '', sdist = ''] = (await readdir(dist)).toSorted().map((name) => join(dist, name));
  const install = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps'];
  await run(python, [...install, '--target', folder, wheel]);
  return { wheel, sdist };
}
