/**
 * States of the screens, in both color schemes: dialogs and open forms, no permission, no data, an API
 * that fails, and data that has not arrived. axe finds nothing, and nothing is wider than 1280 and 390 px.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import { linkToAnotherAccount } from './another-account.ts';
import { type Faults, hasBrowser, openFolds, useDashboard, watch } from './dashboard.ts';
import { problemsAtAllWidths, problemsInBothSchemes, settled, WIDTHS } from './page-problems.ts';
import { createScreenData, type ScreenData, screensInNavigation } from './screen-data.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
/** The name of a receiver follows, for screen readers. */
const pressOfReceiver = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Receivers' }).getByRole('button', { name }).click();
const question = (page: Page) => page.getByRole('dialog');

const sized = (width: number) => ({ viewport: { width, height: 900 } });
const WIDE = sized(1280);

/** A screen, and what a user does there. */
type State = {
  path: (data: ScreenData) => string;
  open: (page: Page) => Promise<unknown>;
};

const email = (id: 'delivered' | 'failed' | 'waiting', view = '') => ({
  path: (data: ScreenData) => `/mail/${data[id]}${view}`,
});
const address = { path: (data: ScreenData) => `/addresses/${data.address}` };
const rules = { path: (data: ScreenData) => `/addresses/${data.address}/rules` };
const at = (path: string) => ({ path: () => path });

const STATES: Record<string, State> = {
  'the command palette': {
    ...at('/mail'),
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await question(page).getByRole('option').first().waitFor();
    },
  },
  'the shortcut sheet': {
    ...at('/mail'),
    open: async (page) => {
      await page.keyboard.press('?');
      await question(page).waitFor();
    },
  },
  'the filters of the mail list': {
    ...at('/mail'),
    open: async (page) => {
      await press(page, 'Filters');
      await page.getByLabel('Recipient').waitFor();
    },
  },
  'the dialog of a bulk replay': {
    ...at('/mail'),
    open: async (page) => {
      await press(page, 'Replay many');
      await question(page)
        .getByText(/Emails that match/)
        .waitFor();
    },
  },
  'an email as HTML': {
    ...email('delivered'),
    open: async (page) => {
      await press(page, 'HTML');
      await page.frameLocator('iframe.mail-html').locator('b').waitFor();
    },
  },
  'the command of a payload': {
    ...email('delivered', '?view=payload'),
    open: async (page) => {
      await press(page, 'Create the command');
      await page.getByText(/curl -X POST/).waitFor();
    },
  },
  'the response of a receiver': {
    ...email('failed'),
    open: async (page) => {
      await page.getByText('Request and response').click();
      await page.locator('pre').getByText('This receiver has moved.').waitFor();
    },
  },
  'the question of a replay': {
    ...email('failed'),
    open: async (page) => {
      await press(page, 'Replay');
      await question(page).waitFor();
    },
  },
  'the question before retries are canceled': {
    ...email('waiting'),
    open: async (page) => {
      await press(page, 'Cancel retries');
      await question(page).waitFor();
    },
  },
  'a rejected form of a new address': {
    ...at('/addresses?new=1'),
    open: async (page) => {
      await page.getByLabel('Webhook URL').fill('https://example.com/hooks');
      await openFolds(page);
      await page.getByLabel('Name before the @').fill('not a name');
      await page.getByRole('combobox', { name: 'Lifetime' }).selectOption({ label: 'Expiring' });
      await press(page, 'Create the address');
      await page.locator('.field-error').waitFor();
    },
  },
  'the test of a receiver': {
    ...address,
    open: async (page) => {
      await pressOfReceiver(page, 'Send a test');
      await question(page).getByText('Response time').waitFor();
    },
  },
  'a rotated secret': {
    ...address,
    open: async (page) => {
      await pressOfReceiver(page, 'Rotate the secret');
      await question(page).getByRole('button', { name: 'Rotate the secret' }).click();
      await question(page).locator('code').waitFor();
    },
  },
  'the form of a rule': {
    ...rules,
    open: async (page) => {
      await press(page, 'Edit partners');
      await press(page, 'Add a condition');
      await page.getByLabel('Value 2').waitFor();
    },
  },
  'a rule in CEL': {
    ...rules,
    open: async (page) => {
      await press(page, 'Edit large');
      await page.getByLabel('Condition in CEL').waitFor();
    },
  },
  'rules that are not saved': {
    ...rules,
    open: async (page) => {
      await press(page, 'Delete partners');
      await press(page, 'Delete large');
      await page.getByText('Not saved yet.').waitFor();
    },
  },
  'the form of a list': {
    ...at('/lists'),
    open: async (page) => {
      await press(page, 'New list');
      await page.getByRole('textbox', { name: 'Name' }).waitFor();
    },
  },
  'a list with an entry that is no sender': {
    path: ({ list }) => `/lists/${list}`,
    open: async (page) => {
      await page.getByLabel('Entries', { exact: true }).fill('not a sender');
      await press(page, 'Save');
      await page.locator('.field-error').waitFor();
    },
  },
  'the question before an address is deleted': {
    ...address,
    open: async (page) => {
      await press(page, 'Delete');
      await question(page).waitFor();
    },
  },
  'a domain whose DNS does not respond': {
    path: ({ domain }) => `/domains/${domain}`,
    open: async (page) => {
      await press(page, 'Check now');
      await page.getByRole('alert').waitFor();
      await page.getByRole('button', { name: 'Check now' }).waitFor(); // it checks no longer
    },
  },
  'a token that is shown once': {
    ...at('/tokens'),
    open: async (page) => {
      await press(page, 'New token');
      await page.getByLabel('Name').fill('shown once');
      await press(page, 'Create the token');
      await question(page).locator('code').waitFor();
    },
  },
  'the form of a token': {
    ...at('/tokens'),
    open: async (page) => {
      await press(page, 'New token');
      await page.getByLabel('Name').waitFor();
    },
  },
  'an invitation, and its link': {
    ...at('/people'),
    open: async (page) => {
      await press(page, 'Invite a person');
      await page.getByLabel('Name of the person').fill('Ann Example');
      await press(page, 'Create the invitation');
      await question(page).locator('code').waitFor();
    },
  },
  'a link for a colleague': {
    ...at('/account'),
    open: async (page) => {
      await press(page, 'Create a link');
      await page.getByText(/#code=/).waitFor();
    },
  },
};

