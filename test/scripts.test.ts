/** The scripts of package.json choose test files by patterns, which go stale when files move. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

const CHECKOUT = join(import.meta.dirname, '..');

const readScripts = async () => {
  const text = await readFile(join(CHECKOUT, 'package.json'), 'utf8');
  return (JSON.parse(text) as { scripts: Record<string, string> }).scripts;
};
const listTests = async () =>
  (await readdir(join(CHECKOUT, 'test'), { recursive: true })).map(
    (name) => `test/${name.replaceAll('\\', '/')}`,
  );
const patternsOf = (command: string) =>
  Array.from(command.matchAll(/(?<= )test\/\S+/g), ([pattern]) => pattern);

test('each pattern of a script matches a test file', async () => {
  const files = await listTests();
  const patterns = Object.entries(await readScripts()).flatMap(([script, command]) =>
    patternsOf(command).map((pattern) => ({ script, pattern })),
  );
  expect(patterns.length).toBeGreaterThan(0);
  const stale = patterns.filter(({ pattern }) => !files.some((file) => file.includes(pattern)));
  expect(stale).toEqual([]);
});

test('npm run golden writes every golden file', async () => {
  const patterns = patternsOf((await readScripts())['golden'] ?? '');
  const others = (await listTests()).filter(
    (file) => file.endsWith('.test.ts') && !patterns.some((pattern) => file.includes(pattern)),
  );
  const texts = await Promise.all(others.map((file) => readFile(join(CHECKOUT, file), 'utf8')));
  expect(others.filter((_, i) => /\)\.toMatchFileSnapshot\(/.test(texts[i] ?? ''))).toEqual([]);
});
