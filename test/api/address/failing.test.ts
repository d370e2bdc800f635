/** Failing addresses in the API. */
import { expect, test } from 'vitest';

import { until } from '../../support/until.ts';
import { openStream } from '../stream/event-source.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(
  startInProcess({ FAILING_AFTER: '200ms', RETRY_SCHEDULE: '100ms,200ms,200ms' }),
);

const shown = async (id: string) => (await whole.api.ask('GET', `/v1/addresses/${id}`)).body;
const recoveries = async (id: string) => {
  const { body } = await whole.api.ask('GET', '/v1/usage/events?event_type=address.recovered');
  return (body.data as { address_id: string }[]).filter(({ address_id }) => address_id === id);
};
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

  await using stream = await openStream(whole.api);
  await stream.nth('stream.ready');
  await whole.send(address, 'works');
  await until('the end of it', async () => (await shown(id)).is_failing === false);
  expect(await shown(id)).toMatchObject({ failing_since: null });
  expect((await stream.nth('address.recovered')).data.address_id).toBe(id);
  expect(await recoveries(id)).toMatchObject([{ address_id: id, data: { reason: 'delivered' } }]);
});

test('is disabled, at RCPT too, only if the account settings say so', async () => {
  await accounts().updateOne(
    { _id: whole.api.account.id },
    { $set: { 'settings.disable_failing_addresses': true } },
  );
  const { id, address } = await whole.address('/hopeless');
  whole.pipeline.receiver.answer('/hopeless', () => 503);
  await whole.send(address, 'hopeless');
  let accepted = 1;
  await until('the address to be disabled', async () => (await shown(id)).is_enabled === false);
  await until('a refusal at RCPT', () =>
    whole.send(address, 'refused').then(
      () => void accepted++,
      (error: unknown) => String(error).includes('5.2.1'),
    ),
  );
  expect(await shown(id)).toMatchObject({ is_failing: true });
  await until('the last attempt of its emails', async () => {
    const { body } = await whole.api.ask('GET', `/v1/deliveries?address_id=${id}`);
    const failed = (body.data as { status: string }[]).filter(({ status }) => status === 'failed');
    return failed.length === accepted; // one that fails later would disable it again
  });

  await whole.api.ask('PATCH', `/v1/addresses/${id}`, { body: { is_enabled: true } });
  expect(await shown(id)).toMatchObject({
    is_enabled: true,
    is_failing: false,
    failing_since: null,
  });
  expect(await recoveries(id)).toMatchObject([
    { data: { reason: 'changed', token_id: expect.any(String) as string } },
  ]);
});
