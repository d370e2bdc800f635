/** Mail in a real browser while it arrives: without a reload, within a second. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { findBrowser } from '../../support/browser.ts';
import { atMost } from '../../support/slowdown.ts';
import { type DashboardTest, startDashboardTest } from './dashboard.ts';

const openBrowser = await findBrowser();
const SHOWN_WITHIN_MS = 1_000;

describe.skipIf(openBrowser === undefined)('the list while mail arrives', () => {
  let browser: Browser;
  let dashboard: DashboardTest;
  beforeAll(async () => {
    if (!openBrowser) return;
    browser = await openBrowser();
    dashboard = await startDashboardTest(browser);
  });
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  test('an email appears within a second of its 250, and then its outcome', async () => {
    const address = await dashboard.whole.address('/live');
    const { page, faults } = await dashboard.open('/mail');
    await page.getByText('Live', { exact: true }).waitFor();
    await dashboard.whole.mailer.sendMail({
      from: 'Ann <ann@sender.example>',
      to: address.address,
      subject: 'while you watch',
      text: 'Hello',
    });
    const acceptedMs = Date.now();
    const row = page.getByRole('link', { name: /while you watch/ });
    await row.waitFor();
    expect(Date.now() - acceptedMs).toBeLessThan(atMost(SHOWN_WITHIN_MS));
    await row.filter({ hasText: 'Delivered' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('an open email follows its retries, and a filtered list drops what no longer matches', async () => {
    const address = await dashboard.whole.address('/flaky');
    dashboard.whole.receiver.answer('/flaky', (count) => (count === 1 ? 503 : 200));
    const eventId = await dashboard.sent(address, 'twice', 'retrying');
    const { page: list } = await dashboard.open('/mail?status=retrying');
    const { page, faults } = await dashboard.open(`/mail/${eventId}`);
    await list.getByRole('link', { name: /twice/ }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await dashboard.whole.call('POST', `/deliveries/${eventId}/retry`);
    await page.getByText('HTTP 200').waitFor();
    await list.getByRole('link', { name: /twice/ }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});
