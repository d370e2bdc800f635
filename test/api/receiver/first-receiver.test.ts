/** The first receiver of an address has what a further one has, or no URL: the calls, and its email. */
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { noticeCertificates } from '../../../services/api/notification/certificate-sweep.ts';
import { createStores } from '../../../services/adapters/mongo/stores.ts';
import { signatureHolds } from '../../support/receiver.ts';
import type { Answer } from '../../support/start-api.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess({ RETRY_SCHEDULE: '1h' }));

type Item = { event_id: string; receiver_id: string; status: string; outcome: string | null };

/** An account of its own with an address. All answers are kept. */
async function owner(fields: object) {
  const { id: accountId } = await whole.api.newAccount();
  const { token } = await whole.api.issue({ accountId });
  const answers: Answer[] = [];
  const ask = async (method: string, url: string, body?: object): Promise<Answer> => {
    const answer = await whole.api.ask(method, url, { token, ...(body && { body }) });
    answers.push(answer);
    return answer;
  };
  const created = await ask('POST', '/v1/addresses', fields);
  expect(created.status).toBe(201);
  const address = created.body as { id: string; address: string; webhook_secret: string | null };
  const one = `/v1/addresses/${address.id}`;
  return {
    ask,
    answers,
    created: created.body,
    address,
    one,
    first: `${one}/receivers/${address.id}`,
    ended: (count: number) =>
      until(`${count} ended deliveries`, async () => {
        const { data } = (await ask('GET', `/v1/deliveries?address_id=${address.id}`)).body;
        const ended = (data as Item[]).filter(({ status }) => status !== 'pending');
        return ended.length === count ? ended : undefined;
      }),
  };
}

const url = (path: string) => whole.pipeline.receiver.url(path);
const BASIC = { basic: { username: 'inlet', password: 'pass-of-the-gateway' } };
const NO_AUTH = { headers: [], basic: null, oauth2: null, client_certificate: null };

