/** docs/spam-and-authentication.md lists the rules of the built-in spam score as they are. */
import { expect, test } from 'vitest';

import { SPAM_RULES } from '../../services/core/mail/spam.ts';
import { readPage } from '../docs/pages.ts';

test('the page lists every rule of the built-in score, in order', async () => {
  const { text } = await readPage('docs/spam-and-authentication.md');
  const [, table = ''] = /<!-- spam rules -->([\s\S]*?)<!-- \/spam rules -->/.exec(text) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \| ([\d.]+) \|/gm)].map(([, name, score]) => ({
    name,
    score: Number(score),
  }));
  expect(rows).toEqual(SPAM_RULES.map(({ name, score }) => ({ name, score })));
});
