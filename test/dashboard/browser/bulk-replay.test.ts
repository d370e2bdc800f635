/** The bulk replay in a real browser: what it says before, while it runs, and after a failure. */
import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';

import { hasBrowser, useDashboard } from './dashboard.ts';

const REPLAY = '**/v1/deliveries/replay';

type Body = { cursor?: string; limit?: number };
const bodyOf = (request: Request) => request.postDataJSON() as Body;

/** Each call looks at one email, so that a few emails need several calls. */
async function replayOneByOne(page: Page, failAt: number, status: number) {
  const calls: Body[] = [];
  await page.route(REPLAY, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const body = bodyOf(route.request());
    calls.push(body);
    if (calls.length === failAt)
      return route.fulfill({
        status,
        contentType: 'application/json',
        body: JSON.stringify({ error: 'unavailable', message: 'Too busy now' }),
      });
    return route.continue({ postData: JSON.stringify({ ...body, limit: 1 }) });
  });
  return calls;
}

describe.skipIf(!hasBrowser)('the bulk replay', () => {
  const shared = useDashboard();

  /** An address whose receiver refuses these emails, and then works. */
  const refused = async (path: string, subjects: readonly string[]) => {
    const { whole } = shared.dashboard;
    const address = await whole.address(path);
    whole.receiver.answer(path, (count) => (count <= subjects.length ? 410 : 200));
    for (const subject of subjects) await shared.dashboard.sent(address, subject, 'failed');
    return address;
  };

  test.each([429, 503])(
    'replays what the list shows, and continues after a %i on another screen',
    async (status) => {
      const path = `/bulk-${status}`;
      const subjects = [`Heron ${status} one`, `Gull ${status}`, `Heron ${status} two`];
      const address = await refused(path, subjects);
      const { page, faults } = await shared.dashboard.open(
        `/mail?status=failed&from=2026-01-01T08:00&subject=heron+${status}`, // as the overview leads to
      );
      await page.getByText('2 deliveries').waitFor();
      const calls = await replayOneByOne(page, 2, status);

      await page.getByRole('button', { name: 'Replay many' }).click();
      const dialog = page.getByRole('dialog', { name: 'Replay many emails' });
      await dialog.getByText('Emails that match: 2.').waitFor();
      const search = dialog.getByLabel('Search');
      expect(await search.inputValue()).toBe(`heron ${status}`);
      await search.fill('nothing has these words');
      await dialog.getByText('Emails that match: 0.').waitFor();
      expect(await dialog.getByRole('button', { name: 'Replay', exact: true }).isEnabled()).toBe(
        false,
      );
      await search.fill(`heron ${status}`);
      await dialog.getByText('Emails that match: 2.').waitFor();
      await dialog.getByRole('button', { name: 'Replay', exact: true }).click();

      await page.getByText('The replay stopped: Too busy now. 1 of 2 are due.').waitFor();
      await page.getByRole('link', { name: 'Addresses', exact: true }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('2 emails are due again, 0 skipped.').waitFor();
      expect(calls.map(({ cursor }) => cursor !== undefined)).toEqual([false, true, true]);
      expect(calls[2]).toEqual(calls[1]); // from where it ended

      const again = await Promise.all([
        shared.dashboard.whole.receiver.nth(path, 4),
        shared.dashboard.whole.receiver.nth(path, 5),
      ]);
      expect(again.map(({ payload }) => payload.headers.subject)).toEqual([
        subjects[0],
        subjects[2],
      ]);
      const { body } = await shared.dashboard.whole.call(
        'GET',
        `/deliveries?address_id=${address.id}&status=failed`,
      );
      expect(body).toMatchObject({ data: [{ subject: subjects[1] }] });
      await page.getByRole('button', { name: 'Dismiss' }).click();
      expect(await page.getByText('emails are due again').count()).toBe(0);
      expect(faults.filter((fault) => !fault.includes(`${status}`))).toEqual([]);
    },
  );

  test('says for how long delivered emails are kept, when that is shorter than promised', async () => {
    const { page } = await shared.dashboard.open('/mail?status=delivered');
    await page.route(REPLAY, (route) =>
      route.fulfill({ json: { promised_hours: 72, kept_hours: 5 } }),
    );
    await page.getByRole('button', { name: 'Replay many' }).click();
    const notice = page.getByText('the last 5 hours can be replayed, not of 72');
    await notice.waitFor();
    expect(await notice.count()).toBe(1);
  });

  test('while it runs, the browser asks before it closes the page; a stopped one continues', async () => {
    await refused('/bulk-stop', ['Osprey one', 'Osprey two']);
    const { page } = await shared.dashboard.open('/mail?status=failed&subject=osprey');
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
    await page.route(REPLAY, async (route) => {
      await mayGoOn;
      await route.continue({
        postData: JSON.stringify({ ...bodyOf(route.request()), limit: 1 }),
      });
    });
    await page.getByRole('button', { name: 'Replay many' }).click();
    await page.getByText('Emails that match: 2.').waitFor();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('Replaying: 0 of 2 are due so far.').waitFor();
    expect(await page.getByRole('button', { name: 'Replay many' }).isEnabled()).toBe(false);

    page.removeAllListeners('dialog').once('dialog', (dialog) => void dialog.dismiss());
    const requested = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await requested).type()).toBe('beforeunload'); // dismissed, so the page stays

    await page.getByRole('button', { name: 'Stop' }).click();
    goOn();
    await page.getByText('You stopped the replay. 1 of 2 are due.').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('2 emails are due again, 0 skipped.').waitFor();
    await shared.dashboard.whole.receiver.nth('/bulk-stop', 4);
  });
});
