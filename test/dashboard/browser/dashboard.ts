/** The whole system with the dashboard open in a real browser. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';

import { findBrowser } from '../../support/browser.ts';
import type { TestDns } from '../../support/dns-server.ts';
import { SLOW_RETRIES, withSharedSystem } from '../../support/shared-standalone.ts';
import {
  startWholeSystem,
  type WholeSystem,
  withNewAccount,
} from '../../support/start-standalone.ts';
import { until } from '../../support/until.ts';

/** What a page did that it must not do: policy violations, exceptions, failed requests. */
export type Faults = string[];
export type OpenPage = { page: Page; faults: Faults };

export type DashboardTest = AsyncDisposable & {
  whole: WholeSystem;
  /** `http://127.0.0.1:port` */
  origin: string;
  /** Opens a screen in a browser of its own, signed in. @param path below /dashboard */
  open: (path: string, options?: OpenOptions) => Promise<OpenPage>;
  /** Sends an email and waits until its delivery has this status. @returns the event id */
  sent: (
    to: { id: string; address: string },
    subject: string,
    status: string,
    content?: SentContent,
  ) => Promise<string>;
};

/** In addition to the text, which is the subject. */
type SentContent = { html?: string; attachments?: { filename: string; content: string }[] };

type OpenOptions = BrowserContextOptions & { permissions?: string[]; link?: object };

/** Shorter than that of a test, so that a failure names its step. */
const STEP_TIMEOUT_MS = 30_000;

const openBrowser = await findBrowser();

/** Without a browser, tests are skipped. */
export const hasBrowser = openBrowser !== undefined;

/** What the tests of a file share. Set before the first of them. */
export type Shared = { browser: Browser; dashboard: DashboardTest; dns: TestDns };

const withBrowser = withSharedSystem.extend(
  'sharedBrowser',
  { scope: 'worker' },
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern
  async ({}, { onCleanup }) => {
    const browser = await openBrowser?.();
    onCleanup(() => browser?.close());
    return browser;
  },
);

/** For the tests of a `describe`: a new account of the system that the files of this process share. */
export function useDashboard(): Shared {
  const shared = {} as Shared;
  const parts = new AsyncDisposableStack();
  withBrowser.beforeAll(async ({ sharedBrowser, shared: { system, dns } }) => {
    if (!sharedBrowser) return;
    const dashboard = inBrowser(sharedBrowser, parts.use(await withNewAccount(system)));
    Object.assign(shared, { browser: sharedBrowser, dashboard, dns });
  });
  afterAll(async () => {
    for (const context of shared.browser?.contexts() ?? []) await context.close();
    await parts.disposeAsync();
  });
  return shared;
}

/** A system of its own. @param serviceEnv settings of the services */
export async function startDashboardTest(
  browser: Browser,
  serviceEnv: Record<string, string>,
): Promise<DashboardTest> {
  return inBrowser(browser, await startWholeSystem({ ...SLOW_RETRIES, ...serviceEnv }));
}

/** The dashboard of this system in another browser. */
export function inBrowser(browser: Browser, whole: WholeSystem): DashboardTest {
  const origin = new URL(whole.standalone.state().api_url).origin;

  const open: DashboardTest['open'] = async (path, { link = {}, ...options } = {}) => {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    const page = await context.newPage();
    const faults = watch(page);
    const { status, body } = await whole.call('POST', '/account/dashboard-links', link);
    expect([status, body]).toMatchObject([201, {}]);
    const url = new URL(path, `${origin}/`);
    const code = new URL((body as { url: string }).url).hash;
    await page.goto(`${origin}/dashboard${url.pathname}${url.search}${code}`);
    await page.locator('main h1').first().waitFor();
    return { page, faults };
  };

  return {
    whole,
    origin,
    open,
    sent: async ({ id, address }, subject, status, content = {}) => {
      await whole.mailer.sendMail({
        from: 'Ann <ann@sender.example>',
        to: address,
        subject,
        text: subject,
        ...content,
      });
      return until(`${subject}: ${status}`, async () => {
        const { body } = await whole.call('GET', `/deliveries?address_id=${id}&status=${status}`);
        const { data } = body as { data: { event_id: string; subject: string }[] };
        return data.find((one) => one.subject === subject)?.event_id;
      });
    },
    [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose](),
  };
}

/** Violations of the policy are errors in the console. */
export function watch(page: Page): Faults {
  const faults: Faults = [];
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} (${message.location().url})`);
  });
  page.on('dialog', (dialog) => {
    if (dialog.type() === 'beforeunload') return void dialog.accept(); // it discards edits
    faults.push(`dialog: ${dialog.message()}`);
    return void dialog.dismiss();
  });
  return faults;
}

/** Opens the topics of the forms of a page, once it shows them. */
export async function openFolds(page: Page): Promise<void> {
  await page.locator('details.fold').first().waitFor();
  await page.evaluate(
    `document.querySelectorAll('details.fold').forEach((one) => (one.open = true))`,
  );
}
