/** Filters and order of lists are in the URL, so that a list can be linked. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

import { hasBrowser, useDashboard } from './dashboard.ts';

const DAY_MS = 86_400_000;

/** In the form of a date field. */
const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** The names of this test's tokens, in the order of the table. */
async function names(page: Page): Promise<string[]> {
  const cells = await page.locator('tbody td:first-child').allTextContents();
  return cells.flatMap((text) => /sorted [ABC]/.exec(text) ?? []);
}

describe.skipIf(!hasBrowser)('lists', () => {
  const shared = useDashboard();

  test('activity between two dates', async () => {
    const { dashboard } = shared;
    await dashboard.whole.address('/dated');
    const { page, faults } = await dashboard.open('/activity?event_type=address.created');
    const created = page.locator('.events').getByText('Address created').first();
    await created.waitFor();
    await page.getByLabel('From date').fill(dayFromNow(2));
    await page.getByRole('heading', { name: 'No event matches' }).waitFor();
    expect(page.url()).toContain(`from=${dayFromNow(2)}`);
    await page.goto(
      `${dashboard.origin}/dashboard/activity?from=${dayFromNow(-2)}&until=${dayFromNow(2)}`,
    );
    await created.waitFor();
    expect(await page.getByLabel('Until date').inputValue()).toBe(dayFromNow(2));
    await page.getByLabel('Until date').fill(dayFromNow(-2));
    await page.getByRole('heading', { name: 'No event matches' }).waitFor();
    await page.goto(`${dashboard.origin}/dashboard/activity?from=2026-11-&until=x`); // damaged
    await created.waitFor();
    expect(faults).toEqual([]);
  });

  test('domains with a state', async () => {
    const { dashboard } = shared;
    await dashboard.whole.call('POST', '/domains', { domain: 'listed.example' });
    const { page, faults } = await dashboard.open('/domains');
    const listed = page.getByRole('link', { name: 'listed.example' });
    await listed.waitFor();
    await page.getByRole('button', { name: 'Verified' }).click();
    await page.waitForURL(/\?status=verified$/);
    await page.getByRole('heading', { name: 'No domain matches' }).waitFor();
    await page.getByRole('button', { name: 'Waiting for DNS' }).click();
    await page.waitForURL(/\?status=pending$/);
    await listed.waitFor();
    expect(faults).toEqual([]);
  });

  test('tokens by a column, in both directions', async () => {
    const { dashboard } = shared;
    for (const name of ['sorted B', 'sorted A', 'sorted C'])
      await dashboard.whole.call('POST', '/account/tokens', { name });
    const { page, faults } = await dashboard.open('/tokens');
    await expect.poll(() => names(page)).toEqual(['sorted C', 'sorted A', 'sorted B']);
    const head = page.getByRole('columnheader', { name: 'Name' });
    await head.getByRole('button').click();
    await page.waitForURL(/\?sort=name$/);
    await expect.poll(() => names(page)).toEqual(['sorted A', 'sorted B', 'sorted C']);
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    await head.getByRole('button').click();
    await page.waitForURL(/\?sort=-name$/);
    await page.reload();
    await expect.poll(() => names(page)).toEqual(['sorted C', 'sorted B', 'sorted A']);
    expect(faults).toEqual([]);
  });
});
