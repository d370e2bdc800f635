/** Journeys in a real browser: a rotated secret, a colleague who may only read, and revoked access. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

import { REVISION } from '../../../services/adapters/process/commit.ts';
import { VERSION } from '../../../services/core/version.ts';
import { signatureHolds } from '../../support/receiver.ts';
import { linkToAnotherAccount } from './another-account.ts';
import { hasBrowser, useDashboard, watch } from './dashboard.ts';

const signInScreen = (page: Page) =>
  page.getByRole('heading', { level: 1, name: 'Sign in to Inlet' });

describe.skipIf(!hasBrowser)('access in a real browser', () => {
  const shared = useDashboard();

  const openSignIn = async (): Promise<Page> => {
    const context = await shared.browser.newContext();
    return context.newPage();
  };

  test('a link to another account asks before it replaces the session', async () => {
    const { page, faults } = await shared.dashboard.open('/account');
    const linkOfAnother = await linkToAnotherAccount(shared.dashboard);
    await page.goto(linkOfAnother);
    const question = page.getByRole('dialog', { name: 'Switch to another account?' });
    await question.getByText('This link opens the account Another').waitFor();
    expect(page.url()).not.toContain('code=');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.goto(`${shared.dashboard.origin}/dashboard/account`);
    const name = page.getByLabel('Name', { exact: true });
    await name.waitFor();
    expect(await name.inputValue()).not.toBe('Another');

    await page.goto(linkOfAnother);
    const reloaded = page.waitForEvent('load');
    await question.getByRole('button', { name: 'Switch' }).click();
    await reloaded;
    await page.goto(`${shared.dashboard.origin}/dashboard/account`);
    await name.waitFor();
    await expect.poll(() => name.inputValue()).toBe('Another');
    // the question is a 409; what the former screen asked while its session was replaced is a 401
    expect(faults.filter((fault) => !/status of 4(01|09) /.test(fault))).toEqual([]);
  });

  test('the foot and the menu of phones name the version and the commit', async () => {
    const build = `Inlet ${VERSION} (${REVISION})`;
    const wide = await shared.dashboard.open('/mail', { viewport: { width: 1280, height: 900 } });
    await wide.page.locator('.navigation-foot').getByText(build).waitFor();
    const phone = await shared.dashboard.open('/mail', { viewport: { width: 390, height: 900 } });
    await phone.page.getByRole('button', { name: 'More' }).click();
    await phone.page.getByRole('dialog', { name: 'Menu' }).getByText(build).waitFor();
    expect([...wide.faults, ...phone.faults]).toEqual([]);
  });

  test('a link signs in, too, where the sign-in screen is open already', async () => {
    const page = await openSignIn();
    await page.goto(`${shared.dashboard.origin}/dashboard/`);
    await signInScreen(page).waitFor();
    await page.goto(await linkToAnotherAccount(shared.dashboard)); // only the fragment changes
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    expect(page.url()).not.toContain('code=');
  });

  test('rotate a secret without losing a webhook: both secrets sign for the overlap', async () => {
    const address = await shared.dashboard.whole.address('/rotating');
    const { page, faults } = await shared.dashboard.open(`/addresses/${address.id}`);
    await page.getByRole('button', { name: 'Show the secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'Webhook secret' });
    const shown = dialog.locator('code');
    const former = String(await shown.textContent());
    expect(former).toMatch(/^whsec_/);
    await dialog.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByText(/It stops (tomorrow|in 1 day|in 2[34] hours)\./).waitFor();
    const secret = String(await shown.textContent());
    expect(secret).not.toBe(former);
    await page.reload();
    await page.getByText(/The former secret also signs\. It stops/).waitFor();
    expect(await shown.count()).toBe(0);

    await shared.dashboard.sent(address, 'signed twice', 'delivered');
    const webhook = await shared.dashboard.whole.receiver.nth('/rotating', 1);
    expect([signatureHolds(webhook, former), signatureHolds(webhook, secret)]).toEqual([
      true,
      true,
    ]);
    await page.goto(
      `${shared.dashboard.origin}/dashboard/activity?event_type=address.secret_viewed`,
    );
    await page.locator('.events').getByText('Webhook secret viewed').first().waitFor();
    expect(faults).toEqual([]);
  });

  test('invite a colleague with read-only access: changes are hidden and refused', async () => {
    const { page } = await shared.dashboard.open('/account');
    const hint = page.getByRole('main').getByText('It makes nobody a member');
    await hint.getByRole('link', { name: 'People' }).waitFor();
    await page.getByLabel('Access').selectOption({ label: 'Read only' });
    await page.getByRole('button', { name: 'Create a link' }).click();
    const link = String(await page.locator('.copyable code', { hasText: '#code=' }).textContent());

    const guest = await openSignIn();
    const faults = watch(guest);
    await guest.goto(link);
    await guest.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await guest.goto(`${shared.dashboard.origin}/dashboard/addresses`);
    await guest.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
    expect(await guest.getByRole('button', { name: 'New address' }).count()).toBe(0);
    await guest.goto(`${shared.dashboard.origin}/dashboard/addresses?new=1`);
    await guest.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
    expect(await guest.getByLabel('Webhook URL').count()).toBe(0);
    expect(faults).toEqual([]);

    const refused = await guest.evaluate(async () => {
      const response = await fetch('/v1/addresses', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Inlet-Dashboard': '1' },
        body: JSON.stringify({ webhook_url: 'https://example.com/' }),
      });
      return response.status;
    });
    expect(refused).toBe(403);
  });

  test('on a phone, the menu leads to every screen, and says when it cannot sign out', async () => {
    const viewport = { width: 390, height: 844 };
    const { page, faults } = await shared.dashboard.open('/mail', { viewport });
    const more = page.getByRole('button', { name: 'More' });
    const menu = page.getByRole('dialog', { name: 'Menu' });
    await more.click();
    await menu.getByRole('link', { name: 'Notifications' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
    await menu.waitFor({ state: 'detached' });

    await page.route('**/v1/sessions/current', (route) => route.abort());
    await more.click();
    await menu.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('The API does not respond').waitFor();
    await page.unroute('**/v1/sessions/current');
    await more.click();
    await menu.getByRole('button', { name: 'Sign out' }).click();
    await signInScreen(page).waitFor();
    await page.reload();
    await signInScreen(page).waitFor();
    expect(faults.filter((fault) => !fault.includes('/sessions/current'))).toEqual([]);
  });

  test('one session is ended, and the others continue', async () => {
    const { page: lost } = await shared.dashboard.open('/mail', {
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    });
    const { page: other } = await shared.dashboard.open('/mail');
    const { page, faults } = await shared.dashboard.open('/account');
    await page.getByRole('button', { name: 'End Firefox · Linux' }).click();
    const question = page.getByRole('dialog', { name: 'End this session?' });
    await question.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('Session ended').waitFor();
    await page.getByRole('button', { name: 'End Firefox · Linux' }).waitFor({ state: 'detached' });
    await lost.reload();
    await signInScreen(lost).waitFor();
    for (const one of [other, page]) {
      await one.reload();
      await one.getByRole('navigation', { name: 'Screens' }).waitFor();
    }
    expect(faults).toEqual([]);
  });

  test('L.1: a session of a limited token shows its addresses, and no screens of the account', async () => {
    const { whole } = shared.dashboard;
    const own = await whole.address('/limited', { labels: { team: 'agents' } });
    const other = await whole.address('/unlimited');
    const { page } = await shared.dashboard.open('/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('agent');
    await page
      .getByRole('combobox', { name: 'Which addresses it reaches' })
      .selectOption('Addresses with labels');
    await page.getByRole('textbox', { name: 'Labels' }).fill('team=agents');
    await page.getByRole('button', { name: 'Create the token' }).click();
    const token = String(await page.getByRole('dialog').locator('code').textContent());
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: 'agent' }).getByText('team=agents').waitFor();

    const agent = await openSignIn();
    const faults = watch(agent);
    await agent.goto(`${shared.dashboard.origin}/dashboard/`);
    await agent.getByLabel('API token').fill(token);
    await agent.getByRole('button', { name: 'Sign in' }).click();
    const screens = agent.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    await screens.filter({ hasText: 'Addresses' }).click();
    await agent.getByText(own.address).first().waitFor();
    expect(await agent.getByText(other.address).count()).toBe(0);
    const names = (await screens.allTextContents()).join(' ');
    expect(names).toContain('Mail');
    for (const name of ['Domains', 'Tokens', 'Lists', 'Rules']) expect(names).not.toContain(name);
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]); // before the sign-in
  });

  test('revoke everything: sessions of a revoked token end, and so do all others', async () => {
    const { page } = await shared.dashboard.open('/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('stolen');
    await page.getByRole('button', { name: 'Create the token' }).click();
    const token = String(await page.getByRole('dialog').locator('code').textContent());
    await page.getByRole('button', { name: 'I have copied it' }).click();

    const thief = await openSignIn();
    await thief.goto(`${shared.dashboard.origin}/dashboard/`);
    await thief.getByLabel('API token').fill(token);
    await thief.getByRole('button', { name: 'Sign in' }).click();
    await thief.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const { page: other } = await shared.dashboard.open('/mail');

    await page.getByRole('button', { name: 'Revoke stolen' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Token revoked').waitFor();
    await thief.reload();
    await signInScreen(thief).waitFor();

    await page.goto(`${shared.dashboard.origin}/dashboard/account`);
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await page.getByText('Session ended').waitFor();
    await other.reload();
    await signInScreen(other).waitFor();
    await page.reload();
    await page.getByRole('row', { name: /this one/ }).waitFor();
    expect(await signInScreen(page).count()).toBe(0);
  });
});
