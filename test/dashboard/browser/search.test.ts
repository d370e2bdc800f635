/** The search of the mail list in a real browser, and a list of 10,000 emails. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { seedDeliveries } from '../../bench/api-seed.ts';
import { atMost } from '../../support/slowdown.ts';
import { until } from '../../support/until.ts';
import { hasBrowser, useDashboard } from './dashboard.ts';

const ROWS_MAX = 50;
const LONG_TASK_MAX_MS = 200;

describe.skipIf(!hasBrowser)('the search', () => {
  const shared = useDashboard();

  const send = async (to: string, from: string, subject: string): Promise<void> => {
    await shared.dashboard.whole.mailer.sendMail({ from, to, subject, text: subject });
    await until(`${subject} to be delivered`, async () => {
      const { body } = await shared.dashboard.whole.call('GET', '/deliveries?status=delivered');
      return (body as { data: { subject: string }[] }).data.find((one) => one.subject === subject);
    });
  };

  test('/ focuses it; fields and words of the subject are in the URL, and the list has the matches', async () => {
    const { whole } = shared.dashboard;
    const { address } = await whole.address('/search');
    await send(address, 'Ann Smith <ann@sender.example>', 'Zebra report of March');
    await send(address, 'Bob <bob@other.example>', 'Zebra report of May');
    await send(address, 'Bob <bob@other.example>', 'Lion report');
    const { page, faults } = await shared.dashboard.open('/mail');
    await page.getByRole('link', { name: /Lion report/ }).waitFor();

    const focused = await page.evaluate<string>(
      "dispatchEvent(new KeyboardEvent('keydown', { key: '/' })); document.activeElement.ariaLabel",
    );
    expect(focused).toBe('Search mail'); // so that the next key is typed there
    await page.keyboard.type('from:bob zebra');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?sender=bob&subject=zebra$/);
    await page.getByText('1 deliveries').waitFor();
    expect(await page.locator('.mail-subject').allTextContents()).toEqual(['Zebra report of May']);

    await page.reload();
    await page.getByText('1 deliveries').waitFor();
    const box = page.getByRole('searchbox', { name: 'Search mail' });
    expect(await box.inputValue()).toBe('from:bob zebra');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Zebra report of May' }).waitFor();
    await page.goBack();

    await box.fill('from:@sender.example');
    await box.press('Enter');
    await page.getByRole('link', { name: /Zebra report of March/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?sender=%40sender.example');

    await box.fill('rep lio');
    await box.press('Enter');
    await page.getByText('These have words that begin with them').waitFor();
    expect(await page.locator('.mail-subject').allTextContents()).toEqual(['Lion report']);

    await box.fill('status:nonsense');
    await box.press('Enter');
    await page.getByText('status: cannot be “nonsense”').waitFor();
    expect(await page.locator('.mail-subject').count()).toBe(0); // the former list is another search
    await box.fill('nothing has these words');
    await box.press('Enter');
    await page.getByRole('heading', { name: 'No email matches' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    const lion = page.getByRole('link', { name: /Lion report/ });
    await lion.waitFor();
    expect(await box.inputValue()).toBe('');
    const eventId = (await lion.getAttribute('href'))?.split('/').at(-1);
    await box.fill(`a line of a log: event_id=${eventId} status=200`);
    await box.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Lion report' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('filters for recipient and problem are part of the search', async () => {
    const { whole } = shared.dashboard;
    const { address } = await whole.address('/filters');
    await send(address, 'Ann <ann@sender.example>', 'to one address');
    const { page, faults } = await shared.dashboard.open('/mail');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Recipient').fill(address);
    await page.getByLabel('Recipient').press('Enter');
    await page.getByText('1 deliveries').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe(`to:${address}`);
    await page.getByLabel('Problem').selectOption({ label: 'SPF failed' });
    await page.getByRole('heading', { name: 'No email matches' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe(`to:${address} verdict:spf=fail`);
    expect(faults).toEqual([]);
  });

  test('an email that arrives while a recipient is typed leaves the text', async () => {
    const { address } = await shared.dashboard.whole.address('/typed');
    const { page, faults } = await shared.dashboard.open('/mail');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    const field = page.getByLabel('Recipient');
    await field.fill(address);
    await send(address, 'Ann <ann@sender.example>', 'meanwhile');
    await page.getByRole('link', { name: /meanwhile/ }).waitFor();
    expect(await field.inputValue()).toBe(address);
    await field.press('Enter');
    await page.getByText('1 deliveries').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await field.inputValue()).toBe('');
    expect(faults).toEqual([]);
  });

  test('while the list is searched, only new emails that match appear', async () => {
    const { whole } = shared.dashboard;
    const { address } = await whole.address('/live-search');
    const { page, faults } = await shared.dashboard.open('/mail?subject=giraffe');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'No email matches' }).waitFor();
    await send(address, 'Ann <ann@sender.example>', 'an elephant');
    await send(address, 'Ann <ann@sender.example>', 'a giraffe');
    await page.getByRole('link', { name: /a giraffe/ }).waitFor();
    expect(await page.locator('.mail-subject').allTextContents()).toEqual(['a giraffe']);
    expect(faults).toEqual([]);
  });

  test('10,000 emails: pages load and scroll without long tasks, and the page stays small', async () => {
    const { whole } = shared.dashboard;
    const { id } = await whole.address('/many');
    const { mongodb_uri: uri } = whole.standalone.state();
    await using mongo = await connectMongo(uri, createLog('silent'));
    const { body } = await whole.call('GET', '/account');
    const scope = { account_id: (body as { id: string }).id, environment: 'live' as const };
    await seedDeliveries(mongo.db, { ...scope, addressIds: [id] }, { count: 10_000, retrying: 0 });

    const { page, faults } = await shared.dashboard.open(`/mail?address_id=${id}`);
    await page.getByText('10,000 deliveries').waitFor();
    await page.evaluate(OBSERVE_LONG_TASKS);
    const rows = page.locator('.mail-list li');
    for (let shown = 2; shown <= 20; shown++) {
      const before = String(await rows.first().textContent());
      await page.keyboard.press('n');
      await rows.first().filter({ hasNotText: before }).waitFor();
      await page.mouse.wheel(0, 2_000);
      expect(await rows.count()).toBe(ROWS_MAX);
      expect(new URL(page.url()).searchParams.get('page')).toBe(String(shown));
    }
    const whilePaging = await longTasksOf(page);
    await page.goto(`${shared.dashboard.origin}/dashboard/mail?address_id=${id}&page=200`);
    await page.getByText('9,951 to 10,000 of 10,000').waitFor();
    await page.evaluate(OBSERVE_LONG_TASKS);
    const box = page.getByRole('searchbox');
    await box.fill('order inlet');
    await box.press('Enter');
    await page.getByText('2,000 or more').first().waitFor();
    expect(await rows.count()).toBe(ROWS_MAX);
    const longest = Math.max(0, ...whilePaging, ...(await longTasksOf(page)));
    expect(longest).toBeLessThan(atMost(LONG_TASK_MAX_MS));
    expect(faults).toEqual([]);
  });
});

const longTasksOf = async (page: Page): Promise<number[]> =>
  (await page.evaluate('globalThis.longTasks')) as number[];

/** Durations of tasks above 50 ms from now on. */
const OBSERVE_LONG_TASKS = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
  }).observe({ type: 'longtask' });
`;
