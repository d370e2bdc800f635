/** The screen of a domain in a real browser: what the DNS says about each record. */
import { describe, expect, test } from 'vitest';

import { until } from '../../support/until.ts';
import { hasBrowser, useDashboard } from './dashboard.ts';

describe.skipIf(!hasBrowser)('a domain', () => {
  const shared = useDashboard();

  test('its TXT record is shown as the DNS has it, and never contradicts the notice', async () => {
    const { dashboard, dns } = shared;
    const { body } = await dashboard.whole.call('POST', '/domains', { domain: 'checked.example' });
    const { verification } = body as { verification: { name: string; value: string } };
    const { page } = await dashboard.open('/domains');
    const listed = page.getByRole('row').filter({ hasText: 'checked.example' });
    await listed.waitFor();
    expect(await listed.getByText('Not checked yet').count()).toBe(2); // its mail, and when
    await listed.getByRole('link', { name: 'checked.example' }).click();
    const records = page.getByRole('table', { name: 'DNS records to set' });
    const row = records.getByRole('row').filter({ hasText: 'TXT' });
    await row.getByText('Not checked yet').waitFor();
    const mail = records.getByRole('row').filter({ hasText: 'MX' });
    await mail.getByText('any priority such as 10').waitFor();

    /** Presses the button until the API allows the next lookup, five seconds after the last. */
    const checkedUntil = (text: string) =>
      until(text, async () => {
        const button = page.getByRole('button', { name: 'Check now' });
        await button.click();
        await button.waitFor(); // it has another name meanwhile
        return (await row.textContent())?.includes(text);
      });

    dns.set(verification.name, { TXT: ['inlet-verification=of-another-account'] });
    await checkedUntil('inlet-verification=of-another-account');
    await page.getByText('A TXT record exists, but with another value').waitFor();
    expect(await row.textContent()).not.toContain('as expected');

    dns.set(verification.name, { TXT: ['something else', verification.value] });
    await checkedUntil('as expected');
    await page.getByText('Verified', { exact: true }).first().waitFor();
    expect(await page.locator('.notice-bad').count()).toBe(0);

    await expect(
      dashboard.whole.mailer.sendMail({ from: 'a@sender.example', to: 'nobody@checked.example' }),
    ).rejects.toThrow(/550/);
    const refused = page.getByRole('link', { name: '1 refused in the last 24 hours' });
    await expect
      .poll(async () => {
        if ((await refused.count()) === 0) await page.reload();
        return refused.getAttribute('href', { timeout: 1_000 }).catch(() => undefined);
      })
      .toMatch(/\/mail\/refused\?domain=checked\.example$/);

    const checks = page.getByRole('table', { name: 'Delivery' }).getByRole('row');
    await checks.filter({ hasText: 'TLS reports' }).getByText('Missing').waitFor();
    await page.getByRole('combobox', { name: 'MTA-STS' }).selectOption('testing');
    await checks.filter({ hasText: '_mta-sts.checked.example' }).getByText('v=STSv1').waitFor();
    await page.getByRole('combobox', { name: 'MTA-STS' }).selectOption('enforce');
    await page.getByText('The certificate of the MX hosts').waitFor(); // refused
    expect(await page.getByRole('combobox', { name: 'MTA-STS' }).inputValue()).toBe('testing');

    dns.remove(verification.name);
    await checkedUntil('nothing');
    await page.getByText('The TXT record is missing').waitFor();
    await page.getByText('Verified', { exact: true }).first().waitFor(); // it stays verified
    expect(await row.textContent()).not.toContain('as expected');

    dns.set(verification.name, 'SERVFAIL');
    await checkedUntil('no response');
    await page.getByText('The DNS servers of the domain do not respond').waitFor();
  });
});
