/** Mail in a real browser while it arrives: without a reload, within a second. */
import { describe, expect, test } from 'vitest';

import {
  ADDRESSES,
  type StoredAddress,
} from '../../../services/adapters/mongo/documents/address-documents.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createUsageEvents } from '../../../services/adapters/mongo/audit/events.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { atMost } from '../../support/slowdown.ts';
import { hasBrowser, useDashboard } from './dashboard.ts';

const SHOWN_WITHIN_MS = 1_000;

describe.skipIf(!hasBrowser)('the list while mail arrives', () => {
  const shared = useDashboard();

  test('an email appears within a second of its 250, and then its outcome', async () => {
    const address = await shared.dashboard.whole.address('/live');
    const { page, faults } = await shared.dashboard.open('/mail');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.clock.install(); // its time goes on until the end of the test
    await shared.dashboard.whole.mailer.sendMail({
      from: 'Ann <ann@sender.example>',
      to: address.address,
      subject: 'while you watch',
      text: 'Hello',
    });
    const acceptedMs = Date.now();
    const row = page.getByRole('link', { name: /while you watch/ });
    await row.waitFor();
    expect(Date.now() - acceptedMs).toBeLessThan(atMost(SHOWN_WITHIN_MS));
    await row.filter({ hasText: 'Delivered' }).waitFor();
    // a stream that says nothing for 20 s is not live
    await page.clock.fastForward(20_000);
    await page.getByText('Not live').waitFor();
    expect(faults).toEqual([]);
  });

  test('an open email follows its retries, and a filtered list drops what no longer matches', async () => {
    const address = await shared.dashboard.whole.address('/flaky');
    shared.dashboard.whole.receiver.answer('/flaky', (count) => (count === 1 ? 503 : 200));
    const eventId = await shared.dashboard.sent(address, 'twice', 'retrying');
    const { page: list } = await shared.dashboard.open('/mail?status=retrying');
    const { page, faults } = await shared.dashboard.open(`/mail/${eventId}`);
    await list.getByRole('link', { name: /twice/ }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await shared.dashboard.whole.call('POST', `/deliveries/${eventId}/retry`);
    await page.getByText('HTTP 200').waitFor();
    await list.getByRole('link', { name: /twice/ }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  test('the address list marks an address that fails; its screen has the time since when', async () => {
    const { whole } = shared.dashboard;
    const { id, address } = await whole.address('/failing');
    await using mongo = await connectMongo(
      whole.standalone.state().mongodb_uri,
      createLog('silent'),
    );
    const addresses = mongo.db.collection<StoredAddress>(ADDRESSES);
    // one attempt failed: nobody is alarmed before the receiver is failing
    await addresses.updateOne({ _id: id }, { $set: { failing_since: new Date() } });
    const { page, faults } = await shared.dashboard.open(`/addresses/${id}`);
    const notice = page.getByRole('alert');
    await notice.getByText('The last attempt failed').waitFor();
    expect(await notice.getByText('failing').count()).toBe(0);
    const failingSince = new Date(Date.now() - 6 * 86_400_000);
    const stored = await addresses.findOneAndUpdate(
      { _id: id },
      { $set: { failing_since: failingSince, failing_noticed_at: new Date() } },
    );
    await createUsageEvents(mongo.db).add([
      {
        account_id: stored?.account_id ?? '',
        environment: 'live',
        type: 'address.failing',
        address_id: id,
        timestamp: new Date(),
        data: {},
      },
    ]);
    await notice.getByText('This receiver is failing').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Addresses' }).click();
    const row = page.getByRole('row').filter({ hasText: address });
    await row.getByText('Failing', { exact: true }).waitFor();
    await row.getByRole('link', { name: address }).click();
    await page.getByRole('alert').getByText('No delivery has succeeded since').waitFor();
    expect(faults).toEqual([]);
  });
});
