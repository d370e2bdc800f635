/** L.2: a journey in a real browser: invitation, role change and removal of a person. */
import { describe, expect, test } from 'vitest';

import { hasBrowser, useDashboard, watch } from './dashboard.ts';

describe.skipIf(!hasBrowser)('people of the account', () => {
  const shared = useDashboard();

  test('L.2: invite a person, change the role while they work, and remove them', async () => {
    const { origin } = shared.dashboard;
    const { page, faults } = await shared.dashboard.open('/people');
    await page.getByRole('heading', { name: 'Nobody is invited yet' }).waitFor();
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByLabel('Name of the person').fill('Ann Example');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('Viewer');
    await page.getByRole('button', { name: 'Create the invitation' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send this link' });
    const link = String(await dialog.locator('code').textContent());
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    const row = page.getByRole('row', { name: 'Ann Example' });
    await row.getByText('can be used until').waitFor();
    await row.getByText('never').waitFor();

    const guest = await (await shared.browser.newContext()).newPage();
    const guestFaults = watch(guest);
    await guest.goto(link);
    await guest.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const screens = guest.getByRole('navigation', { name: 'Screens' });
    expect(await screens.getByRole('link', { name: 'People' }).count()).toBe(0);
    await guest.goto(`${origin}/dashboard/tokens`);
    await guest.getByRole('heading', { name: 'You have no token yet' }).waitFor();
    await guest.getByRole('button', { name: 'New token' }).click();
    await guest.getByLabel('Name', { exact: true }).fill('of Ann');
    await guest.getByRole('button', { name: 'Create the token' }).click();
    await guest.getByRole('button', { name: 'I have copied it' }).click();
    const token = guest.getByRole('row', { name: 'of Ann' });
    await token.getByText('yours').waitFor();
    expect(await token.getByRole('button', { name: 'Revoke' }).count()).toBe(1);
    await guest.goto(`${origin}/dashboard/addresses?new=1`);
    await guest.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
    expect(await guest.getByLabel('Webhook URL').count()).toBe(0);

    await page.reload();
    await row.getByText('can be used until').waitFor({ state: 'detached' });
    expect(await row.getByText('never').count()).toBe(0);
    await row.getByRole('combobox').selectOption('Developer');
    await page.getByText('Role changed').waitFor();
    await guest.reload();
    await guest.getByLabel('Webhook URL').waitFor();
    await guest.goto(`${origin}/dashboard/people`);
    const own = guest.getByRole('row', { name: 'Ann Example' });
    await own.getByText('you', { exact: true }).waitFor();
    expect(await guest.getByRole('button', { name: 'Invite a person' }).count()).toBe(0);
    expect(await own.getByRole('combobox').count()).toBe(0);
    expect(guestFaults).toEqual([]);

    await page.goto(`${origin}/dashboard/activity?event_type=member.updated`);
    const changed = page.locator('.events').getByText('Role or name of a person changed');
    await changed.first().waitFor();
    await page.goto(`${origin}/dashboard/people`);
    await row.getByRole('button', { name: 'Remove' }).click();
    const question = page.getByRole('dialog', { name: 'Remove Ann Example?' });
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Person removed').waitFor();
    await row.waitFor({ state: 'detached' });
    await guest.reload();
    await guest.getByRole('heading', { level: 1, name: 'Sign in to Inlet' }).waitFor();
    expect(faults).toEqual([]);
  });
});
