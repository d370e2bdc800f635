/**
 * A bucket is added, tested and chosen for an address; its keys are replaced. A notification is created
 * from the command palette.
 */
import { describe, expect, test } from 'vitest';

import { hasBrowser, openFolds, useDashboard } from './dashboard.ts';

describe.skipIf(!hasBrowser)('buckets and notifications', () => {
  const shared = useDashboard();

  test('M.1: one is added and tested, gets new keys, is chosen for an address, and is removed', async () => {
    const { dashboard } = shared;
    const { whole } = dashboard;
    const { page, faults } = await dashboard.open('/buckets');
    const field = (name: string) => page.getByRole('textbox', { name });
    await page.getByRole('heading', { name: 'No bucket yet' }).waitFor();
    await page.getByRole('button', { name: 'New bucket' }).click();
    await field('Name').fill('archive');
    await field('Endpoint').fill('https://s3.invalid/path');
    await field('Bucket at its provider').fill('example-mail');
    await field('Access key id').fill('AKIAEXAMPLE');
    await page.getByLabel('Secret access key').fill('example-secret');
    await page.getByRole('button', { name: 'Add the bucket' }).click();
    await page.locator('.field-error').waitFor(); // at the endpoint, which has a path
    await field('Endpoint').fill('https://s3.invalid');
    await page.getByRole('button', { name: 'Add the bucket' }).click();
    await page.getByRole('heading', { name: 'archive', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('Fails').waitFor(); // there is no such host
    await field('Access key id').fill('AKIAOTHER');
    await page.getByLabel('Secret access key').fill('another-secret');
    await page.getByRole('button', { name: 'Replace the keys' }).click();
    await page.getByText('The new keys count from now on').waitFor();
    await expect.poll(() => page.getByLabel('Secret access key').inputValue()).toBe('');
    const { body } = await whole.call('GET', '/account/buckets');
    expect((body as { data: unknown[] }).data).toMatchObject([
      { name: 'archive', bucket: 'example-mail', access_key_id: 'AKIAOTHER' },
    ]);

    const own = page.getByRole('form', { name: 'Settings' });
    await own.getByRole('textbox', { name: 'Endpoint' }).fill('https://moved.invalid');
    await own.getByRole('textbox', { name: 'Access key id' }).fill('AKIAMOVED');
    await own.getByLabel('Secret access key').fill('secret-of-the-other-host');
    await own.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Bucket saved').waitFor();
    expect((await whole.call('GET', '/account/buckets')).body).toMatchObject({
      data: [{ endpoint: 'https://moved.invalid', access_key_id: 'AKIAMOVED' }],
    });

    const { id } = await whole.address('/stored');
    await page.goto(`${dashboard.origin}/dashboard/addresses/${id}`);
    const settings = page.getByRole('form', { name: 'Settings' });
    await settings.waitFor();
    await openFolds(page);
    await settings.getByRole('combobox', { name: 'Bucket' }).selectOption('archive');
    await settings.getByLabel('Raw emails').check();
    await settings.getByLabel('Hours that links to the files work').fill('24');
    await settings.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await whole.call('GET', `/addresses/${id}`)).body)
      .toMatchObject({
        payload: {
          storage: { bucket: 'archive', what: ['attachments', 'raw'], link_hours: 24 },
        },
      });

    await page.goto(`${dashboard.origin}/dashboard/buckets`);
    await page.getByRole('link', { name: 'archive' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'No bucket yet' }).waitFor();
    expect(faults.filter((fault) => !fault.startsWith('Failed to load resource'))).toEqual([]);
  });

  test('the command palette leads to a new notification, which is tested, changed and deleted', async () => {
    const { dashboard } = shared;
    const { page, faults } = await dashboard.open('/mail');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command palette' }).fill('new notif');
    await page.keyboard.press('Enter');
    const url = dashboard.whole.receiver.url('/events');
    await page.getByLabel('URL').fill(url);
    await page.getByRole('button', { name: 'Create the notification' }).click();
    await page.getByRole('heading', { level: 1, name: url }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Accepted', { exact: true }).waitFor();
    await page.getByLabel('Send new events').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No notification yet' }).waitFor();
    expect(faults).toEqual([]);
  });
});
