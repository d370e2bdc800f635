/** Screens in a real browser with little or unusual data: not found, an outage, nothing there yet. */
import { describe, expect, test } from 'vitest';

import { linkToAnotherAccount } from './another-account.ts';
import { hasBrowser, useDashboard, watch } from './dashboard.ts';

describe.skipIf(!hasBrowser)('screens without their data', () => {
  const shared = useDashboard();

  test.each([
    ['/mail/evt_01none', 'Mail'],
    ['/mail/%ff', 'Mail'],
    ['/addresses/addr_01none', 'Addresses'],
    ['/domains/dom_01none', 'Domains'],
    ['/lists/lst_01none', 'Lists'],
  ])('%s does not exist: the screen says so and leads to its list', async (path, list) => {
    const { page, faults } = await shared.dashboard.open(path);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('main').getByRole('link', { name: list }).click();
    await page.getByRole('heading', { level: 1, name: list }).waitFor();
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });

  test('a screen that throws leaves the navigation', async () => {
    const { page, faults } = await shared.dashboard.open('/overview');
    await page.route('**/v1/domains*', (route) => route.fulfill({ json: { data: 'not a list' } }));
    const navigation = page.getByRole('navigation');
    await navigation.getByRole('button', { name: 'More' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Domains' }).click();
    await page.getByRole('heading', { level: 1, name: 'This screen cannot be shown' }).waitFor();
    await navigation.getByRole('link', { name: 'Addresses' }).click();
    await page.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
    expect(faults).toHaveLength(1);
  });

  test('during an outage the screen of an email keeps its head, and tries again on request', async () => {
    const { dashboard } = shared;
    const address = await dashboard.whole.address('/outage');
    const eventId = await dashboard.sent(address, 'after the outage', 'delivered');
    const { page } = await dashboard.open('/mail');
    const call = `**/v1/deliveries/${eventId}?*`;
    await page.route('**/v1/stream*', (route) => route.abort()); // a late event of the email reloads it
    await page.route(call, (route) =>
      route.fulfill({ status: 503, json: { message: 'The database is down' } }),
    );
    await page.goto(`${dashboard.origin}/dashboard/mail/${eventId}`);
    await page.getByRole('alert').getByText('The database is down').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Email' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Mail' }).waitFor();
    await page.unroute(call);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'after the outage' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('in an outage nothing is called live, and the screen loads again once the stream speaks', async () => {
    const { dashboard } = shared;
    const { page } = await dashboard.open('/mail');
    const foot = page.getByRole('status');
    await foot.getByText('Live', { exact: true }).waitFor();
    await page.route('**/v1/addresses*', (route) => route.abort());
    await page.getByRole('navigation').getByRole('link', { name: 'Addresses' }).click();
    await page.getByRole('alert').getByText('The API does not respond').waitFor();
    await foot.getByText('Not live').waitFor();
    await page.unroute('**/v1/addresses*');
    const { address } = await dashboard.whole.address('/back');
    await foot.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: address }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('first steps lead to an address, and are shown until the first email arrives', async () => {
    const { dashboard, browser } = shared;
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const faults = watch(page);
    await page.goto(await linkToAnotherAccount(dashboard));
    const steps = page.getByRole('heading', { level: 2, name: 'First steps' });
    await steps.waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Create an address' }).click();
    await page.getByLabel('Webhook URL').fill(dashboard.whole.receiver.url('/first-steps'));
    await page.getByRole('button', { name: 'Create the address' }).click();
    const title = page.getByRole('heading', { level: 1, name: /@/ });
    const address = String(await title.textContent());
    await page.getByRole('link', { name: 'Overview' }).click();
    await steps.waitFor(); // an address alone is no data

    await dashboard.whole.mailer.sendMail({
      from: 'Ann <ann@sender.example>',
      to: address,
      subject: 'first of another account',
      text: 'Hello',
    });
    await steps.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  test('a page behind the end of a list says so, and leads to the first one', async () => {
    const { dashboard } = shared;
    await dashboard.whole.address('/paged');
    const { page, faults } = await dashboard.open('/addresses?page=99');
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByRole('table', { name: 'Addresses, newest first' }).waitFor();
    await page.goto(`${dashboard.origin}/dashboard/mail?status=pending&page=2`);
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('an account without tokens reads what a token is for', async () => {
    const context = await shared.browser.newContext();
    const page = await context.newPage();
    await page.goto(await linkToAnotherAccount(shared.dashboard));
    await page.getByRole('button', { name: 'More' }).click(); // the navigation is short without email
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('heading', { name: 'No token yet' }).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
  });

  test('the plot of the period sums up to its emails, also in a zone far from that of the account', async () => {
    const { dashboard } = shared;
    const address = await dashboard.whole.address('/usage');
    await dashboard.sent(address, 'counted', 'delivered');
    const { page, faults } = await dashboard.open('/usage', {
      timezoneId: 'Pacific/Kiritimati',
      locale: 'de-DE',
    });
    const { body } = await dashboard.whole.call('GET', '/usage');
    const usage = body as { emails: object; quota: object | null };
    expect(usage.quota).toBeNull(); // without PLANS
    const plan = { plan: 'pro', emails_included: 5000, emails_used: 1234, status: 'open' };
    const quota = { ...plan, resets_at: '2030-01-01T00:00:00Z', message: null };
    for (const [shown, name] of [
      [null, '1.234 emails so far, by day'],
      [quota, /^1\.234 of .* included emails used, by day$/],
    ] as const) {
      await page.route('**/v1/usage', (route) =>
        route.fulfill({
          json: { ...usage, emails: { ...usage.emails, total: 1234 }, quota: shown },
        }),
      );
      await page.reload();
      const table = page.getByRole('table', { name });
      await table.waitFor({ state: 'attached' });
      expect(await table.getByRole('row').last().textContent()).toContain('1.234');
      expect(await page.locator('.plot-area > span').allTextContents()).toEqual(['1.234', '617']);
    }
    expect(await page.getByRole('main').locator('time[title]').count()).toBeGreaterThan(3);
    expect(faults).toEqual([]);
  });

  test('without the permission to see the plan, the plot names only the emails', async () => {
    const { page, faults } = await shared.dashboard.open('/usage', {
      link: { permissions: ['usage:read', 'deliveries:read'] },
    });
    await page.getByRole('img', { name: /^\d+ emails so far, by day$/ }).waitFor();
    expect(await page.getByText('included').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('every session finds itself under Account, and can end itself', async () => {
    const { page, faults } = await shared.dashboard.open('/account', {
      link: { permissions: ['deliveries:read'] },
    });
    const own = page.getByRole('row', { name: /this one/ });
    await own.getByRole('button', { name: 'End' }).click();
    expect(await page.getByLabel('Name', { exact: true }).count()).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in to Inlet' }).waitFor();
    expect(faults).toEqual([]);
  });
});
