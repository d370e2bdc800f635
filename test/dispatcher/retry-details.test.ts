/**
 * What changes a delivery in progress: a setting, Retry-After, a changed address (D8, D12, D19).
 */
import { expect, test } from 'vitest';

import { createAccounts } from '../../services/adapters/mongo/account/accounts.ts';
import type { Address } from '../../services/core/address/address.ts';
import { signatureHolds } from '../support/receiver.ts';
import { startPipeline } from '../support/pipeline.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const pipeline = await useInFile(
  startPipeline({ env: { RETRY_SCHEDULE: '50ms,300ms,300ms,300ms,300ms,300ms' } }),
);

type Stored = { _id: string; address_id: string; status: string; attempts: object[] };
const send = (to: string, subject: string) =>
  pipeline.mailer.sendMail({ from: 'a@b.example', to, subject, text: subject });
const ended = (address: Address) =>
  until(`the end of the mail to ${address.id}`, async () => {
    const delivery = await pipeline.mongo.db
      .collection<Stored>('deliveries')
      .findOne({ address_id: address.id });
    return delivery?.status === 'delivered' || delivery?.status === 'failed' ? delivery : undefined;
  });
const change = async (address: Address, fields: object) => {
  await pipeline.mongo.db
    .collection<{ _id: string }>('addresses')
    .updateOne({ _id: address.id }, { $set: fields });
  pipeline.announce(address);
};

test.each([0, 2])(
  'D12: webhook_retry_attempts %d cuts the schedule after that many retries',
  async (retries) => {
    const account = await createAccounts(pipeline.mongo.db).create({
      email: `a${retries}@b.example`,
      name: 'a',
    });
    await pipeline.mongo.db
      .collection<{ _id: string }>('accounts')
      .updateOne({ _id: account.id }, { $set: { 'settings.webhook_retry_attempts': retries } });
    const address = await pipeline.address(`/cut/${retries}`, { account_id: account.id });
    pipeline.receiver.answer(`/cut/${retries}`, () => 503);
    await send(address.address, 'cut');
    const delivery = await ended(address);
    expect(delivery).toMatchObject({ status: 'failed' });
    expect(delivery.attempts).toHaveLength(retries + 1);
  },
);

test.each([429, 503])(
  'D19: a %d with Retry-After is not tried again before that',
  async (status) => {
    const path = `/later/${status}`;
    const address = await pipeline.address(path);
    pipeline.receiver.answer(path, (count) =>
      count === 1 ? { status, headers: { 'retry-after': '2' } } : 200,
    );
    await send(address.address, 'later');
    await pipeline.receiver.nth(path, 2);
    const [first, second] = pipeline.receiver.received(path);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_990);
  },
);

test('D8: retries of mail that was accepted before use the changed webhook_url', async () => {
  const address = await pipeline.address('/old');
  pipeline.receiver.answer('/old', () => 503);
  await send(address.address, 'moved');
  await pipeline.receiver.nth('/old', 1);
  await change(address, { webhook_url: pipeline.receiver.url('/new') });
  const webhook = await pipeline.receiver.nth('/new', 1);
  expect(webhook.payload.metadata.retry_count).toBeGreaterThan(0);
  expect(signatureHolds(webhook, address.webhook_secret)).toBe(true);
});

test.each([
  ['deleted', () => ({ deleted_at: new Date() })],
  ['disabled', () => ({ is_enabled: false })],
] as const)('D8: an address that is %s still delivers what it accepted', async (name, fields) => {
  const address = await pipeline.address(`/${name}`);
  pipeline.receiver.answer(`/${name}`, (count) => (count < 3 ? 503 : 200));
  await send(address.address, name);
  await pipeline.receiver.nth(`/${name}`, 1);
  await change(address, fields());
  expect(await ended(address)).toMatchObject({ status: 'delivered', attempts: { length: 3 } });
  await expect(send(address.address, 'another')).rejects.toMatchObject({ responseCode: 550 });
});
