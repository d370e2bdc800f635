/**
 * Every screen in both color schemes, at 1280 and 390 px: axe finds nothing, the policy is kept,
 * nothing jumps, and nothing is wider than the screen. A picture of each is written to
 * .inlet/screenshots/, which CI keeps. accessibility.test.ts has their dialogs, forms and other states.
 */
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { atMost } from '../../support/slowdown.ts';
import { hasBrowser, useDashboard } from './dashboard.ts';
import { jumpsOf, problemsInBothSchemes, settled, WIDTHS } from './page-problems.ts';
import { createScreenData, screensInNavigation } from './screen-data.ts';

const PICTURES = join(import.meta.dirname, '../../../.inlet/screenshots');
const USABLE_WITHIN_MS = 1_000;

describe.skipIf(!hasBrowser)('every screen', () => {
  const shared = useDashboard();
  /** By the name of the picture. */
  let paths: Record<string, string>;
  beforeAll(async () => {
    if (!hasBrowser) return;
    const data = await createScreenData(shared.dashboard);
    const inNavigation = await screensInNavigation(shared.dashboard);
    const views = ['', '?view=headers', '?view=payload', '?view=raw'];
    paths = {
      ...Object.fromEntries(inNavigation.map((path) => [path.slice(1), path])),
      ...Object.fromEntries(
        views.map((view) => [
          `email${view.replace('?view=', '-')}`,
          `/mail/${data.delivered}${view}`,
        ]),
      ),
      'email-raw-stored': `/mail/${data.raw}?view=raw`,
      'email-failed': `/mail/${data.failed}`,
      'email-waiting': `/mail/${data.waiting}`,
      address: `/addresses/${data.address}`,
      'address-failing': `/addresses/${data.failing}`,
      'address-new': '/addresses?new=1',
      'address-rules': `/addresses/${data.address}/rules`,
      domain: `/domains/${data.domain}`,
      list: `/lists/${data.list}`,
      'mail-pending': '/mail?status=pending',
      'mail-no-match': '/mail?subject=nothing-has-this',
      'overview-month': '/overview?period=month',
      'activity-no-match': '/activity?event_type=domain.unconfirmed',
      unknown: '/no-such-screen',
    };
  });

  test.each(WIDTHS)('%i px', async (width) => {
    const { page, faults } = await shared.dashboard.open('/mail', {
      viewport: { width, height: 900 },
    });
    const found: string[] = [];
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${shared.dashboard.origin}/dashboard${path}`);
      await settled(page);
      const picture = (scheme: string) => join(PICTURES, `${name}-${scheme}-${width}.png`);
      const problems = [...(await jumpsOf(page)), ...(await problemsInBothSchemes(page, picture))];
      found.push(...problems.map((problem) => `${path}: ${problem}`));
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('signing in has no problem either', async () => {
    for (const width of WIDTHS) {
      const context = await shared.browser.newContext({ viewport: { width, height: 900 } });
      const page = await context.newPage();
      await page.goto(`${shared.dashboard.origin}/`);
      await page.getByRole('heading', { name: 'Sign in to Inlet' }).waitFor();
      const picture = (scheme: string) => join(PICTURES, `sign-in-${scheme}-${width}.png`);
      expect(await jumpsOf(page)).toEqual([]);
      expect(await problemsInBothSchemes(page, picture)).toEqual([]);
      await context.close();
    }
  });

  test(`the first screen is usable within ${USABLE_WITHIN_MS} ms, with nothing in the cache`, async () => {
    const { page: signedIn } = await shared.dashboard.open('/mail');
    const storageState = await signedIn.context().storageState();
    await signedIn.context().close();
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const context = await shared.browser.newContext({ storageState }); // its cache is empty
      const page = await context.newPage();
      const startedMs = Date.now();
      await page.goto(`${shared.dashboard.origin}/dashboard/mail`);
      await page.locator('.mail-row').first().waitFor();
      times.push(Date.now() - startedMs);
      await context.close();
    }
    const [, median] = times.toSorted((one, other) => one - other);
    expect(median).toBeLessThan(atMost(USABLE_WITHIN_MS));
  });
});
