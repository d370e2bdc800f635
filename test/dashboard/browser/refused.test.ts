/** Refused email in a real browser: the list, why, and the steps that let the sender in or hold such email. */
import { describe, expect, test } from 'vitest';

import { until } from '../../support/until.ts';
import { hasBrowser, useDashboard } from './dashboard.ts';

describe.skipIf(!hasBrowser)('refused email in a real browser', () => {
  const shared = useDashboard();

  test('it is found, explained, and its sender is allowed', async () => {
    const { dashboard } = shared;
    const { whole } = dashboard;
    const { id, address } = await whole.address('/refusing', {
      allowed_senders: { senders: ['partner.example'], require_authenticated: false },
    });
    const send = () =>
      whole.mailer.sendMail({
        from: 'Ann <ann@sender.example>',
        to: address,
        subject: 'Let me in',
      });
    await expect(send()).rejects.toThrow('550 5.7.1');
    const { page, faults } = await dashboard.open('/mail');
    await page.getByRole('button', { name: 'Refused', exact: true }).click();
    await page.waitForURL(/\/mail\/refused$/);
    const row = page.getByRole('row', { name: /ann@sender\.example/ });
    await expect
      .poll(async () => {
        if ((await row.count()) === 0) await page.reload();
        return row.count();
      })
      .toBe(1);
    expect(await row.textContent()).toContain('Sender is not on the list');

    await row.getByRole('link', { name: address }).click();
    await page.getByText('setting allowed_senders').waitFor();
    await page.getByText('nothing of it is kept').waitFor();
    await page.getByRole('button', { name: 'Allow this sender' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('anybody can write in its name').waitFor();
    await dialog.getByRole('button', { name: 'Allow this sender' }).click();
    await page.getByText('The sender is allowed already').waitFor();
    await expect.poll(() => send().then(() => 'accepted', String)).toBe('accepted');

    await page.goto(`${dashboard.origin}/dashboard/addresses/${id}`);
    await page.getByRole('link', { name: /^\d refused in the last 24 hours$/ }).click();
    await page.waitForURL(new RegExp(`/mail/refused\\?address_id=${id}$`));
    await page.goto(`${dashboard.origin}/dashboard/overview`);
    await page.getByText('Refused emails').waitFor();

    await page.goto(`${dashboard.origin}/dashboard/mail/refused?sender=ann@sender.example`);
    await page.getByRole('link', { name: address }).click();
    await page.getByRole('button', { name: 'Erase' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
    await page.waitForURL(/\/mail\/refused/);
    await page.getByText('Nothing was refused').waitFor();
    expect(faults).toEqual([]);
  });

  test('what a rule refuses is held from now on', async () => {
    const { dashboard } = shared;
    const { whole } = dashboard;
    const rules = [{ name: 'offers', when: 'subject == "An offer"', action: 'refuse' }];
    const { id, address } = await whole.address('/holding', { rules });
    const send = () =>
      whole.mailer.sendMail({ from: 'ann@sender.example', to: address, subject: 'An offer' });
    await expect(send()).rejects.toThrow('550 5.7.1');
    await until('a refusal', async () => {
      const { body } = await whole.call('GET', `/refusals?address_id=${id}`);
      return (body as { data: unknown[] }).data.length > 0;
    });
    const { page, faults } = await dashboard.open(`/mail/refused?address_id=${id}`);
    await page.getByRole('link', { name: address }).click();
    await page.getByRole('button', { name: 'Hold such email instead' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Hold such email instead' }).click();
    await page.getByRole('link', { name: 'Rules of the address' }).waitFor(); // nothing is left to do
    await expect.poll(() => send().then(() => 'accepted', String)).toBe('accepted');
    await until('held', async () => {
      const { body } = await whole.call('GET', `/deliveries?address_id=${id}&status=held`);
      return (body as { data: unknown[] }).data.length > 0;
    });
    expect(faults).toEqual([]);
  });
});
