/** Screens without their data, in a real browser: not found, an outage, nothing there yet. */
import { describe, expect, test } from 'vitest';

import { linkToAnotherAccount } from './another-account.ts';
import { hasBrowser, useDashboard, watch } from './dashboard.ts';

describe.skipIf(!hasBrowser)('screens without their data', () => {
  const shared = useDashboard();

  test.each([
    ['/mail/evt_01none', 'Mail'],
    ['/addresses/addr_01none', 'Addresses'],
    ['/domains/dom_01none', 'Domains'],
  ])('%s does not exist: the screen says so and leads to its list', async (path, list) => {
    const { page, faults } = await shared.dashboard.open(path);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('main').getByRole('link', { name: list }).click();
    await page.getByRole('heading', { level: 1, name: list }).waitFor();
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });

  test('during an outage the screen of an email keeps its head, and tries again on request', async () => {
    const { dashboard } = shared;
    const address = await dashboard.whole.address('/outage');
    const eventId = await dashboard.sent(address, 'after the outage', 'delivered');
    const { page } = await dashboard.open('/mail');
    const call = `**/v1/deliveries/${eventId}`;
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
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('heading', { name: 'No token yet' }).waitFor();
  });
});
