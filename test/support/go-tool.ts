/** Programs that tests run and nobody need install: given by a variable, from PATH, from the cache, or compiled into it from the Go module proxy. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
export const isCI = process.env.CI === '1' || process.env.CI === 'true';

/** `versionArgs` make it answer at once; `mayCompile` is false where that takes too long to do unasked. */
export type GoTool = {
  name: string;
  given?: string;
  versionArgs: string[];
  module: string;
  mayCompile: boolean;
};

/** Its path; undefined where it can neither be found nor be compiled. */
export async function findGoTool({
  name,
  given,
  versionArgs,
  module,
  mayCompile,
}: GoTool): Promise<string | undefined> {
  const dir = join(process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache'), 'go', 'bin');
  const installed = join(dir, name);
  for (const binary of [given || name, installed])
    if (
      await run(binary, versionArgs).then(
        () => true,
        () => false,
      )
    )
      return binary;
  if (!mayCompile) return undefined;
  try {
    await mkdir(dir, { recursive: true });
    await run('go', ['install', module], { env: { ...process.env, GOBIN: dir }, timeout: 900_000 });
    return installed;
  } catch {
    return undefined;
  }
}
