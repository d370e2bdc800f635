/** What README.md and docs/ tell readers to run exists. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { CHECKOUT, readPages } from './docs/pages.ts';

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
