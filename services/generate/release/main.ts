/**
 * `npm run set-version -- 1.0.0-rc.1` writes the version of the next release wherever it stands;
 * with --check it changes nothing, and fails where another one stands (docs/project/releasing.md).
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { differingPlaces, VERSION_FILES, withVersion } from './version-places.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..');
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [version = ''] = positionals;

async function main(): Promise<string> {
  const files = new Map(
    await Promise.all(
      VERSION_FILES.map(
        async (file) => [file, await readFile(join(CHECKOUT, file), 'utf8')] as const,
      ),
    ),
  );
  if (values.check) {
    const differing = differingPlaces(files, version);
    if (differing.length > 0)
      throw new Error(`not ${version} everywhere:\n${differing.join('\n')}`);
    return `All files name ${version}.\n`;
  }
  const changed = withVersion(files, version, new Date().toISOString().slice(0, 10));
  for (const [file, text] of changed) await writeFile(join(CHECKOUT, file), text);
  return (
    [...changed.keys()].map((file) => `${file}\n`).join('') +
    'Next: npm run golden, npm run baseline, and docs/project/releasing.md.\n'
  );
}

try {
  process.stdout.write(await main());
} catch (error) {
  process.stderr.write(`set-version: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
