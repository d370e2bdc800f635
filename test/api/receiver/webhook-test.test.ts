/** POST /addresses/{id}/test: one sample webhook, signed and guarded like any other. */
import { expect, test } from 'vitest';

import { VERSION } from '../../../services/core/version.ts';
import { WebhookTestView } from '../../../services/api/receiver/webhook-tests.ts';
import { signatureHolds } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { startTestApi } from '../../support/start-api.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess({ WEBHOOK_TIMEOUT: '2s' }));

const tryOut = (id: string, ask = {}) => whole.api.ask('POST', `/v1/addresses/${id}/test`, ask);

test('the receiver gets a signed sample that is marked as a test, and its response is returned', async () => {
  const { id, webhook_secret } = await whole.address('/sample');
  whole.pipeline.receiver.answer('/sample', () => ({ status: 202, body: 'thanks' }));
  const { status, body } = await tryOut(id);
  expect([status, WebhookTestView.strict().parse(body)]).toEqual([
    200,
    {
      event_id: expect.stringMatching(/^evt_/) as string,
      outcome: 'accepted',
      status_code: 202,
      latency_ms: expect.any(Number) as number,
      error: null,
      excerpt: 'thanks',
      location: null,
    },
  ]);
  const webhook = await whole.pipeline.receiver.nth('/sample', 1);
  expect(webhook.payload).toMatchObject({
    event_id: body.event_id,
    address_id: id,
    is_test: true,
    metadata: { retry_count: 0 },
  });
  expect(webhook.headers).toMatchObject({
    'webhook-id': body.event_id,
    'content-type': 'application/json',
    'user-agent': `Inlet/${VERSION}`,
  });
  expect(signatureHolds(webhook, webhook_secret)).toBe(true);
});

test('no credential of the receiver is in the result, however the receiver repeats it', async () => {
  const auth = {
    headers: { 'X-Api-Key': 'key-of-the-receiver' },
    basic: { username: 'ann', password: 'word-of-ann' },
  };
  const { id } = await whole.address('/main');
  const receivers = `/v1/addresses/${id}/receivers`;
  const receiver = await whole.api.ask('POST', receivers, {
    body: { url: whole.pipeline.receiver.url('/echo'), auth },
  });
  whole.pipeline.receiver.answer('/echo', (_, { headers }) => {
    const { authorization = '', 'x-api-key': key } = headers;
    const decoded = Buffer.from(authorization.slice(6), 'base64').toString();
    const query = new URLSearchParams({ authorization, decoded, key: String(key) });
    const body = `${authorization} ${decoded} ${String(key)}`;
    return { status: 302, headers: { location: `https://login.example/?${String(query)}` }, body };
  });
  const { body } = await whole.api.ask('POST', `${receivers}/${String(receiver.body.id)}/test`);
  expect(body).toMatchObject({ excerpt: '*** *** ***', status_code: 302 });
  expect(body.location).toBe('https://login.example/?authorization=***&decoded=***&key=***');
});

test('D17: during the overlap of a rotation, both secrets sign it', async () => {
  const { id, webhook_secret: former } = await whole.address('/overlapping');
  const secret = String(
    (await whole.api.ask('POST', `/v1/addresses/${id}/rotate-secret`)).body.webhook_secret,
  );
  await tryOut(id);
  const webhook = await whole.pipeline.receiver.nth('/overlapping', 1);
  expect([signatureHolds(webhook, secret), signatureHolds(webhook, former)]).toEqual([true, true]);
});

test.each([
  [
    'refuses',
    { status: 401, body: 'who?' },
    { outcome: 'refused', status_code: 401, excerpt: 'who?', error: null },
  ],
  ['is busy', { status: 503 }, { outcome: 'busy', status_code: 503, excerpt: null, error: null }],
  [
    'does not answer',
    () => undefined,
    {
      outcome: 'unreachable',
      status_code: null,
      error: expect.stringContaining('no response within') as string,
    },
  ],
])('a receiver that %s is called once and reported', async (name, answer, report) => {
  const path = `/told/${encodeURIComponent(name)}`;
  const { id } = await whole.address(path);
  whole.pipeline.receiver.answer(path, () => answer);
  expect(await tryOut(id)).toMatchObject({ status: 200, body: report });
  expect(whole.pipeline.receiver.received(path)).toHaveLength(1);
});

test('a target that is not public is not called', async () => {
  const { id } = await whole.address('/inward');
  await whole.api.mongo.db
    .collection<{ _id: string }>('addresses')
    .updateOne({ _id: id }, { $set: { webhook_url: 'https://10.0.0.1/' } });
  expect(await tryOut(id)).toMatchObject({
    status: 200,
    body: {
      outcome: 'blocked',
      status_code: null,
      error: expect.stringContaining('private') as string,
    },
  });
});

test('a name that resolves to a private address looks like one that does not resolve', async () => {
  await using api = await startTestApi();
  const results = [];
  for (const webhook_url of ['https://localhost/', 'https://no-such-name.invalid/']) {
    const { id } = await api.store({ webhook_url });
    const { body } = await api.ask('POST', `/v1/addresses/${id}/test`);
    const { event_id: _, latency_ms: __, error, ...seen } = body;
    results.push({ ...seen, error: String(error).replace(new URL(webhook_url).hostname, 'HOST') });
  }
  expect(results[0]).toEqual(results[1]);
  expect(results[0]).toMatchObject({
    outcome: 'unreachable',
    error: 'HOST does not resolve to a public address',
  });
});

test('it is neither recorded as a delivery nor counted', async () => {
  const { id } = await whole.address('/uncounted');
  const { event_id } = (await tryOut(id)).body;
  expect((await whole.api.ask('GET', `/v1/deliveries/${String(event_id)}`)).status).toBe(404);
  expect((await whole.api.ask('GET', `/v1/deliveries?address_id=${id}`)).body).toMatchObject({
    pagination: { total: 0 },
  });
  expect((await whole.api.ask('GET', `/v1/addresses/${id}`)).body).toMatchObject({
    email_count: 0,
    failing_since: null,
  });
});

test('a disabled address can be tested before it is enabled again', async () => {
  const { id } = await whole.address('/disabled');
  await whole.api.ask('PATCH', `/v1/addresses/${id}`, { body: { is_enabled: false } });
  expect((await tryOut(id)).body).toMatchObject({ outcome: 'accepted' });
});

test('D5: unknown and deleted addresses are 404', async () => {
  const { id } = await whole.address('/deleted');
  expect((await tryOut('addr_none')).status).toBe(404);
  await whole.api.ask('DELETE', `/v1/addresses/${id}`);
  expect((await tryOut(id)).status).toBe(404);
  expect(whole.pipeline.receiver.received('/deleted')).toHaveLength(0);
});

test('an account can have at most five test webhooks in flight', async () => {
  const { id } = await whole.address('/slow');
  whole.pipeline.receiver.answer('/slow', () => () => undefined);
  const answers = await Promise.all(Array.from({ length: 8 }, () => tryOut(id)));
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
  await until('a free place', async () => (await tryOut(id)).status === 200);
});