describe('what a receiver has', () => {
  test('HTTP Basic of the URL, headers of CloudEvents and a filter, and no answer shows the password', async () => {
    const { ask, answers, created, address, one, first, ended } = await owner({
      webhook_url: url('/first').replace('//', '//inlet:pass-of-the-gateway@'),
      format: 'cloudevents',
      when: 'subject == "wanted"',
    });
    const settings = {
      auth: { ...NO_AUTH, basic: { username: 'inlet' } },
      format: 'cloudevents',
      when: 'subject == "wanted"',
    };
    expect(created).toMatchObject(settings);
    expect((await ask('GET', one)).body).toMatchObject(settings);
    expect((await ask('GET', first)).body).toMatchObject({ ...settings, url: url('/first') });
    await whole.send(address.address, 'other');
    await whole.send(address.address, 'wanted');
    const webhook = await whole.pipeline.receiver.nth('/first', 1);
    expect(webhook.payload.headers.subject).toBe('wanted');
    expect(webhook.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('inlet:pass-of-the-gateway').toString('base64')}`,
      'ce-subject': address.address,
    });
    expect(signatureHolds(webhook, String(address.webhook_secret))).toBe(true);
    expect((await ended(2)).map(({ status, outcome }) => [status, outcome])).toEqual([
      ['delivered', 'accepted'],
      ['delivered', 'filtered'],
    ]);
    await ask('GET', '/v1/usage/events');
    expect(JSON.stringify(answers)).not.toContain('of-the-gateway');
  });

  test('D49: an Ed25519 key; nothing shows the private key', async () => {
    const { ask, answers, created, address, one, first } = await owner({
      webhook_url: url('/keyed'),
      signing: 'ed25519',
    });
    expect(created).toMatchObject({
      webhook_secret: null,
      public_key: expect.stringMatching(/^whpk_/) as string,
    });
    await whole.send(address.address, 'signed');
    const { headers, raw } = await whole.pipeline.receiver.nth('/keyed', 1);
    const keys = await fetch(`${whole.api.url}/v1/receivers/${address.id}/jwks.json`);
    const [key] = ((await keys.json()) as { keys: JsonWebKey[] }).keys;
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
    const signature = String(headers['webhook-signature']).replace(/^v1a,/, '');
    const publicKey = createPublicKey({ key: key ?? {}, format: 'jwk' });
    const bytes = Buffer.concat([Buffer.from(signed), raw]);
    expect(verify(null, bytes, publicKey, Buffer.from(signature, 'base64'))).toBe(true);
    for (const path of [`${one}/secret`, `${first}/secret`])
      expect((await ask('GET', path)).status).toBe(409);
    await ask('POST', `${one}/rotate-secret`);
    await ask('GET', one);
    const back = await ask('PATCH', one, { signing: 'hmac' });
    expect(back.body).toMatchObject({
      signing: 'hmac',
      webhook_secret: expect.stringMatching(/^whsec_/) as string,
      former_secrets_valid_until: expect.any(String) as string,
    });
    await ask('GET', '/v1/usage/events');
    expect(JSON.stringify(answers)).not.toContain('whsk_');
  });

  test('D52: OAuth 2.0 and a client certificate, whose end is announced', async () => {
    const { receiver } = whole.pipeline;
    receiver.answer('/issue', () => ({
      status: 200,
      body: JSON.stringify({ access_token: 'issued', token_type: 'Bearer' }),
    }));
    const { cert, key } = await makeCertificate(['inlet'], { isForClients: true });
    const oauth2 = { token_url: receiver.url('/issue'), client_id: 'inlet', client_secret: 's' };
    const client_certificate = { certificate: cert, private_key: key };
    const { address, created, ask } = await owner({
      webhook_url: url('/bearer'),
      auth: { oauth2, client_certificate },
    });
    await whole.send(address.address, 'with a token');
    expect((await receiver.nth('/bearer', 1)).headers.authorization).toBe('Bearer issued');
    const { auth } = created as { auth: { client_certificate: { expires_at: string } } };
    const end = Date.parse(auth.client_certificate.expires_at);
    await noticeCertificates(createStores(whole.api.mongo.db), new Date(end - 86_400_000));
    const { data } = (await ask('GET', '/v1/usage/events?event_type=receiver.certificate_expiring'))
      .body as { data: object[] };
    expect(data).toEqual([
      expect.objectContaining({
        address_id: address.id,
        data: expect.objectContaining({ receiver_id: address.id }) as object,
      }),
    ]);
  });

  test('its settings are refused as those of a further one', async () => {
    const { ask, one, first } = await owner({ webhook_url: url('/checked'), auth: BASIC });
    const oauth2 = { token_url: 'https://10.0.0.1/', client_id: 'a', client_secret: 'b' };
    for (const path of [one, first]) {
      expect(await ask('PATCH', path, { auth: { oauth2 } })).toMatchObject({
        status: 422,
        body: { details: { field: 'auth.oauth2.token_url', code: 'not_public' } },
      });
      expect(await ask('PATCH', path, { when: 'subject ==' })).toMatchObject({
        status: 422,
        body: { details: { field: 'when' } },
      });
    }
    // D51: who may change a URL must not get the password
    const elsewhere = 'https://elsewhere.example.com/';
    expect((await ask('PATCH', one, { webhook_url: elsewhere })).status).toBe(409);
    expect((await ask('PATCH', first, { url: elsewhere })).status).toBe(409);
    expect((await ask('PATCH', one, { webhook_url: null })).body).toMatchObject({
      webhook_url: null,
    });
    expect((await ask('PATCH', one, { webhook_url: elsewhere })).status).toBe(409);
    const moved = { webhook_url: elsewhere, auth: null };
    expect((await ask('PATCH', one, moved)).body).toMatchObject(moved);
    expect(await ask('POST', '/v1/addresses', {})).toMatchObject({
      status: 422,
      body: { details: { field: 'webhook_url', code: 'required' } }, // spec 7
    });
  });

  test('PATCH of the receiver changes the address; equal values change nothing (D29)', async () => {
    const { ask, one, first } = await owner({ webhook_url: url('/same') });
    const change = { url: url('/other'), when: 'size_bytes > 0', auth: BASIC };
    const changed = (await ask('PATCH', first, change)).body;
    expect(changed).toMatchObject({ url: url('/other'), when: 'size_bytes > 0' });
    expect((await ask('GET', one)).body).toMatchObject({ webhook_url: url('/other') });
    const events = async () => {
      const answer = await ask('GET', '/v1/usage/events?event_type=address.updated');
      return (answer.body as { data: { data: object }[] }).data.map(({ data }) => data);
    };
    expect(await events()).toMatchObject([
      { changed: { webhook_url: url('/other'), auth: { basic: { username: 'inlet' } } } },
    ]);
    await ask('PATCH', first, { ...change, format: 'inlet', signing: 'hmac', is_enabled: true });
    await ask('PATCH', one, { webhook_enabled: true, when: 'size_bytes > 0' });
    expect((await ask('GET', first)).body).toEqual(changed);
    expect(await events()).toHaveLength(1);
    // only the password differs
    await ask('PATCH', first, { auth: { basic: { ...BASIC.basic, password: 'another' } } });
    expect(await events()).toHaveLength(2);
    expect((await ask('DELETE', first)).status).toBe(409);
    const more = await ask('POST', `${one}/receivers`, { url: url('/more') });
    expect(
      await ask('PATCH', `${one}/receivers/${String(more.body.id)}`, { url: null }),
    ).toMatchObject({ status: 422, body: { details: { field: 'url' } } });
  });

  test('switched off alone: further receivers get the email, and it can be read', async () => {
    const { ask, address, one, first, ended } = await owner({ webhook_url: url('/off') });
    await ask('POST', `${one}/receivers`, { url: url('/on') });
    expect((await ask('PATCH', first, { is_enabled: false })).body).toMatchObject({
      is_enabled: false,
    });
    expect((await ask('GET', one)).body).toMatchObject({
      is_enabled: true,
      webhook_enabled: false,
    });
    await whole.send(address.address, 'for the other');
    await whole.pipeline.receiver.nth('/on', 1);
    const found = await ended(2);
    expect(found.find(({ receiver_id }) => receiver_id === address.id)).toMatchObject({
      status: 'delivered',
      outcome: 'disabled',
    });
    expect(whole.pipeline.receiver.received('/off')).toEqual([]);
    await ask('PATCH', one, { webhook_enabled: true });
    await whole.send(address.address, 'for both');
    await whole.pipeline.receiver.nth('/off', 1);
  });
});

describe('an address without a URL', () => {
  test('its email is stored, counted and read; a replay sends it when there is a URL', async () => {
    const { ask, created, address, one, first, ended } = await owner({ webhook_url: null });
    expect(created).toMatchObject({ webhook_url: null, is_enabled: true });
    expect((await ask('GET', first)).body).toMatchObject({ url: null, is_enabled: true });
    expect((await ask('GET', '/v1/addresses')).body.data).toMatchObject([{ webhook_url: null }]);
    await whole.send(address.address, 'only read');
    const [item] = await ended(1);
    const event = `/v1/deliveries/${String(item?.event_id)}`;
    expect((await ask('GET', event)).body).toMatchObject({
      status: 'delivered',
      outcome: 'no_url',
      attempts: [],
      attempt_count: 0,
      next_attempt_at: null,
    });
    expect((await ask('GET', `${event}/payload`)).body).toMatchObject({
      headers: { subject: 'only read' },
    });
    const { data } = (await ask('GET', '/v1/usage/events')).body as { data: { type: string }[] };
    expect(data.map(({ type }) => type)).toEqual(['email.received', 'address.created']);
    expect((await ask('GET', '/v1/usage')).body).toMatchObject({
      emails: { total: 1, successful: 1, failed: 0 },
      success_rate: 100,
    });
    expect((await ask('GET', one)).body).toMatchObject({ email_count: 1, failing_since: null });
    for (const path of [`${one}/test`, `${first}/test`])
      expect((await ask('POST', path)).status).toBe(409);
    // a replay sends nothing, but a program that reads the stream sees it
    const unsent = { status: 'delivered', outcome: 'no_url', attempt_count: 0 };
    expect(await ask('POST', `${event}/replay`)).toMatchObject({ status: 200, body: unsent });
    const replayed = await ask('GET', '/v1/usage/events?event_type=delivery.replayed');
    expect(replayed.body.data).toMatchObject([{ data: { event_id: item?.event_id } }]);

    await ask('PATCH', first, { url: url('/later') });
    expect((await ask('POST', `${event}/replay`)).status).toBe(200);
    const webhook = await whole.pipeline.receiver.nth('/later', 1);
    expect(webhook.payload.event_id).toBe(item?.event_id);
    await until('the outcome', async () => {
      const { body } = await ask('GET', event);
      return body.outcome === 'accepted' ? body : undefined;
    });
    expect((await ask('GET', '/v1/usage')).body).toMatchObject({
      emails: { total: 1, successful: 1 },
    });
  });

  test('an email is waited for as any other', async () => {
    const { ask, address } = await owner({ webhook_url: null });
    const waiting = ask('GET', `/v1/deliveries/wait?address_id=${address.id}&timeout=30`);
    await whole.send(address.address, 'awaited');
    expect((await waiting).body).toMatchObject({ subject: 'awaited', status: 'delivered' });
  });

  test('emails that wait for a retry when the URL goes are stored, and no longer tried', async () => {
    const { receiver } = whole.pipeline;
    receiver.answer('/gone', () => ({ status: 503 }));
    const { ask, address, one, ended } = await owner({ webhook_url: url('/gone') });
    await whole.send(address.address, 'waits');
    const [item] = await ended(1);
    expect(item).toMatchObject({ status: 'retrying' });
    await ask('PATCH', one, { webhook_url: null });
    await ask('POST', `/v1/deliveries/${String(item?.event_id)}/retry`);
    const stored = await until('the end', async () => {
      const { body } = await ask('GET', `/v1/deliveries/${String(item?.event_id)}`);
      return body.status === 'delivered' ? body : undefined;
    });
    expect(stored).toMatchObject({ outcome: 'no_url', attempt_count: 1 });
    expect((await ask('GET', one)).body).toMatchObject({ failing_since: null, is_failing: false });
  });
});
