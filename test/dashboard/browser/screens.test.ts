/**
 * Every screen in both color schemes, at 1280 and 390 px: axe finds nothing, the policy is kept,
 * nothing jumps, and nothing is wider than the screen. A picture of each is written to
 * .inlet/screenshots/, which CI keeps.
 */
import { join } from 'node:path';

import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import { atMost } from '../../support/slowdown.ts';
import { hasBrowser, useDashboard } from './dashboard.ts';

const VIEWS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 390].map((width) => ({ colorScheme, width })),
);
const PICTURES = join(import.meta.dirname, '../../../.inlet/screenshots');
const LAYOUT_SHIFT_MAX = 0.1;
const USABLE_WITHIN_MS = 1_000;

describe.skipIf(!hasBrowser)('every screen', () => {
  const shared = useDashboard();
  /** By the name of the picture. */
  let paths: Record<string, string>;
  beforeAll(async () => {
    if (!hasBrowser) return;
    const { dashboard } = shared;
    const { whole } = dashboard;
    const address = await whole.address('/screens');
    whole.receiver.answer('/screens', (count) => [200, 410, 503][count - 1] ?? 200);
    const delivered = await dashboard.sent(address, 'delivered', 'delivered');
    const failed = await dashboard.sent(address, 'failed', 'failed');
    const waiting = await dashboard.sent(address, 'waiting', 'retrying');
    await whole.call('POST', '/domains', { domain: 'mail.example' });
    const { page } = await dashboard.open('/mail');
    const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    const inNavigation = await links.evaluateAll((all) =>
      all.map((link) =>
        (link as unknown as { pathname: string }).pathname.replace('/dashboard', ''),
      ),
    );
    const views = ['', '?view=headers', '?view=payload', '?view=raw'];
    paths = {
      ...Object.fromEntries(inNavigation.map((path) => [path.slice(1), path])),
      ...Object.fromEntries(
        views.map((view) => [`email${view.replace('?view=', '-')}`, `/mail/${delivered}${view}`]),
      ),
      'email-failed': `/mail/${failed}`,
      'email-waiting': `/mail/${waiting}`,
      address: `/addresses/${address.id}`,
      'mail-pending': '/mail?status=pending',
      'mail-no-match': '/mail?subject=nothing-has-this',
      unknown: '/no-such-screen',
    };
    await page.context().close();
  });

  test.each(VIEWS)(
    '$colorScheme, $width px',
    { timeout: 240_000 },
    async ({ colorScheme, width }) => {
      const { page, faults } = await shared.dashboard.open('/mail', {
        colorScheme,
        viewport: { width, height: 900 },
      });
      const found: string[] = [];
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(`${shared.dashboard.origin}/dashboard${path}`);
        await settled(page);
        await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}-${width}.png`) });
        found.push(...(await problemsOf(page)).map((problem) => `${path}: ${problem}`));
      }
      expect(found).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  test('signing in has no problem either', async () => {
    for (const { colorScheme, width } of VIEWS) {
      const context = await shared.browser.newContext({
        colorScheme,
        viewport: { width, height: 900 },
      });
      const page = await context.newPage();
      await page.goto(`${shared.dashboard.origin}/`);
      await page.getByRole('heading', { name: 'Sign in to Inlet' }).waitFor();
      await page.screenshot({ path: join(PICTURES, `sign-in-${colorScheme}-${width}.png`) });
      expect(await problemsOf(page)).toEqual([]);
      await context.close();
    }
  });

  test(`the first screen is usable within ${USABLE_WITHIN_MS} ms`, async () => {
    const { page } = await shared.dashboard.open('/mail');
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const startedMs = Date.now();
      await page.goto(`${shared.dashboard.origin}/dashboard/mail`);
      await page.locator('.mail-row').first().waitFor();
      times.push(Date.now() - startedMs);
    }
    expect(Math.min(...times)).toBeLessThan(atMost(USABLE_WITHIN_MS));
  });
});

/** Data is there, and nothing loads any more. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main h2').first().waitFor();
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
  await page.waitForTimeout(100);
}

async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations, shift, overflow } = await page.evaluate(async () => {
    const scope = globalThis as unknown as {
      axe: {
        run: () => Promise<{
          violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
        }>;
      };
      document: { documentElement: { scrollWidth: number; clientWidth: number } };
      performance: { getEntriesByType: (type: string) => unknown[] };
    };
    const results = await scope.axe.run();
    const root = scope.document.documentElement;
    const shifts = await new Promise<{ value: number; hadRecentInput: boolean }[]>((resolve) => {
      const Observer = (
        globalThis as unknown as {
          PerformanceObserver: new (f: (list: { getEntries: () => never[] }) => void) => {
            observe: (o: object) => void;
            takeRecords: () => never[];
          };
        }
      ).PerformanceObserver;
      const seen: never[] = [];
      const observer = new Observer((list) => void seen.push(...list.getEntries()));
      observer.observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => resolve([...seen, ...observer.takeRecords()]), 50);
    });
    return {
      violations: results.violations.map(
        ({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary ?? ''}`,
      ),
      shift: shifts.filter((one) => !one.hadRecentInput).reduce((sum, { value }) => sum + value, 0),
      overflow: root.scrollWidth - root.clientWidth,
    };
  });
  return [
    ...violations,
    ...(shift > LAYOUT_SHIFT_MAX ? [`layout shift of ${shift.toFixed(3)}`] : []),
    ...(overflow > 0 ? [`${overflow} px wider than the screen`] : []),
  ];
}
