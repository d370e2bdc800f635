/** verifyWebhook of @inlet/client: what it accepts, and what it refuses. */
import { describe, expect, test } from 'vitest';

import { verifyNotification, verifyWebhook } from '../../docs/clients/typescript/src/inlet.ts';
import { newPrivateKey, publicKeyOf } from '../../services/core/webhook/key-pair.ts';
import { newSecret, signatureHeaders, signingKeys } from '../../services/core/webhook/signature.ts';

describe('webhooks', () => {
  const [one, other] = [1, 2].map((n) => newSecret(Buffer.alloc(32, n))) as [string, string];
  const [privateKey, otherKey] = [3, 4].map((n) => newPrivateKey(Buffer.alloc(32, n))) as [
    string,
    string,
  ];
  const publicKey = publicKeyOf(privateKey);
  const body = Buffer.from('{"event_id":"evt_1","headers":{"subject":"ünï"}}');
  const signed = (secrets: readonly string[], now = new Date()) =>
    signatureHeaders({ eventId: 'evt_1', body, keys: secrets.map(signingKeys), now });
  const without = (name: string) => ({ ...signed([one]), [name]: undefined });

  test.each([
    ['a secret', signed([one]), one],
    ['two secrets while one is rotated', signed([other, one]), one],
    ['one of two secrets', signed([one]), [other, one]],
    ['a public key', signed([privateKey]), publicKey],
    ['Headers', new Headers(signed([one])), one],
    ['upper case', { ...without('webhook-id'), 'Webhook-Id': 'evt_1' }, one],
  ])('L.5: %s', async (_, headers, secrets) => {
    expect(await verifyWebhook(body, headers, secrets)).toEqual(JSON.parse(body.toString()));
    expect(await verifyNotification(body.toString(), headers, secrets)).toMatchObject({
      event_id: 'evt_1',
    });
  });

  test.each([
    ['another secret', signed([other]), 'signature'],
    ['another key', signed([otherKey]), 'signature'],
    ['an old timestamp', signed([one], secondsAgo(310)), 'timestamp'],
    ['a future timestamp', signed([one], secondsAgo(-310)), 'timestamp'],
    ['a timestamp of words', { ...signed([one]), 'webhook-timestamp': 'now' }, 'timestamp'],
    ['an exponent', { ...signed([one]), 'webhook-timestamp': '1e9' }, 'timestamp'],
    ['another timestamp', { ...signed([one]), 'webhook-timestamp': unixTime(-5) }, 'signature'],
    ['another id', { ...signed([one]), 'webhook-id': 'evt_2' }, 'signature'],
    ['no id', without('webhook-id'), 'header'],
    ['no timestamp', without('webhook-timestamp'), 'header'],
    ['no signature', without('webhook-signature'), 'header'],
    ['no comma', { ...signed([one]), 'webhook-signature': 'v1' }, 'signature'],
    ['an empty one', { ...signed([one]), 'webhook-signature': 'v1, v1a,' }, 'signature'],
    ['no Base64', { ...signed([one]), 'webhook-signature': 'v1,!é v1a,é' }, 'signature'],
    ['many', { ...signed([one]), 'webhook-signature': 'v1a,AAAA '.repeat(9_999) }, 'signature'],
  ])('L.5: refuses %s', async (_, headers, kind) => {
    await expect(verifyWebhook(body, headers, [one, publicKey])).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      kind,
    });
  });

  test('L.5: a changed body, a body that is not JSON, and what is no secret', async () => {
    await expect(verifyWebhook(`${body.toString()} `, signed([one]), one)).rejects.toMatchObject({
      kind: 'signature',
    });
    const text = Buffer.from('x');
    const keys = [signingKeys(one)];
    const headers = signatureHeaders({ eventId: 'e', body: text, keys, now: new Date() });
    await expect(verifyWebhook(text, headers, one)).rejects.toMatchObject({ kind: 'body' });
    await expect(verifyWebhook(text, headers, 'secret')).rejects.toThrow(TypeError);
    await expect(verifyWebhook(text, headers, [])).rejects.toMatchObject({ kind: 'signature' });
  });
});

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);
const unixTime = (offset: number): string => String(Math.floor(Date.now() / 1000) + offset);
