/**
 * Overview and lists of an account with more than one page of everything: what they show is about
 * all of it, not about the newest page.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { firstIdAt } from '../../../services/core/id/ids.ts';
import { hasBrowser, useDashboard } from './dashboard.ts';

type Stored = { _id: string; next_attempt_at?: Date; failing_since?: Date };

const MORE_THAN_A_PAGE = 105;
const FAILING = 7;
/** With the one whose last attempt failed a moment ago. */
const FAILED = FAILING + 1;
const HOUR_MS = 3_600_000;

const later = (ms: number) => new Date(Date.now() + ms);

/** The value under a title such as Received. */
const numberOf = (page: Page, title: string) =>
  page.locator('.numbers > div').filter({ hasText: title }).locator('dd').textContent();

describe.skipIf(!hasBrowser)('overview of a large account', () => {
  const shared = useDashboard();
  let oldest: { id: string; address: string };

  beforeAll(async () => {
    if (!hasBrowser) return;
    const { dashboard } = shared;
    const { whole } = dashboard;
    oldest = await whole.address('/large');
    whole.receiver.answer('/large', (count) => [200, 200, 400, 503][count - 1] ?? 503);
    await dashboard.sent(oldest, 'fine', 'delivered');
    await dashboard.sent(oldest, 'fine, too', 'delivered');
    await dashboard.sent(oldest, 'refused', 'failed');
    const soonest = await dashboard.sent(oldest, 'due before all others', 'retrying');
    await using mongo = await connectMongo(
      whole.standalone.state().mongodb_uri,
      createLog('silent'),
    );
    const failing: string[] = [];
    for (let n = 0; n < FAILING; n++) failing.push((await whole.address(`/receiver-${n}`)).id);
    const copies = Array.from({ length: MORE_THAN_A_PAGE }, (_, n) => n);

    const deliveries = mongo.db.collection<Stored>('deliveries');
    const due = new Date(Date.now() + HOUR_MS / 2);
    await deliveries.updateOne({ _id: soonest }, { $set: { next_attempt_at: due } });
    const waiting = await deliveries.findOne({ _id: soonest });
    await deliveries.insertMany(
      copies.map((n) => ({
        ...waiting,
        _id: firstIdAt('evt', later(n)),
        subject: 'due later',
        next_attempt_at: new Date(due.getTime() + HOUR_MS),
      })),
    );
    const addresses = mongo.db.collection<Stored>('addresses');
    const { failing_since: _, ...fine } = (await addresses.findOne({ _id: oldest.id })) ?? {};
    await addresses.insertMany(
      copies.map((n) => ({
        ...fine,
        _id: `addr_copy${n}`,
        address: `copy${n}@copies.example`,
        created_at: later(n),
      })),
    );
    await addresses.updateMany(
      { _id: { $in: failing } },
      { $set: { failing_since: new Date(), failing_noticed_at: new Date() } },
    );
  });

  test('numbers are those of the whole period', async () => {
    const { page, faults } = await shared.dashboard.open('/');
    await page.getByText('Deliveries').first().waitFor();
    for (const [title, value] of [
      ['Deliveries', '109from 4 emails'], // the copies are in the lists, and in no counter
      ['Delivered', '2'],
      ['Waiting', '106'],
      ['Held', '0'],
      ['Failed', '1'],
      ['Success rate of emails', '66.7%'],
    ] as const)
      await expect.poll(() => numberOf(page, title)).toBe(value);
    await page.locator('.numbers').getByRole('link', { name: '106' }).click();
    await page.getByText('106 deliveries').waitFor();
    await page.goBack();
    await page.getByText('Deliveries').first().waitFor();
    expect(await numberOf(page, 'Median delivery')).toMatch(/ m?s$/);
    const plotted = page.locator('.plot table tr').last();
    expect(await plotted.textContent()).toMatch(
      /Delivered: 2Waiting: 1Held: 0Dropped: 0Failed: 1$/,
    );
    expect(faults).toEqual([]);
  });

  test('Mail counts deliveries and Usage emails, and each says so', async () => {
    const { dashboard } = shared;
    const { page, faults } = await dashboard.open('/mail');
    await page.getByText('109 deliveries', { exact: true }).waitFor();
    await page.goto(`${dashboard.origin}/dashboard/usage`);
    const figure = (title: string) =>
      page.locator('.figures > div').filter({ hasText: title }).locator('dd').first();
    await expect.poll(() => figure('Emails in this period').textContent()).toBe('4');
    await expect.poll(() => figure('Success rate of deliveries').textContent()).toBe('66.7%');
    await expect.poll(() => figure('Deliveries that wait for a retry').textContent()).toBe('106');
    expect(faults).toEqual([]);
  });

  test('what is due next comes first, although 105 newer emails wait', async () => {
    const { page, faults } = await shared.dashboard.open('/');
    const due = page.getByRole('region', { name: 'Due next' });
    await due.getByText('due before all others').waitFor();
    expect(await due.getByRole('listitem').first().textContent()).toContain('due before all');
    await due.getByRole('link', { name: 'All 106' }).click();
    await page.waitForURL(/\/mail\?status=retrying$/);
    expect(faults).toEqual([]);
  });

  test('failing addresses are counted, and lead to their list', async () => {
    const { page, faults } = await shared.dashboard.open('/');
    const failing = page.getByRole('region', { name: 'Receivers that fail' });
    await failing.getByRole('link', { name: `All ${FAILED}` }).click();
    await page.waitForURL(/\/addresses\?has_failed=true$/);
    await page.getByText(`of ${FAILED}`).waitFor();
    const failed = page.getByRole('row').filter({ hasText: 'Last attempt failed' });
    await expect.poll(() => failed.count()).toBe(1);
    await page.getByRole('button', { name: 'Failing', exact: true }).click();
    await page.getByText(`1 to ${FAILING} of ${FAILING}`).waitFor();
    const marked = page.getByRole('row').filter({ hasText: 'Failing' });
    await expect.poll(() => marked.count()).toBe(FAILING);
    await page.getByRole('button', { name: 'Not failing' }).click();
    await page.waitForURL(/&is_failing=false$/);
    await expect.poll(() => marked.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('an address that is not among the newest 100 has its name in the mail list', async () => {
    const { page, faults } = await shared.dashboard.open('/mail?status=delivered');
    const row = page.getByRole('link', { name: /fine, too/ }).filter({ hasText: oldest.address });
    await row.waitFor();
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    const options = page.getByLabel('Address').locator('option');
    await options.filter({ hasText: oldest.address }).waitFor({ state: 'attached' });
    await options.filter({ hasText: 'For an older one' }).waitFor({ state: 'attached' });
    expect(faults).toEqual([]);
  });
});
