/**
 * The table in docs/architecture.md is what core/delivery/transition.ts does. `npm run golden` updates
 * it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { deliveryTable } from '../../services/generate/delivery-table.ts';

const PAGE = join(import.meta.dirname, '../../docs/architecture.md');
const SECTION = /(<!-- delivery -->\n)[\s\S]*?(\n<!-- \/delivery -->)/;

test('docs/architecture.md has every status and event of a delivery', async () => {
  const page = await readFile(PAGE, 'utf8');
  expect(page).toMatch(SECTION);
  await expect(
    page.replace(SECTION, (_, start: string, end: string) => `${start}${deliveryTable()}${end}`),
  ).toMatchFileSnapshot(PAGE);
});
