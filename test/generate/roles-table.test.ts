/** L.2: the tables of roles in docs/people.md. `npm run golden` updates them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { rolesTable } from '../../services/generate/roles-table.ts';

const PAGE = join(import.meta.dirname, '../../docs/people.md');
const SECTION = /(<!-- roles -->\n)[\s\S]*?(\n?<!-- \/roles -->)/;

test('L.2: docs/people.md says what each role may do', async () => {
  const page = await readFile(PAGE, 'utf8');
  expect(page).toMatch(SECTION);
  await expect(
    page.replace(SECTION, (_, start: string) => `${start}${rolesTable()}\n<!-- /roles -->`),
  ).toMatchFileSnapshot(PAGE);
});
