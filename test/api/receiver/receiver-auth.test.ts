/** Authentication to a further receiver: what is sent with its webhooks, and what nobody sees. */
import { expect, test } from 'vitest';

import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess({}));

const AUTH = {
  headers: { 'X-Api-Key': 'key-of-the-gateway' },
  basic: { username: 'inlet', password: 'pass-of-the-gateway' },
};
const NONE = { headers: [], basic: null, oauth2: null, client_certificate: null };
const VIEW = { ...NONE, headers: ['X-Api-Key'], basic: { username: 'inlet' } };
const SENT = {
  'x-api-key': 'key-of-the-gateway',
  authorization: `Basic ${Buffer.from('inlet:pass-of-the-gateway').toString('base64')}`,
};

async function owner(path: string) {
  const { api, pipeline } = whole;
  const { id: accountId } = await api.newAccount();
  const { token } = await api.issue({ accountId });
  const ask = (method: string, url: string, body?: object) =>
    api.ask(method, url, { token, ...(body && { body }) });
  const created = await ask('POST', '/v1/addresses', { webhook_url: pipeline.receiver.url(path) });
  const address = created.body as { id: string; address: string };
  const receivers = `/v1/addresses/${address.id}/receivers`;
  const made = await ask('POST', receivers, {
    url: pipeline.receiver.url(`${path}-more`),
    auth: AUTH,
  });
  expect(made.status).toBe(201);
  return { ask, address, made, one: `${receivers}/${String(made.body.id)}` };
}

test('small and large webhooks and tests have it, and those of the address do not', async () => {
  const { ask, address, one } = await owner('/sent');
  const { mailer, receiver } = whole.pipeline;
  await whole.send(address.address, 'small');
  expect((await receiver.nth('/sent-more', 1)).headers).toMatchObject(SENT);
  const content = Buffer.alloc(600_000, 'large');
  await mailer.sendMail({ to: address.address, from: 'a@b.example', attachments: [{ content }] });
  expect((await receiver.nth('/sent-more', 2)).headers).toMatchObject(SENT);
  await ask('POST', `${one}/test`);
  expect((await receiver.nth('/sent-more', 3)).headers).toMatchObject(SENT);
  const { headers } = await receiver.nth('/sent', 2);
  expect(Object.keys(headers).filter((name) => name in SENT)).toEqual([]);
});

test('no response, event or document has the secrets', async () => {
  const { ask, made, one } = await owner('/unseen');
  const replaced = await ask('PATCH', one, { auth: AUTH });
  const shown = await ask('GET', one);
  for (const { body } of [made, replaced, shown]) expect(body.auth).toEqual(VIEW);
  const [list, events] = [await ask('GET', one.slice(0, one.lastIndexOf('/'))), '/v1/usage/events'];
  const db = whole.api.mongo.db.collection<{ _id: string }>('receivers');
  const stored = await db.findOne({ _id: String(made.body.id) });
  expect(stored).toMatchObject({ sealed_auth: expect.any(String) as string });
  const all = JSON.stringify([made, replaced, shown, list, await ask('GET', events), stored]);
  expect(all).not.toContain('of-the-gateway');
});

test('a change replaces the whole, null removes it, and other changes keep it', async () => {
  const { ask, made, one } = await owner('/changed');
  const authNow = async (change: object) => (await ask('PATCH', one, change)).body.auth;
  expect(await authNow({ description: 'same' })).toEqual(VIEW);
  expect(await authNow({ auth: { headers: { Authorization: 'Bearer t' } } })).toEqual({
    ...NONE,
    headers: ['Authorization'],
  });
  await ask('POST', `${one}/test`);
  const { headers } = await whole.pipeline.receiver.nth('/changed-more', 1);
  expect(headers).toMatchObject({ authorization: 'Bearer t' });
  expect(headers).not.toHaveProperty('x-api-key');
  expect(await authNow({ auth: null })).toBeNull();
  const stored = whole.api.mongo.db.collection<{ _id: string }>('receivers');
  expect(await stored.findOne({ _id: String(made.body.id) })).toMatchObject({ sealed_auth: null });
});

test('D51: a URL on another host or port needs auth in the same request', async () => {
  const { ask, one } = await owner('/moved');
  const elsewhere = { url: 'https://elsewhere.example.com/' };
  expect((await ask('PATCH', one, elsewhere)).status).toBe(409);
  const path = { url: whole.pipeline.receiver.url('/another-path') };
  expect((await ask('PATCH', one, path)).body).toMatchObject({ ...path, auth: VIEW });
  expect((await ask('PATCH', one, { ...elsewhere, auth: null })).body).toMatchObject(elsewhere);
});

