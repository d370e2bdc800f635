/** README.md is short and leads to the list of all pages; what it and docs/ tell readers to run exists. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { CHECKOUT, readPage, readPages } from './docs/pages.ts';

test('every npm script that README.md and docs/ name exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8')) as {
    scripts: object;
  };
  const named = (await readPages()).flatMap(({ path, text }) =>
    [...text.matchAll(/npm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, script, short = '']) => ({
      path,
      script: script ?? short,
    })),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(({ script }) => !(script in scripts))).toEqual([]);
});

test('P.5: README.md has fewer than 150 lines', async () => {
  const { text } = await readPage('README.md');
  expect(text.trimEnd().split('\n').length).toBeLessThan(150);
});

test('README.md links to docs/README.md, which links to every page of docs/', async () => {
  const pages = (await readPages())
    .map(({ path }) => path)
    .filter((path) => path.startsWith('docs/') && !/^docs\/(README|runbooks\/)/.test(path))
    .map((path) => path.slice('docs/'.length));
  const [root, table] = await Promise.all([readPage('README.md'), readPage('docs/README.md')]);
  expect(pages.filter((page) => !table.text.includes(`](${page})`))).toEqual([]);
  expect(root.text).toContain('](docs/README.md)');
});