describe.skipIf(!hasBrowser)('the states of the screens', () => {
  const shared = useDashboard();
  let data: ScreenData;
  let inNavigation: string[];
  /** With those of single emails, addresses and domains. */
  let paths: string[];
  beforeAll(async () => {
    if (!hasBrowser) return;
    data = await createScreenData(shared.dashboard);
    inNavigation = await screensInNavigation(shared.dashboard);
    const { delivered, address: addressId, domain, list, bucket } = data;
    const details = [
      `/mail/${delivered}`,
      `/addresses/${addressId}`,
      `/addresses/${addressId}/rules`,
      `/domains/${domain}`,
      `/lists/${list}`,
      `/buckets/${bucket}`,
    ];
    paths = [...inNavigation, ...details];
  });

  const show = (page: Page, path: string) =>
    page.goto(`${shared.dashboard.origin}/dashboard${path}`);

  test.each(WIDTHS)('dialogs and open forms at %i px', async (width) => {
    const { page, faults } = await shared.dashboard.open('/mail', sized(width));
    const found: string[] = [];
    for (const [name, { path, open }] of Object.entries(STATES)) {
      await show(page, path(data));
      await settled(page);
      await open(page);
      found.push(...(await problemsInBothSchemes(page)).map((problem) => `${name}: ${problem}`));
    }
    expect(found).toEqual([]);
    expect(withoutResponses(faults)).toEqual([]);
  });

  test('a session that may not see a screen', async () => {
    const { page, faults } = await shared.dashboard.open('/mail', {
      ...WIDE,
      link: { permissions: ['deliveries:read'] },
    });
    const found: string[] = [];
    for (const path of ['/addresses', '/mail', `/mail/${data.failed}`]) {
      await show(page, path);
      await settled(page);
      found.push(...(await problemsAtAllWidths(page)).map((problem) => `${path}: ${problem}`));
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('an account without data', async () => {
    const context = await shared.browser.newContext({ ...WIDE, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const faults = watch(page);
    await page.goto(await linkToAnotherAccount(shared.dashboard));
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    const found: string[] = [];
    for (const path of inNavigation) {
      await show(page, path);
      await settled(page);
      found.push(...(await problemsAtAllWidths(page)).map((problem) => `${path}: ${problem}`));
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('an API that fails: each screen says so, and offers another try', async () => {
    const { page, faults } = await shared.dashboard.open('/mail', WIDE);
    await page.route(DATA, (route) =>
      route.fulfill({ status: 500, json: { error: 'internal', message: 'Internal error' } }),
    );
    const found: string[] = [];
    for (const path of paths) {
      await show(page, path);
      const alert = page.getByRole('alert').filter({ hasText: 'Internal error' }).first();
      await alert.getByRole('button', { name: 'Try again' }).waitFor();
      found.push(...(await problemsAtAllWidths(page)).map((problem) => `${path}: ${problem}`));
    }
    expect(found).toEqual([]);
    expect(withoutResponses(faults)).toEqual([]);
  });

  test('data that has not arrived', async () => {
    const { page, faults } = await shared.dashboard.open('/mail', WIDE);
    await page.route(DATA, () => undefined); // no response
    const found: string[] = [];
    for (const path of paths) {
      await show(page, path);
      await page.locator('.skeleton').first().waitFor();
      found.push(...(await problemsAtAllWidths(page)).map((problem) => `${path}: ${problem}`));
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

/** Requests for data. The session itself, and its stream, work. */
const DATA = /\/v1\/(?!sessions\/current|stream)/;

/** The console reports each response of 400 and above. */
const withoutResponses = (faults: Faults): Faults =>
  faults.filter((fault) => !fault.startsWith('Failed to load resource'));
