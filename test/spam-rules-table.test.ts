/** The README's table of the built-in spam score shows the rules as they are. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { SPAM_RULES } from '../services/core/mail/spam.ts';

test('the README lists every rule of the built-in score, in order', async () => {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('\n### Spam\n')).split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)` \| ([\d.]+) \|/gm)].map(([, name, score]) => ({
    name,
    score: Number(score),
  }));
  expect(rows).toEqual(SPAM_RULES.map(({ name, score }) => ({ name, score })));
});
