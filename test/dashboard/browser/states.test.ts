/** Screens without their data, in a real browser: not found, an outage, nothing there yet. */
import { describe, expect, test } from 'vitest';

import { hasBrowser, useDashboard } from './dashboard.ts';

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
});
