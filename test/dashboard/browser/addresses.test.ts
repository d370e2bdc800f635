/** Journeys in a real browser: an address that is tested, disabled and deleted, and a domain. */
import { describe, expect, test } from 'vitest';

import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { type Faults, hasBrowser, openFolds, useDashboard } from './dashboard.ts';

describe.skipIf(!hasBrowser)('addresses and domains in a real browser', () => {
  const shared = useDashboard();

  /** @returns the SMTP reply: of acceptance, or of the refusal */
  const replyTo = async (to: string): Promise<string> => {
    const mail = { from: 'ann@sender.example', to, subject: 'Hello', text: 'Hello' };
    try {
      return (await shared.dashboard.whole.mailer.sendMail(mail)).response ?? '';
    } catch (error) {
      return (error as { response: string }).response;
    }
  };

  test('the test of a receiver shows its response', async () => {
    const { whole, open } = shared.dashboard;
    const { id } = await whole.address('/tested');
    whole.receiver.answer('/tested', (count) =>
      count === 1 ? { status: 410, body: '<b>moved</b> away' } : { status: 202, body: 'Thank you' },
    );
    const { page, faults } = await open(`/addresses/${id}`);
    const card = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await card.getByText('Refused', { exact: true }).waitFor();
    await card.getByText('410', { exact: true }).waitFor();
    await card.getByText('<b>moved</b> away').waitFor(); // text, not HTML

    await card.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await card.getByText('Accepted', { exact: true }).waitFor();
    await card.getByText('202', { exact: true }).waitFor();
    await card.getByText('Thank you').waitFor();
    expect(await card.getByText('410', { exact: true }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('edits that are not saved are asked about; an error says what to do', async () => {
    const { whole, open } = shared.dashboard;
    const { id } = await whole.address('/edited');
    const { page, faults } = await open(`/addresses/${id}`);
    await page.getByLabel('Description').fill('not saved');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/addresses/${id}`);
    await page.getByRole('button', { name: 'Edit', exact: false }).first().click();
    const url = page.getByRole('dialog').getByLabel('URL');
    await url.fill('http://localhost:3000/hook');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('inlet listen --forward').waitFor();
    await url.and(page.locator(':focus')).waitFor();
    expect(await url.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard them' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(faults.filter((fault) => !fault.includes('422'))).toEqual([]);
  });

  test('a disabled address refuses email, an enabled one accepts it, a deleted one is unknown', async () => {
    const { whole, open } = shared.dashboard;
    const { id, address } = await whole.address('/switched');
    const { page, faults } = await open(`/addresses/${id}`);
    const question = page.getByRole('dialog');
    await openFolds(page);
    const description = page.getByLabel('Description');
    await description.fill('not saved yet');
    await page.getByRole('button', { name: 'Disable' }).click();
    await question.getByText('Email to it is refused from now on').waitFor();
    await question.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Address disabled').waitFor();
    await page.getByRole('button', { name: 'Enable' }).waitFor(); // the change is shown
    expect(await description.inputValue()).toBe('not saved yet');
    await description.fill('');
    expect(await replyTo(address)).toMatch(/^550 5\.2\.1/);

    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Address enabled').waitFor();
    expect(await replyTo(address)).toMatch(/^250 /);

    await page.getByRole('button', { name: 'Delete' }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await replyTo(address)).toMatch(/^250 /);
    await page.getByRole('button', { name: 'Delete' }).click();
    await question.getByText(`Email to ${address} is refused from now on`).waitFor();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Address deleted').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
    await page.getByRole('link', { name: address }).waitFor({ state: 'detached' });
    expect(await replyTo(address)).toMatch(/^550 5\.1\.1/);
    expect(withoutGone(faults, id)).toEqual([]);
  });

  test('D49: a receiver with a private key shows its public key, when it is added and later', async () => {
    const { whole, open } = shared.dashboard;
    const { id } = await whole.address('/beside-keyed');
    const { page, faults } = await open(`/addresses/${id}`);
    const card = page.getByRole('region', { name: 'Receivers' });
    await card.getByRole('button', { name: 'Add a receiver' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(whole.receiver.url('/keyed'));
    await openFolds(page);
    await dialog.getByLabel('Signature').selectOption('ed25519');
    await dialog.getByLabel('Format').selectOption('cloudevents');
    await dialog.getByRole('button', { name: 'Add the receiver' }).click();
    const key = dialog.getByText(/^whpk_/);
    const first = await key.textContent();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await card.getByRole('button', { name: 'Show the public key' }).click();
    expect(await key.textContent()).toBe(first);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await card.getByRole('button', { name: 'Rotate the key' }).click();
    await dialog.getByRole('button', { name: 'Rotate the key' }).click();
    await dialog.getByRole('heading', { name: 'Public key' }).waitFor();
    expect(await key.textContent()).not.toBe(first);
    expect(faults).toEqual([]);
  });

  test('D51: a receiver with HTTP Basic shows the user name; another setting replaces it', async () => {
    const { whole, open } = shared.dashboard;
    const { id } = await whole.address('/beside-guarded');
    const { page, faults } = await open(`/addresses/${id}`);
    const card = page.getByRole('region', { name: 'Receivers' });
    const row = card.getByRole('listitem').filter({ hasText: '/guarded' });
    await card.getByRole('button', { name: 'Add a receiver' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(whole.receiver.url('/guarded'));
    await openFolds(page);
    await dialog.getByLabel('Authentication').selectOption('HTTP Basic');
    await dialog.getByLabel('User name').fill('inlet');
    await dialog.getByLabel('Password').fill('of-the-gateway');
    await dialog.getByRole('button', { name: 'Add the receiver' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await card.getByText('Authenticates with HTTP Basic as inlet').waitFor();
    await row.getByRole('button', { name: 'Edit' }).click();
    await openFolds(page);
    await dialog.getByText('At present: HTTP Basic as inlet').waitFor();
    await dialog.getByLabel('Authentication').selectOption('A header');
    await dialog.getByLabel('Name of the header').fill('X-Api-Key');
    await dialog.getByLabel('Value of the header').fill('key-1');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Authenticates with X-Api-Key').waitFor();
    await row.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const { headers } = await whole.receiver.nth('/guarded', 1);
    expect(headers).toMatchObject({ 'x-api-key': 'key-1' });
    expect(headers).not.toHaveProperty('authorization');
    await row.getByRole('button', { name: 'Edit' }).click();
    await openFolds(page);
    await dialog.getByLabel('Authentication').selectOption('oauth2');
    await dialog.getByLabel('Token URL').fill(whole.receiver.url('/token'));
    await dialog.getByLabel('Client ID').fill('client-1');
    await dialog.getByLabel('Client secret').fill('of-the-client');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Authenticates with OAuth 2.0 as client-1').waitFor();
    await row.getByRole('button', { name: 'Edit' }).click();
    await openFolds(page);
    await dialog.getByLabel('Authentication').selectOption('certificate');
    const { cert, key } = await makeCertificate(['inlet'], { isForClients: true });
    await dialog.getByLabel('Certificate (PEM)').fill(cert);
    await dialog.getByLabel('Private key (PEM)').fill(key);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Authenticates with client certificate CN=inlet').waitFor();
    expect(faults).toEqual([]);
  });

  test('an address without a URL shows its email as stored; its first receiver is set up later', async () => {
    const { whole, open, origin, sent } = shared.dashboard;
    const { page, faults } = await open('/addresses?new=1');
    await openFolds(page);
    await page.getByLabel('Description').fill('only read');
    await page.getByRole('button', { name: 'Create the address' }).click();
    await page.getByText('Address created').waitFor();
    const card = page.getByRole('region', { name: 'Receivers' });
    await card.getByText('None: email is only stored').waitFor();
    const address = await page.getByRole('heading', { level: 1 }).textContent();
    expect(await card.getByRole('button', { name: 'Send a test' }).count()).toBe(0);
    const addressUrl = page.url();

    const id = addressUrl.slice(addressUrl.lastIndexOf('/') + 1);
    await sent({ id, address: String(address) }, 'only stored', 'delivered');
    await page.getByRole('link', { name: 'Show its mail' }).click();
    await page.getByRole('link', { name: 'only stored' }).click();
    await page.getByRole('heading', { name: 'Stored: no webhook is sent' }).waitFor();
    await page.getByText('The address has no webhook URL').waitFor();

    await page.goto(addressUrl);
    await card.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(whole.receiver.url('/set-later'));
    await openFolds(page);
    await dialog.getByLabel('Authentication').selectOption('HTTP Basic');
    await dialog.getByLabel('User name').fill('inlet');
    await dialog.getByLabel('Password').fill('of-the-gateway');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Authenticates with HTTP Basic as inlet').waitFor();
    expect(await replyTo(String(address))).toMatch(/^250 /);
    const { headers } = await whole.receiver.nth('/set-later', 1);
    expect(headers.authorization).toMatch(/^Basic /);
    await card.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Receiver disabled').waitFor();
    expect(page.url().startsWith(origin)).toBe(true);
    expect(faults).toEqual([]);
  });

  test('a further receiver is added, gets the email, and both deliveries lead to each other', async () => {
    const { whole, open, sent } = shared.dashboard;
    const address = await whole.address('/first-receiver');
    const { page, faults } = await open(`/addresses/${address.id}`);
    const card = page.getByRole('region', { name: 'Receivers' });
    await card.getByRole('button', { name: 'Add a receiver' }).click();
    const dialog = page.getByRole('dialog');
    const url = whole.receiver.url('/second-receiver');
    await dialog.getByLabel('URL').fill(url);
    await openFolds(page);
    await dialog.getByLabel('Description').fill('warehouse');
    await dialog.getByRole('button', { name: 'Add a condition' }).click();
    await dialog.getByLabel('Condition 1', { exact: true }).selectOption('The subject contains');
    await dialog.getByLabel('Value 1').fill('Both');
    await dialog.getByRole('button', { name: 'Add the receiver' }).click();
    await dialog.getByText(/^whsec_/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await card.getByText(url).first().waitFor();
    await card.getByText('subject.lowerAscii().contains("both")').waitFor();
    const row = card.getByRole('listitem').filter({ hasText: url });
    await row.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByText('Accepted', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();

    await sent(address, 'to both', 'delivered');
    await whole.receiver.nth('/second-receiver', 2);
    const { payload } = await whole.receiver.nth('/first-receiver', 1);
    await page.goto(`${shared.dashboard.origin}/dashboard/mail/${payload.event_id}`);
    const receivers = page.getByRole('navigation', { name: 'Receivers of this email' });
    await receivers.getByRole('link', { name: 'warehouse' }).click();
    await receivers.locator('[aria-current=page]', { hasText: 'warehouse' }).waitFor();

    // the two deliveries are one row, with both receivers
    await page.goto(`${shared.dashboard.origin}/dashboard/mail?address_id=${address.id}`);
    const mails = page.getByRole('list', { name: 'Emails, newest first' }).getByRole('listitem');
    await mails
      .filter({ hasText: 'the address' })
      .filter({ hasText: 'further receiver' })
      .waitFor();
    expect(await mails.count()).toBe(1);

    await page.goto(`${shared.dashboard.origin}/dashboard/addresses/${address.id}`);
    // the address can be copied where it stands, and to delete it is not the loudest button
    const title = page.getByRole('heading', { level: 1, name: address.address }).locator('..');
    await title.getByRole('button', { name: /^Copy/ }).waitFor();
    const colorOf = (name: string) =>
      page
        .getByRole('button', { name, exact: true })
        .first()
        .evaluate('(one) => getComputedStyle(one).backgroundColor');
    expect(await colorOf('Delete')).toBe(await colorOf('Disable'));
    await card.getByText(url).first().waitFor();
    await card.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Receiver deleted').waitFor();
    await card.getByText(url).first().waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  test('an address that is deleted elsewhere leads back to the list', async () => {
    const { whole, open } = shared.dashboard;
    const { id, address } = await whole.address('/elsewhere');
    const { page, faults } = await open(`/addresses/${id}`);
    await page.getByRole('heading', { level: 1, name: address }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect((await whole.call('DELETE', `/addresses/${id}`)).status).toBe(200);
    await page.getByText('Address deleted').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
    expect(await page.getByText('Address deleted').count()).toBe(1);
    expect(withoutGone(faults, id)).toEqual([]);
  });

  test('a domain is added and checked; then an address with a chosen name is created on it', async () => {
    const { page, faults } = await shared.dashboard.open('/domains');
    await page.getByRole('button', { name: 'Add a domain' }).click();
    await page.getByRole('textbox', { name: 'Domain' }).fill('shop.example');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'shop.example' }).waitFor();
    const record = page.getByRole('row').filter({ hasText: 'TXT' });
    const [name = '', value = ''] = await record.locator('code').allTextContents();
    expect(name).toBe('_inlet-challenge.shop.example');
    shared.dns.set(name, { TXT: [value] });
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Verified', { exact: true }).first().waitFor();
    await record.getByText('as expected').waitFor();

    await page.goto(`${shared.dashboard.origin}/dashboard/addresses?new=1`);
    const url = shared.dashboard.whole.receiver.url('/shop');
    await page.getByLabel('Webhook URL').fill(url);
    await openFolds(page);
    await page.getByLabel('Name before the @').fill('orders');
    await page.getByRole('combobox', { name: 'Domain' }).selectOption({ label: 'shop.example' });
    await page.getByRole('combobox', { name: 'Lifetime' }).selectOption({ label: 'Expiring' });
    await page.getByLabel('Expires after (hours)').fill('48');
    await page.getByRole('combobox', { name: 'Attachments' }).selectOption({ label: 'Left out' });
    await page.getByRole('button', { name: 'Create the address' }).click();
    await page.getByRole('heading', { level: 1, name: 'orders@shop.example' }).waitFor();
    await page.getByText('Address created').waitFor();
    await page.getByText(url).first().waitFor();
    await openFolds(page);
    expect(await page.getByRole('combobox', { name: 'Attachments' }).inputValue()).toBe('omit');
    expect(await replyTo('orders@shop.example')).toMatch(/^250 /);
    expect(faults).toEqual([]);
  });

  test('a domain whose record is missing says so, and is deleted', async () => {
    const { body } = await shared.dashboard.whole.call('POST', '/domains', {
      domain: 'missing.example',
    });
    const { id } = body as { id: string };
    const { page, faults } = await shared.dashboard.open(`/domains/${id}`);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByRole('alert').getByText('The TXT record is missing').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Domain deleted').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
    expect(await page.getByRole('link', { name: 'missing.example' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});

/** A late event of an address loads it again: with 404, if its deletion is faster. */
const withoutGone = (faults: Faults, id: string): Faults =>
  faults.filter((fault) => !(fault.includes('status of 404') && fault.includes(id)));
