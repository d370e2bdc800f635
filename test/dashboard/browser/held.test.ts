/** J5 in a real browser: held emails with their trace, a release, and a drop of many. */
import { describe, expect, test } from 'vitest';

import { hasBrowser, useDashboard } from './dashboard.ts';

describe.skipIf(!hasBrowser)('held emails in a real browser', () => {
  const shared = useDashboard();

  test('why an email is held is shown; it is released, and the others are dropped', async () => {
    const { dashboard } = shared;
    const address = await dashboard.whole.address('/held', {
      rules: [
        { name: 'mark', when: 'subject.contains("Order")', action: 'tag', tags: ['order'] },
        { name: 'hold all', when: 'size_bytes > 0', action: 'hold' },
      ],
    });
    for (const subject of ['Order 1', 'Order 2', 'Order 3'])
      await dashboard.sent(address, subject, 'held');
    const { page, faults } = await dashboard.open('/mail?status=held');
    await page.getByRole('link', { name: /Order 1/ }).click();
    const trace = page.getByRole('region', { name: 'What decided' });
    await trace.getByText('hold all').waitFor();
    expect(await trace.locator('li').allTextContents()).toEqual([
      'markRule of the addressTagged it',
      'hold allRule of the addressHeld it',
    ]);
    await trace.getByText('Tags: order').waitFor();
    await page.getByText('Waits for a release', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    await dashboard.whole.receiver.nth('/held', 1);
    await page.getByText('HTTP 200').waitFor();

    await page.goto(`${dashboard.origin}/dashboard/mail?status=held`);
    await page.getByRole('button', { name: 'Drop these 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drop these 2' }).click();
    await page.getByText('No email matches').waitFor();
    expect(dashboard.whole.receiver.received('/held')).toHaveLength(1);
    expect(faults).toEqual([]);
  });
});
