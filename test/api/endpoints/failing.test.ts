/** Failing addresses in the API. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { until } from '../../support/until.ts';
import { startWholeSystem, type WholeSystem } from '../whole-system.ts';

let whole: WholeSystem;
beforeAll(async () => {
  whole = await startWholeSystem({ FAILING_AFTER: '200ms', RETRY_SCHEDULE: '100ms,200ms,200ms' });
});
afterAll(() => whole[Symbol.asyncDispose]());

const shown = async (id: string) => (await whole.api.ask('GET', `/v1/addresses/${id}`)).body;
const accounts = () => whole.api.mongo.db.collection<{ _id: string }>('accounts');

test('is marked as failing with one event, and stays enabled; an accepted webhook clears the mark', async () => {
  const { id, address } = await whole.address('/fails');
  whole.pipeline.receiver.answer('/fails', (count) => (count <= 4 ? 503 : 200));
  await whole.send(address, 'fails');
  const body = await until('the mark', async () => {
    const now = await shown(id);
    return now.is_failing === true ? now : undefined;
  });
  expect(body).toMatchObject({
    is_failing: true,
    failing_since: expect.stringMatching(/Z$/) as string,
    is_enabled: true,
  });
  const { body: page } = await whole.api.ask('GET', '/v1/addresses');
  expect(Object.keys((page.data as object[])[0] ?? {})).not.toContain('is_failing');
  expect(
    await whole.api.mongo.db
      .collection('events')
      .find({ address_id: id, type: 'address.failing' })
      .toArray(),
  ).toMatchObject([
    { type: 'address.failing', account_id: whole.api.account.id, environment: 'live' },
  ]);

  await whole.send(address, 'works');
  await until('the end of it', async () => (await shown(id)).is_failing === false);
  expect(await shown(id)).toMatchObject({ failing_since: null });
});

test('is disabled, at RCPT too, only if the account settings say so', async () => {
  await accounts().updateOne(
    { _id: whole.api.account.id },
    { $set: { 'settings.disable_failing_addresses': true } },
  );
  const { id, address } = await whole.address('/hopeless');
  whole.pipeline.receiver.answer('/hopeless', () => 503);
  await whole.send(address, 'hopeless');
  await until('the address to be disabled', async () => (await shown(id)).is_enabled === false);
  await expect(whole.send(address, 'refused')).rejects.toThrow('5.2.1');
  expect(await shown(id)).toMatchObject({ is_failing: true });

  await whole.api.ask('PATCH', `/v1/addresses/${id}`, { body: { is_enabled: true } });
  expect(await shown(id)).toMatchObject({
    is_enabled: true,
    is_failing: false,
    failing_since: null,
  });
});
