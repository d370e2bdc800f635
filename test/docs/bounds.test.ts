/** docs/security.md: each bound, and each thing that a tenant can name, has a test that exists. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { CHECKOUT } from './pages.ts';

test.each([
  ['Bounds', /^\| (sender|receiver|caller) /],
  ['What a tenant reaches', /^\| (?!names |---)/],
])('each row of %s in docs/security.md has its test', async (heading, isRow) => {
  const page = await readFile(join(CHECKOUT, 'docs', 'security.md'), 'utf8');
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  const rows = table.split('\n').filter((line) => isRow.test(line));
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows) {
    const [, file = '', title = '', cut = "'"] = /`(test\/[^`]+)`: (.+?)(…)? \|$/.exec(row) ?? [];
    const source = await readFile(join(CHECKOUT, file), 'utf8').catch(() => '');
    const tests = source.split(`'${title}${cut === '…' ? '' : cut}`).length - 1;
    expect([row, tests]).toEqual([row, 1]);
  }
});
