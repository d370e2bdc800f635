/** helm for tests: HELM_BIN, or from PATH, or the cache; with CI=1 it is compiled into the cache from the Go module proxy, which takes minutes. Undefined where none of these works. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MODULE = 'helm.sh/helm/v4/cmd/helm@v4.3.1';
const CHECKOUT = join(import.meta.dirname, '..', '..');
export const CHART = join(CHECKOUT, 'charts', 'inlet');

export type Helm = (...args: string[]) => Promise<string>;

export async function findHelm(): Promise<Helm | undefined> {
  const dir = join(process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache'), 'go');
  const installed = join(dir, 'bin', 'helm');
  for (const binary of [process.env.HELM_BIN || 'helm', installed]) if (await works(binary)) return helmAt(binary);
  if (process.env.CI !== '1' && process.env.CI !== 'true') return undefined;
  try {
    await mkdir(join(dir, 'bin'), { recursive: true });
    await run('go', ['install', MODULE], { env: { ...process.env, GOBIN: join(dir, 'bin') }, timeout: 900_000 });
    return helmAt(installed);
  } catch {
    return undefined;
  }
}

const works = (binary: string): Promise<boolean> => run(binary, ['version', '--short']).then(() => true, () => false);

const helmAt = (binary: string): Helm => async (...args) => (await run(binary, args, { maxBuffer: 64 * 1024 * 1024, cwd: CHECKOUT })).stdout;
