/** docs/security.md: each bound names a test that exists. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { CHECKOUT } from './pages.ts';

test('each bound of docs/security.md has its test', async () => {
  const page = await readFile(join(CHECKOUT, 'docs', 'security.md'), 'utf8');
  const [, bounds = ''] = page.split('\n## Bounds\n');
  const [table = ''] = bounds.split('\n## ');
  const rows = table.split('\n').filter((line) => /^\| (sender|receiver|caller) /.test(line));
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const [, file = '', title = ''] = /`(test\/[^`]+)`: (.+) \|$/.exec(row) ?? [];
    const source = await readFile(join(CHECKOUT, file), 'utf8').catch(() => '');
    expect([row, source.includes(`'${title}'`)]).toEqual([row, true]);
  }
});