test('a refusal names the field and not its value', async () => {
  const { ask, one } = await owner('/refused');
  const headers = { Host: 'value-of-the-caller' };
  const refused = await ask('PATCH', one, { auth: { headers } });
  expect(refused).toMatchObject({ status: 422, body: { details: { field: 'auth.headers' } } });
  expect(JSON.stringify(refused.body)).not.toContain('value-of-the-caller');
  const two = { headers: { authorization: 'x' }, basic: AUTH.basic };
  expect(await ask('PATCH', one, { auth: two })).toMatchObject({
    status: 422,
    body: { details: { field: 'auth', code: 'conflict' } },
  });
});

test('D52: a bearer token and a client certificate, for small and large webhooks and tests', async () => {
  const { ask, address, one } = await owner('/token');
  const { mailer, receiver } = whole.pipeline;
  receiver.answer('/oauth', () => ({
    status: 200,
    body: JSON.stringify({ access_token: 'issued-of-the-gateway', token_type: 'Bearer' }),
  }));
  const { cert, key } = await makeCertificate(['inlet'], { isForClients: true });
  const oauth2 = {
    token_url: receiver.url('/oauth'),
    client_id: 'inlet',
    client_secret: 'secret-of-the-gateway',
  };
  const client_certificate = { certificate: cert, private_key: key };
  const changed = await ask('PATCH', one, { auth: { oauth2, client_certificate } });
  expect(changed.body.auth).toEqual({
    ...NONE,
    oauth2: {
      token_url: oauth2.token_url,
      client_id: 'inlet',
      scope: null,
      audience: null,
      client_auth: 'basic',
    },
    client_certificate: {
      subject: 'CN=inlet',
      fingerprint_sha256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/) as string,
      expires_at: expect.stringMatching(/^20\d\d-.*Z$/) as string,
    },
  });
  await whole.send(address.address, 'small');
  await receiver.nth('/token-more', 1);
  const content = Buffer.alloc(600_000, 'large');
  await mailer.sendMail({ to: address.address, from: 'a@b.example', attachments: [{ content }] });
  await receiver.nth('/token-more', 2);
  expect((await ask('POST', `${one}/test`)).body).toMatchObject({ outcome: 'accepted' });
  const hooks = receiver.received('/token-more').map(({ headers }) => headers.authorization);
  expect(hooks).toEqual(
    ['Bearer', 'Bearer', 'Bearer'].map((kind) => `${kind} issued-of-the-gateway`),
  );
  expect(receiver.received('/oauth')).toHaveLength(2); // of the dispatcher and of the API
  const all = JSON.stringify([
    changed,
    await ask('GET', one),
    await ask('GET', '/v1/usage/events'),
  ]);
  for (const secret of ['of-the-gateway', 'PRIVATE KEY']) expect(all).not.toContain(secret);
});

test('the token URL and the certificate are checked, and a refusal shows no secret', async () => {
  const { ask, one } = await owner('/checked');
  const oauth2 = { client_id: 'inlet', client_secret: 'secret-of-the-caller' };
  for (const [token_url, code] of [
    ['https://10.0.0.1/token', 'not_public'],
    ['http://login.example.com/', 'not_https'],
  ])
    expect(await ask('PATCH', one, { auth: { oauth2: { ...oauth2, token_url } } })).toMatchObject({
      status: 422,
      body: { details: { field: 'auth.oauth2.token_url', code } },
    });
  const pair = { certificate: 'none', private_key: 'secret-of-the-caller' };
  const refused = await ask('PATCH', one, { auth: { client_certificate: pair } });
  expect(refused).toMatchObject({
    status: 422,
    body: { details: { field: 'auth.client_certificate.certificate' } },
  });
  expect(JSON.stringify(refused.body)).not.toContain('secret-of-the-caller');
});

test('user name and password of a URL become auth.basic, at each call that has a URL', async () => {
  const { ask, address, one } = await owner('/of-url');
  const url = 'https://a%40b:p%C3%A4ss%3A-of-the-gateway@example.com/hook?a=b@c';
  const calls: [string, string, object][] = [
    ['POST', '/v1/addresses', { webhook_url: url }],
    ['PATCH', `/v1/addresses/${address.id}`, { webhook_url: url, auth: null }],
    ['POST', `/v1/addresses/${address.id}/receivers`, { url }],
    ['PATCH', one, { url }],
  ];
  for (const [method, path, body] of calls) {
    const answer = await ask(method, path, body);
    expect(answer.body, `${method} ${path}`).toMatchObject({
      auth: { basic: { username: 'a@b' } },
    });
    const shown = String(answer.body.url ?? answer.body.webhook_url);
    expect(shown).toBe('https://example.com/hook?a=b@c');
    expect(JSON.stringify(answer.body)).not.toContain('of-the-gateway');
  }
  const sent = {
    url: url.replace(/example.com.*/, `${new URL(whole.pipeline.receiver.url('/')).host}/url-auth`),
  };
  await ask('PATCH', one, sent);
  await ask('POST', `${one}/test`);
  const { headers } = await whole.pipeline.receiver.nth('/url-auth', 1);
  const basic = Buffer.from('a@b:päss:-of-the-gateway').toString('base64');
  expect(headers).toMatchObject({ authorization: `Basic ${basic}` });
});
