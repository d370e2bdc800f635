/** Signing in through a real OpenID provider, in a real browser (D36). */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type OpenIdProvider, startOpenIdProvider } from '../../support/openid-provider.ts';
import {
  type DashboardTest,
  hasBrowser,
  startDashboardTest,
  useDashboard,
  watch,
} from './dashboard.ts';

const enterName = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('link', { name: 'Sign in with your organization' }).click();
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
};

describe.skipIf(!hasBrowser)('single sign-on in a real browser', () => {
  const shared = useDashboard();
  let browser: Browser;
  let provider: OpenIdProvider;
  let dashboard: DashboardTest;
  const parts = new AsyncDisposableStack();
  beforeAll(async () => {
    if (!hasBrowser) return;
    ({ browser } = shared);
    provider = parts.use(await startOpenIdProvider());
    dashboard = parts.use(await startDashboardTest(browser, provider.env));
    provider.register(`${dashboard.origin}/v1/sessions/oidc/callback`);
    const { body } = await dashboard.whole.call('GET', '/account');
    const { id: inletAccount } = body as { id: string };
    provider.users.set('ann', { inletAccount, email: 'ann@example.com', email_verified: true });
    provider.users.set('stranger', { email: 'eve@example.com', email_verified: true });
  });
  afterAll(() => parts.disposeAsync());

  const openSignIn = async (): Promise<Page> => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${dashboard.origin}/`);
    await page.getByRole('link', { name: 'Sign in with your organization' }).waitFor();
    return page;
  };

  test('a user signs in at the provider, reads mail, is listed by name, and signs out', async () => {
    const page = await openSignIn();
    const faults = watch(page);
    await enterName(page, 'ann');
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    await page.goto(`${dashboard.origin}/dashboard/addresses`);
    await page.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
    expect(await page.getByRole('button', { name: 'New address' }).count()).toBe(0);
    await page.goto(`${dashboard.origin}/dashboard/account`);
    await page.getByRole('cell', { name: 'Organization ann@example.com' }).waitFor();
    const token = { name: 'robot\u202e', permissions: ['addresses:read'] };
    expect((await dashboard.whole.call('POST', '/account/tokens', token)).status).toBe(201);
    await page.goto(`${dashboard.origin}/dashboard/activity`);
    const signedIn = page.locator('[data-row]').filter({ hasText: 'Signed in to the dashboard' });
    await signedIn.getByText('Organization').waitFor();
    await signedIn.getByText('ann@example.com').waitFor();
    const created = page.locator('[data-row]').filter({ hasText: 'Token created' }).first();
    await created.getByText('robot\ufffd').waitFor(); // a mark instead of the character that reorders
    const others = [provider.issuer, 'https://fonts.googleapis.com']; // pages of the provider
    expect(faults.filter((fault) => !others.some((origin) => fault.includes(origin)))).toEqual([]);
    const cookies = await page.context().cookies(dashboard.origin);
    expect(cookies.map(({ name }) => name)).not.toContain('inlet-sign-in');
    expect(cookies.find(({ name }) => name === 'inlet-session')).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
    });
  });

  test('a user without an account reads why, and can try again', async () => {
    const page = await openSignIn();
    await enterName(page, 'stranger');
    await page.getByRole('alert').getByText('has not assigned you an account').waitFor();
    expect(page.url()).toBe(`${dashboard.origin}/dashboard/`);
    await page.getByRole('link', { name: 'Sign in with your organization' }).waitFor();
  });

  test('a user who gives up at the provider is back at the sign-in screen', async () => {
    const page = await openSignIn();
    await page.getByRole('link', { name: 'Sign in with your organization' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('ended the sign-in').waitFor();
    expect(page.url()).toBe(`${dashboard.origin}/dashboard/`);
  });

  test('an address of the callback that someone else sends signs nobody in', async () => {
    const page = await openSignIn();
    await page.goto(`${dashboard.origin}/v1/sessions/oidc/callback?code=stolen&state=stolen`);
    await page.getByRole('alert').getByText('not started in this browser').waitFor();
    expect(await page.context().cookies(dashboard.origin)).toEqual([]);
  });
});
