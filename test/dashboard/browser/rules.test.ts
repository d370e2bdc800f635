/** J5 in a real browser: rules are written, ordered, tried and saved; lists are filled from a file. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

import { hasBrowser, useDashboard } from './dashboard.ts';

const names = (page: Page) => page.locator('main .rule-list li strong').allTextContents();

/** Fills the form of a rule, without its conditions. */
async function beginRule(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Action').selectOption(action);
}

describe.skipIf(!hasBrowser)('rules and lists in a real browser', () => {
  const shared = useDashboard();

  test('rules are written by the form and in CEL, moved by keyboard, tried, and saved', async () => {
    const { whole, open, sent } = shared.dashboard;
    const address = await whole.address('/ruled');
    await sent(address, 'Order 1', 'delivered');
    await sent(address, 'Hello', 'delivered');
    const { page, faults } = await open(`/addresses/${address.id}`);
    await page.getByRole('link', { name: 'Edit the rules' }).click();
    const dialog = page.getByRole('dialog');

    await beginRule(page, 'orders', 'hold');
    await dialog.getByRole('button', { name: 'Add a condition' }).click();
    await dialog.getByLabel('Condition 1', { exact: true }).selectOption('The subject contains');
    await dialog.getByLabel('Value 1').fill('Order');
    await dialog.getByRole('button', { name: 'Add the rule' }).click();
    await beginRule(page, 'small', 'tag');
    await dialog.getByRole('textbox', { name: 'Tags' }).fill('small seen');
    await dialog.getByRole('button', { name: 'Write it in CEL' }).click();
    await dialog.getByLabel('Condition in CEL').fill('size_bytes < ');
    await dialog.getByRole('button', { name: 'Add the rule' }).click();
    await expect.poll(() => names(page)).toEqual(['orders', 'small']);

    await page.getByRole('button', { name: 'Save the rules' }).click();
    await page.getByRole('listitem').filter({ hasText: 'small' }).getByRole('alert').waitFor();
    await page.getByText(/^Condition: .* \(at character \d+\)$/).waitFor();
    await page.getByRole('button', { name: 'Edit small' }).click();
    await dialog.getByLabel('Condition in CEL').fill('size_bytes < 100000');
    await dialog.getByRole('button', { name: 'Apply' }).click();

    await page.getByRole('button', { name: 'Move up small' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => names(page)).toEqual(['small', 'orders']);
    await page.getByText('small is now rule 1 of 2').waitFor();
    await page.locator(':focus', { hasText: 'Move down small' }).waitFor();

    await page.getByRole('navigation').getByRole('link', { name: 'Mail' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Mail' }).waitFor();
    await page.goBack();
    await page.getByText('Not saved yet.').waitFor(); // the other screen did not discard it
    await page.getByRole('button', { name: 'Save the rules' }).click();
    await page.getByText('Rules saved').waitFor();
    await page.getByText('Not saved yet.').waitFor({ state: 'detached' });
    const { body } = await whole.call('GET', `/addresses/${address.id}`);
    expect((body as { rules: object[] }).rules).toEqual([
      { name: 'small', when: 'size_bytes < 100000', action: 'tag', tags: ['small', 'seen'] },
      { name: 'orders', when: 'subject.lowerAscii().contains("order")', action: 'hold' },
    ]);

    const [small, orders] = [0, 1].map((at) => page.locator('main .rule-list li').nth(at));
    await orders?.dragTo(small as NonNullable<typeof small>);
    await expect.poll(() => names(page)).toEqual(['orders', 'small']);
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await expect.poll(() => names(page)).toEqual(['small', 'orders']);
    expect(faults.filter((fault) => !fault.includes('status of 422'))).toEqual([]);
  });

  test('a list is created, filled from a file and deleted; a rule of the account names it', async () => {
    const { whole, open } = shared.dashboard;
    const { page, faults } = await open('/lists');
    await page.getByRole('button', { name: 'New list' }).click();
    await page.getByLabel('Name').fill('partners');
    await page.getByRole('button', { name: 'Create the list' }).click();
    await page.getByRole('heading', { level: 1, name: 'partners' }).waitFor();
    const entries = page.getByLabel('Entries', { exact: true });
    await entries.fill('not a sender');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“not a sender” is not an address').waitFor();
    await entries.fill('ann@supplier.example');
    const file = '# ours\nPartner.example\n\n*.partner.example # and below\n';
    await page.getByLabel('Add those of a file').setInputFiles({
      name: 'partners.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(file),
    });
    await page.getByText('2 entries read').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('List saved').waitFor();
    const sorted = '*.partner.example\nann@supplier.example\npartner.example\n';
    await expect.poll(() => entries.inputValue()).toBe(sorted);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('partners.txt');

    await page.getByRole('link', { name: 'Rules' }).click();
    await beginRule(page, 'strangers', 'refuse');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('If or if not 1').selectOption('If not');
    await page.getByLabel('Condition 1', { exact: true }).selectOption('The sender is in the list');
    await page.getByLabel('Value 1').selectOption('partners');
    await page.getByRole('button', { name: 'Add the rule' }).click();
    await page.getByRole('button', { name: 'Save the rules' }).click();
    await page.getByText('Rules saved').waitFor();
    const { body } = await whole.call('GET', '/account');
    expect((body as { settings: { rules: object[] } }).settings.rules).toEqual([
      { name: 'strangers', when: '!(sender in lists.partners)', action: 'refuse' },
    ]);

    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByRole('link', { name: 'partners' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No list yet' }).waitFor();
    expect(faults.filter((fault) => !fault.includes('status of 422'))).toEqual([]);
  });
});
