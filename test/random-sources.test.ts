/**
 * Random values in tests have the seed of support/random.ts, so that `npm test` is the same on
 * every run.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const UNSEEDED = /Math\.random\(|\brandomInt\(|from 'fast-check'/;
/** Programs with a seed of their own, which they print. */
const OWN_SEED = /^(bench|chaos|cluster)\/|^fuzz\.ts$/;
const HELPER = 'support/random.ts';

test('no test draws random values without the seed', async () => {
  const paths = (await readdir(import.meta.dirname, { recursive: true })).filter(
    (path) => path.endsWith('.ts') && !OWN_SEED.test(path) && path !== HELPER,
  );
  const unseeded: string[] = [];
  for (const path of paths) {
    const text = await readFile(join(import.meta.dirname, path), 'utf8');
    if (path !== 'random-sources.test.ts' && UNSEEDED.test(text)) unseeded.push(path);
  }
  expect(unseeded).toEqual([]);
});
