/**
 * A test has no limit of its own: the one of `test/support/time-limits.ts` grows with the machine, and
 * `until` gives up before it and names what it waited for.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const TESTS = join(import.meta.dirname, '..');
/** The end of a test or hook at the top of a file, or the options of a test. */
const LIMITS = [/^\}, [\d_]+\);$/m, /^ *test[.(].*\{ (?:\w+: \w+, )?timeout: [\d_]+/m];

test('no test file sets a limit in milliseconds', async () => {
  const names = await readdir(TESTS, { recursive: true });
  const files = names.filter((name) => name.endsWith('.test.ts'));
  const limited = await Array.fromAsync(files, async (name) => {
    const text = await readFile(join(TESTS, name), 'utf8');
    return LIMITS.some((limit) => limit.test(text)) ? [name] : [];
  });
  expect(limited.flat()).toEqual([]);
});
