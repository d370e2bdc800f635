/** Receivers that verify with a public key: its calls, its rotation, and the webhooks (D49). */
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';

import { signatureHolds, type Webhook } from '../../support/receiver.ts';
import type { Answer } from '../../support/start-api.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess({}));

type Made = { id: string; webhook_secret: string | null; public_key: string };

/** An address, and calls on a further receiver of it. All answers are kept. */
async function owner(path: string) {
  const { id: accountId } = await whole.api.newAccount();
  const { token } = await whole.api.issue({ accountId });
  const answers: Answer[] = [];
  const ask = async (method: string, url: string, body?: object): Promise<Answer> => {
    const answer = await whole.api.ask(method, url, { token, ...(body && { body }) });
    answers.push(answer);
    return answer;
  };
  const { receiver } = whole.pipeline;
  const created = await ask('POST', '/v1/addresses', { webhook_url: receiver.url(`${path}-own`) });
  const address = created.body as { id: string; address: string };
  const receivers = `/v1/addresses/${address.id}/receivers`;
  const add = async (fields: object): Promise<Made> =>
    (await ask('POST', receivers, { url: receiver.url(path), ...fields })).body as Made;
  return { ask, answers, address, receivers, add };
}

const keysOf = (id: string) => fetch(`${whole.api.url}/v1/receivers/${id}/jwks.json`);
type Key = JsonWebKey & { kid: string };
const listedKeys = async (id: string) =>
  ((await (await keysOf(id)).json()) as { keys: Key[] }).keys;

/** Whether a key of the set verifies a `v1a` of the webhook. */
const holds = ({ headers, raw }: Webhook, key: Key): boolean => {
  const [id, t, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  const message = Buffer.concat([Buffer.from(`${id}.${t}.`), raw]);
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return (signatures ?? '')
    .split(' ')
    .filter((one) => one.startsWith('v1a,'))
    .some((one) => verify(null, message, publicKey, Buffer.from(one.slice(4), 'base64')));
};

test('D49: its key signs small and large email and tests; the private key is never shown', async () => {
  const { ask, answers, address, receivers, add } = await owner('/keyed');
  const one = await add({ signing: 'ed25519' });
  expect(one).toMatchObject({
    signing: 'ed25519',
    webhook_secret: null,
    public_key: expect.stringMatching(/^whpk_/) as string,
  });
  await whole.send(address.address, 'small');
  await whole.pipeline.receiver.nth('/keyed', 1);
  await whole.pipeline.mailer.sendMail({
    from: 'ann@sender.example',
    to: address.address,
    text: 'x\n'.repeat(1_500_000),
  });
  await whole.pipeline.receiver.nth('/keyed', 2);
  expect((await ask('POST', `${receivers}/${one.id}/test`)).body).toMatchObject({
    outcome: 'accepted',
  });
  const [key] = await listedKeys(one.id);
  const hooks = whole.pipeline.receiver.received('/keyed');
  expect(hooks).toHaveLength(3);
  for (const hook of hooks) {
    expect(hook.headers).not.toHaveProperty('svc-signature');
    expect(key && holds(hook, key)).toBe(true);
  }
  await until('records of both', async () => {
    const { data } = (await ask('GET', `/v1/deliveries?receiver_id=${one.id}`)).body;
    return (data as unknown[]).length === 2;
  });
  for (const { payload } of hooks.slice(0, 2)) {
    const signed = await ask('POST', `/v1/deliveries/${payload.event_id}/signature`);
    expect(signed.body.headers).toMatchObject({
      'webhook-signature': expect.stringMatching(/^v1a,/) as string,
    });
  }
  expect((await ask('GET', `${receivers}/${one.id}/secret`)).status).toBe(409);
  await ask('POST', `${receivers}/${one.id}/rotate-secret`);
  await ask('GET', receivers);
  await ask('GET', '/v1/usage/events');
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain('whsk_');
});

test('D17: after a rotation, and after a change of the method, the former one signs, too', async () => {
  const { ask, receivers, add } = await owner('/changed');
  const one = await add({});
  const url = `${receivers}/${one.id}`;
  expect(await keysOf(one.id)).toMatchObject({ status: 404 });
  const changed = (await ask('PATCH', url, { signing: 'ed25519', description: 'x' })).body;
  expect(changed).toMatchObject({ signing: 'ed25519', description: 'x' });
  expect(changed.former_secrets_valid_until).not.toBeNull();
  const [first] = await listedKeys(one.id);
  await ask('POST', `${url}/test`);
  const mixed = await whole.pipeline.receiver.nth('/changed', 1);
  expect([first && holds(mixed, first), signatureHolds(mixed, one.webhook_secret ?? '')]).toEqual([
    true,
    true,
  ]);

  const rotated = (await ask('POST', `${url}/rotate-secret`)).body;
  expect(rotated).toMatchObject({ signing: 'ed25519', webhook_secret: null });
  expect(rotated.public_key).not.toBe(changed.public_key);
  const keys = await listedKeys(one.id);
  expect([keys.length, keys[1]]).toEqual([2, first]);
  await ask('POST', `${url}/test`);
  const both = await whole.pipeline.receiver.nth('/changed', 2);
  expect(keys.map((key) => holds(both, key))).toEqual([true, true]);

  // the same method again rotates nothing
  expect((await ask('PATCH', url, { signing: 'ed25519' })).body).toMatchObject({
    public_key: rotated.public_key,
  });
  expect((await ask('PATCH', url, { signing: 'hmac' })).body).toMatchObject({ public_key: null });
  expect((await ask('GET', `${url}/secret`)).body).toMatchObject({
    webhook_secret: expect.stringMatching(/^whsec_/) as string,
  });
});

test('anyone can get the keys, also of a deleted receiver (D8), but of nothing else', async () => {
  const { ask, address, receivers, add } = await owner('/open');
  const one = await add({ signing: 'ed25519' });
  await ask('DELETE', `${receivers}/${one.id}`);
  const response = await keysOf(one.id);
  expect([response.status, response.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=300',
  ]);
  const known = { 'if-none-match': response.headers.get('etag') ?? '' };
  const again = await fetch(response.url, { headers: known });
  expect(again.status).toBe(304);
  for (const id of [address.id, 'rcv_00000000000000000000000000', 'ntf_1', '..%2f']) {
    const other = await keysOf(id);
    expect([other.status, other.headers.get('cache-control')]).toEqual([404, 'no-store']);
  }
});

test('one source can ask 60 times a minute', async () => {
  await using other = await startInProcess({});
  const ask = () => fetch(`${other.api.url}/v1/receivers/rcv_unknown/jwks.json`);
  for (let i = 0; i < 60; i++) expect((await ask()).status).toBe(404);
  const refused = await ask();
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
});
