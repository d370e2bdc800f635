/**
 * helm for tests: HELM_BIN, or from PATH or the cache, or compiled into the cache. Undefined
 * without all of these.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findGoTool } from './go-tool.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');

export type Helm = (...args: string[]) => Promise<string>;

export async function findHelm(): Promise<Helm | undefined> {
  const binary = await findGoTool({
    name: 'helm',
    given: process.env.HELM_BIN,
    versionArgs: ['version', '--short'],
    module: 'helm.sh/helm/v4@v4.3.1',
    folder: './cmd/helm',
  });
  return binary === undefined
    ? undefined
    : async (...args) =>
        (await run(binary, args, { maxBuffer: 64 * 1024 * 1024, cwd: CHECKOUT })).stdout;
}
