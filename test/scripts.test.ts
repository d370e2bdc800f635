/** The scripts of package.json choose test files by patterns, which go stale when files move. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

const CHECKOUT = join(import.meta.dirname, '..');

test('each pattern of a script matches a test file', async () => {
  const { scripts } = JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const names = await readdir(join(CHECKOUT, 'test'), { recursive: true });
  const files = names.map((name) => `test/${name.replaceAll('\\', '/')}`);
  const patterns = Object.entries(scripts).flatMap(([script, command]) =>
    Array.from(command.matchAll(/(?<= )test\/\S+/g), ([pattern]) => ({ script, pattern })),
  );
  expect(patterns.length).toBeGreaterThan(0);
  const stale = patterns.filter(({ pattern }) => !files.some((file) => file.includes(pattern)));
  expect(stale).toEqual([]);
});
