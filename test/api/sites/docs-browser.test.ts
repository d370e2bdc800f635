/**
 * The docs and the reference of the API in a real browser: search, menu, copy buttons, light and dark,
 * and a call with the reader's token. axe finds nothing, and nothing is wider than the screen.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type Faults, watch } from '../../dashboard/browser/dashboard.ts';
import { problemsInBothSchemes, WIDTHS } from '../../dashboard/browser/page-problems.ts';
import { findBrowser } from '../../support/browser.ts';
import { startTestApi, type TestApi } from '../../support/start-api.ts';

const openBrowser = await findBrowser();

describe.skipIf(openBrowser === undefined)('P.3: the docs in a browser', () => {
  let api: TestApi;
  let browser: Browser;
  beforeAll(async () => {
    if (openBrowser) [api, browser] = await Promise.all([startTestApi(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
  });

  const open = async (
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; faults: Faults }> => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const faults = watch(page);
    await page.goto(`${api.url}${path}`);
    await page.locator('html.has-script').waitFor();
    return { page, faults };
  };

  test.each(WIDTHS)('axe at %i px, in both color schemes', async (width) => {
    const { page, faults } = await open('/docs/', { viewport: { width, height: 900 } });
    const found: string[] = [];
    for (const path of ['/docs/receiving-webhooks', '/v1/docs#createAddress']) {
      await page.goto(`${api.url}${path}`);
      if (path.startsWith('/v1/docs'))
        await page.locator('[data-try=createAddress] button').click();
      found.push(...(await problemsInBothSchemes(page)).map((problem) => `${path}: ${problem}`));
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('the search finds sections and calls, by keyboard, and says when there is nothing', async () => {
    const { page, faults } = await open('/docs/runbooks/');
    await page.keyboard.press('/');
    await page.keyboard.type('rotate-secret');
    await page
      .getByRole('link', { name: /rotate-secret.*API reference/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('duplicates');
    await page.getByText('Receiving webhooks', { exact: true }).last().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/[\w-]+(#[\w-]+)?$/);
    await page.keyboard.press('/');
    await page.keyboard.type('xylophone');
    await page.getByText(/Nothing is found for “xylophone”/).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('a phone has a menu; code can be copied; the scheme is remembered', async () => {
    const { page, faults } = await open('/docs/getting-started', {
      viewport: { width: 390, height: 844 },
      permissions: ['clipboard-read', 'clipboard-write'],
      colorScheme: 'light',
    });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.waitForURL(/\/docs\/settings$/);
    await page.goto(`${api.url}/docs/getting-started`);
    const code = page.locator('main .code').first();
    await code.getByRole('button', { name: 'Copy' }).click();
    await code.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe((await code.locator('pre').textContent())?.replace(/\n$/, ''));
    await page.getByRole('button', { name: 'Light or dark' }).click();
    await page.reload();
    expect(await page.locator('html').getAttribute('data-scheme')).toBe('dark');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('a call is found, and tried with a token that is stored nowhere', async () => {
    const { page, faults } = await open('/v1/docs');
    await page.getByRole('searchbox', { name: 'Filter the calls' }).fill('get account');
    await page.getByText(/^\d+ shown$/).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'GET Get the account' }).click();
    const call = page.locator('details.operation[open]');
    expect(await call.count()).toBe(1);
    await call.getByRole('button', { name: 'Try it' }).click();
    await call.getByLabel('API token').fill('svc_live_wrong');
    await call.getByRole('button', { name: 'Send' }).click();
    await call.locator('.result .bad', { hasText: /^401 in/ }).waitFor();
    await call.getByLabel('API token').fill(api.token);
    await call.getByRole('button', { name: 'Send' }).click();
    await call.locator('.result .good', { hasText: /^200 in/ }).waitFor();
    expect(await call.locator('.result pre').textContent()).toContain('"plan"');
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(stored).not.toContain(api.token);
    expect(page.url()).not.toContain(api.token);
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    await page.context().close();
  });
});
