/**
 * Every screen with the longest values in every field, at two widths: nothing is wider than the screen.
 * screens.test.ts has wider ones. Pictures are written to .inlet/screenshots/longest/.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { hasBrowser, useDashboard } from './dashboard.ts';
import { createLongestValues } from './longest-values.ts';
import { settled } from './page-problems.ts';
import { screensInNavigation } from './screen-data.ts';

const PICTURES = join(import.meta.dirname, '../../../.inlet/screenshots/longest');
const WIDTHS = [390, 768];

/** What reaches beyond the window, and is not cut by what it is in. */
const TOO_WIDE = `
  (() => {
    const root = document.documentElement;
    const overflowPx = root.scrollWidth - root.clientWidth;
    if (overflowPx <= 0) return [];
    const isCut = (one) => {
      for (let at = one.parentElement; at && at !== root; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== 'visible') return true;
      return false;
    };
    const wide = [...document.querySelectorAll('body *')].filter(
      (one) => one.getBoundingClientRect().right > root.clientWidth + 1 && !isCut(one),
    );
    return [overflowPx + ' px: ' + wide.slice(-3).map((one) => one.outerHTML.slice(0, 160)).join(' | ')];
  })()
`;

describe.skipIf(!hasBrowser)('the longest values', () => {
  const shared = useDashboard();
  let paths: Record<string, string>;
  beforeAll(async () => {
    if (!hasBrowser) return;
    await mkdir(PICTURES, { recursive: true });
    const details = await createLongestValues(shared.dashboard);
    const inNavigation = await screensInNavigation(shared.dashboard);
    paths = {
      ...Object.fromEntries(inNavigation.map((path) => [path.slice(1), path])),
      ...details,
    };
  });

  test.each(WIDTHS)('no screen scrolls sideways at %i px', async (width) => {
    const { page } = await shared.dashboard.open('/mail', { viewport: { width, height: 900 } });
    const found: string[] = [];
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${shared.dashboard.origin}/dashboard${path}`);
      await settled(page);
      await page.evaluate(
        `document.querySelectorAll('details').forEach((one) => (one.open = true))`,
      );
      const problems = (await page.evaluate(TOO_WIDE)) as string[];
      found.push(...problems.map((problem) => `${path}: ${problem}`));
      await page.screenshot({ path: join(PICTURES, `${name}-${width}.png`) });
    }
    await page.context().close();
    expect(found).toEqual([]);
  });
});
