/** Journeys in a real browser: the first email, and a receiver that fails and is mended. */
import { describe, expect, test } from 'vitest';

import { hasBrowser, openFolds, useDashboard } from './dashboard.ts';

describe.skipIf(!hasBrowser)('mail in a real browser', () => {
  const shared = useDashboard();

  test('first mail: an address is created; its email is shown with what happened to it', async () => {
    const { page, faults } = await shared.dashboard.open('/addresses');
    await page.getByRole('button', { name: 'New address' }).first().click();
    await page.getByLabel('Webhook URL').fill(shared.dashboard.whole.receiver.url('/first'));
    await page.getByRole('button', { name: 'Create the address' }).click();
    await page.getByText('Address created').waitFor();
    const heading = page.getByRole('heading', { level: 1, name: '@' });
    const address = String(await heading.textContent());
    const mailbox = address.replace('@', '+shop@');

    await shared.dashboard.whole.mailer.sendMail({
      from: 'Ann <ann@sender.example>',
      to: mailbox,
      subject: 'the very first',
      text: 'Hello from Ann',
      html: '<p>Hello from <b>Ann</b></p>',
      attachments: [{ filename: 'notes.txt', content: 'a note' }],
    });
    await shared.dashboard.whole.receiver.nth('/first', 1);
    await page.getByRole('link', { name: 'Mail', exact: true }).first().click();
    const row = page.getByRole('link', { name: /the very first/ });
    await row.filter({ hasText: 'Delivered' }).waitFor();
    expect(await row.textContent()).toContain(mailbox);

    await row.click();
    await page.getByRole('heading', { level: 1, name: 'the very first' }).waitFor();
    await page.getByText(`to ${mailbox} (received by ${address})`).waitFor();
    await page.getByText('Hello from Ann').waitFor();
    await page.getByText('HTTP 200').waitFor();
    expect(await page.locator('.timeline h3').allTextContents()).toEqual([
      'Received',
      'Parsed and stored',
      'Attempt 1',
    ]);
    await page.getByRole('button', { name: 'HTML' }).click();
    const frame = page.frameLocator('iframe.mail-html');
    expect(await frame.locator('b').textContent()).toBe('Ann');

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download notes.txt' }).click();
    const stream = await (await download).createReadStream();
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('a note');

    await page.getByRole('button', { name: 'Headers' }).click();
    await page.getByText('ann@sender.example').first().waitFor();
    expect(page.url()).toContain('view=headers');
    await page.getByRole('button', { name: 'Payload' }).click();
    await page.getByText(/"subject": "the very first"/).waitFor();
    await page.getByRole('button', { name: 'Create the command' }).click();
    await page.getByText(/curl -X POST/).waitFor();
    expect(faults).toEqual([]);
  });

  test('D59: malware is named, with its file; refuse_infected of the address is a choice', async () => {
    const { whole, open, sent } = shared.dashboard;
    const address = await whole.address('/scanned');
    const attachments = [{ filename: 'invoice.exe', content: 'x' }];
    const eventId = await sent(address, 'an invoice', 'delivered', { attachments });
    const { page, faults } = await open('/mail');
    const virus = {
      verdict: 'infected',
      name: 'Win.Test.EICAR_HDB-1',
      scanner: 'clamd',
      attachments: [{ index: 0, filename: 'invoice.exe', name: 'Win.Test.EICAR_HDB-1' }],
    }; // as of a gateway with clamd
    const { body: email } = await whole.call('GET', `/deliveries/${eventId}/email`);
    await page.route(`**/deliveries/${eventId}/email`, (route) =>
      route.fulfill({ json: { ...(email as object), virus } }),
    );
    await page.getByRole('link', { name: /an invoice/ }).click();
    const card = page.getByRole('region', { name: 'Malware' });
    await card.getByText('Infected').waitFor();
    expect(await card.locator('li').allTextContents()).toEqual(['invoice.exeWin.Test.EICAR_HDB-1']);

    await page.goto(`${shared.dashboard.origin}/dashboard/addresses/${address.id}`);
    await openFolds(page);
    await page.getByLabel('Refuse email that contains malware').selectOption('Yes');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const { body } = await whole.call('GET', `/addresses/${address.id}`);
    expect(body).toMatchObject({ refuse_infected: true });
    expect(faults).toEqual([]);
  });

  test('why did it fail: the response is shown; mend the receiver, replay, delivered', async () => {
    const address = await shared.dashboard.whole.address('/broken');
    shared.dashboard.whole.receiver.answer('/broken', () => ({
      status: 410,
      body: '<b>moved</b> \u202eaway',
    }));
    const eventId = await shared.dashboard.sent(address, 'nobody home', 'failed');
    const { page, faults } = await shared.dashboard.open('/mail?status=failed');
    await page.getByRole('link', { name: /nobody home/ }).click();
    await page.getByText('HTTP 410').waitFor();
    await page.getByText('Request and response').click();
    await page.locator('.attempt-reason', { hasText: '<b>moved</b> \ufffdaway' }).waitFor();
    await page.locator('pre', { hasText: '<b>moved</b> \ufffdaway' }).waitFor(); // text, not HTML
    await page.getByRole('button', { name: 'Request', exact: true }).click();
    await page.getByText('svc-signature').waitFor();
    await page.getByText(/s=\*\*\*$/).waitFor();

    shared.dashboard.whole.receiver.answer('/broken', () => 200);
    await page.keyboard.press('r');
    await page
      .getByRole('dialog')
      .getByText(/with the same event_id/)
      .waitFor();
    await page.getByRole('button', { name: 'Replay', exact: true }).last().click();
    await page.getByText('The email will be sent again').waitFor();
    const webhook = await shared.dashboard.whole.receiver.nth('/broken', 2);
    expect(webhook.payload.event_id).toBe(eventId);
    await page.reload();
    await page.getByText('HTTP 200').waitFor();
    expect(faults).toEqual([]);
  });

  test('retry now sends an email that waits; its row changes in the list', async () => {
    const address = await shared.dashboard.whole.address('/busy');
    shared.dashboard.whole.receiver.answer('/busy', (count) => (count === 1 ? 503 : 200));
    const eventId = await shared.dashboard.sent(address, 'come back later', 'retrying');
    const { page, faults } = await shared.dashboard.open(`/mail/${eventId}`);
    await page.getByText('Next attempt').waitFor();
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('HTTP 200').waitFor();
    await page.getByRole('link', { name: 'Mail', exact: true }).first().click();
    await page
      .getByRole('link', { name: /come back later/ })
      .filter({ hasText: 'Delivered' })
      .waitFor();
    expect(faults).toEqual([]);
  });

  test('cancel asks first; then the email has failed, and nothing is sent until a replay', async () => {
    const address = await shared.dashboard.whole.address('/canceled');
    shared.dashboard.whole.receiver.answer('/canceled', (count) => (count === 1 ? 503 : 200));
    const eventId = await shared.dashboard.sent(address, 'never mind', 'retrying');
    const { page, faults } = await shared.dashboard.open(`/mail/${eventId}`);
    await page.getByRole('button', { name: 'Cancel retries' }).click();
    const question = page.getByRole('dialog', { name: 'Cancel the remaining attempts?' });
    await question.getByRole('button', { name: 'Cancel retries' }).click();
    await page.getByText('The remaining attempts are canceled').waitFor();
    await page.getByRole('heading', { name: 'Canceled', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Replay', exact: true }).waitFor();
    expect(await page.getByText('Next attempt').count()).toBe(0);
    expect(shared.dashboard.whole.receiver.received('/canceled')).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  test('erase asks first; then only the record of the delivery is shown', async () => {
    const address = await shared.dashboard.whole.address('/erase', { retention_hours: 48 });
    const eventId = await shared.dashboard.sent(address, 'please forget me', 'delivered');
    const { page, faults } = await shared.dashboard.open(`/mail/${eventId}`);
    await page.getByRole('heading', { level: 1, name: 'please forget me' }).waitFor();
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor();
    await page.getByRole('button', { name: 'Erase', exact: true }).last().click();
    await page.getByText('The email is erased').waitFor();
    await page.getByText('Its delivery record remains').waitFor();
    await page.getByText('HTTP 200').waitFor();
    expect(await page.getByText('please forget me').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Replay', exact: true }).count()).toBe(0);

    await page.goto(page.url().replace(/\/mail\/.*/, `/addresses/${address.id}`));
    await openFolds(page);
    const hours = page.getByLabel('Hours that an email is stored after its delivery');
    await hours.waitFor();
    expect(await hours.inputValue()).toBe('48');
    expect(faults).toEqual([]);
  });

  test('filters are in the URL, and the keyboard reaches everything', async () => {
    const address = await shared.dashboard.whole.address('/keys');
    await shared.dashboard.sent(address, 'keyboard one', 'delivered');
    await shared.dashboard.sent(address, 'keyboard two', 'delivered');
    const { page, faults } = await shared.dashboard.open('/mail');
    await page.getByRole('link', { name: /keyboard two/ }).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Address').selectOption({ label: address.address });
    await page.waitForURL(/address_id=/);
    await page.getByText('2 deliveries').waitFor();
    await page.reload();
    await page.getByRole('link', { name: /keyboard two/ }).waitFor();
    const subject = (await page.locator('.mail-subject').first().textContent()) ?? '';
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: subject }).waitFor();
    expect(await page.title()).toBe(`${subject} · Inlet`);
    const steps = await page.evaluate('history.length');
    await page.keyboard.press('j'); // the next email of the list
    await page.getByRole('heading', { level: 1, name: 'keyboard one' }).waitFor();
    expect(await page.getByRole('button', { name: 'Next email of the list' }).isDisabled()).toBe(
      true,
    );
    // one step leads back to the list, however many emails were looked at
    expect(await page.evaluate('history.length')).toBe(steps);
    await page.getByRole('link', { name: 'Mail', exact: true }).last().click();
    await page.waitForURL(/address_id=/);
    await page.locator('a.mail-row:focus', { hasText: 'keyboard one' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.keyboard.type('mail');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/dashboard\/mail$/);
    expect(faults).toEqual([]);
  });

  test('/ searches from every screen; j, k and o move in a list and open a row', async () => {
    const address = await shared.dashboard.whole.address('/rows');
    await shared.dashboard.sent(address, 'opened by a key', 'delivered');
    const { page, faults } = await shared.dashboard.open('/usage');
    await page.keyboard.type('/opened'); // the box has the focus before the next key
    await page.waitForURL(/\/mail$/);
    const box = page.getByRole('searchbox', { name: 'Search mail' });
    expect(await box.evaluate((one) => one.matches(':focus'))).toBe(true);
    expect(await box.inputValue()).toBe('opened');
    await page.keyboard.press('Enter');
    await page.waitForURL(/subject=opened/);
    await page.getByText('1 deliveries').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: 'opened by a key' }).waitFor();
    await expect
      .poll(() => page.locator('main').evaluate((one) => one.matches(':focus')))
      .toBe(true);

    // the first row has no link: the domain of its event does not exist any more
    const { body } = await shared.dashboard.whole.call('POST', '/domains', {
      domain: 'short.example',
    });
    await shared.dashboard.whole.call('DELETE', `/domains/${(body as { id: string }).id}`);
    await page.goto(`${shared.dashboard.origin}/dashboard/activity`);
    const rows = page.locator('[data-row]');
    const first = rows.first();
    await first.getByText('Domain deleted').waitFor();
    expect(await first.getByRole('link').count()).toBe(0);
    const delivered = rows.filter({ hasText: /Email delivered.*opened by a key/ });
    const focused = delivered.getByRole('link').and(page.locator(':focus'));
    for (let presses = 0; presses < 10 && (await focused.count()) === 0; presses++)
      await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: 'opened by a key' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('the raw email is text: its beginning, without code, with a link to all of it', async () => {
    const { whole } = shared.dashboard;
    const address = await whole.address('/raw', { payload: { raw: true } });
    await whole.mailer.sendMail({
      from: '"محمد" <ann@sender.example>',
      to: address.address,
      subject: 'the raw one',
      html: '<script>document.title = "code"</script><p>raw</p>',
      attachments: [{ filename: 'big.bin', content: Buffer.alloc(400_000, 7) }],
    });
    const { payload } = await whole.receiver.nth('/raw', 1);
    const { page, faults } = await shared.dashboard.open(`/mail/${payload.event_id}?view=raw`);
    const shown = page.getByLabel('Raw', { exact: true }).and(page.locator('pre'));
    await shown.getByText('Subject: the raw one').waitFor();
    const text = (await shown.textContent()) ?? '';
    expect(text).toContain('<script>document.title');
    expect(text).not.toContain('\r');
    expect(text.length).toBeGreaterThan(200_000);
    expect(text.length).toBeLessThanOrEqual(256 * 1024);
    await page.getByText('These are the first').waitFor();
    // a name from right to left does not move the address before it
    expect(await page.locator('.facts bdi').allTextContents()).toEqual([
      'محمد',
      '<ann@sender.example>',
    ]);
    const link = page.getByRole('link', { name: 'Download the raw email' });
    expect(await link.getAttribute('href')).toContain(`/v1/files/${payload.event_id}/raw`);
    expect(faults).toEqual([]);
  });
});
