/**
 * Signatures: the spec, the Standard Webhooks library, values from openssl (spec 5.2, D16, D17).
 */
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';

import {
  newSecret,
  signatureHeaders,
  signingKeys,
  svcSignature,
} from '../../../services/core/webhook/signature.ts';
import { fc } from '../../support/random.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const FORMER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const NOW = new Date('2025-01-01T00:00:00.999Z'); // 1735689600
/** The first `s=` of a Svc-Signature. */
const element = (headers: Record<string, string> | undefined) =>
  headers?.['svc-signature']?.split(',')[2];

const BODY = Buffer.from('{"a":1}');

test('spec 5.2: v1, whole seconds, and the lowercase hex HMAC-SHA256 keyed with the whole secret as text', () => {
  // printf '1735689600.{"a":1}' | openssl dgst -sha256 -hmac
  // 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const hex = '7ebfdf471f8ad6c6d70b64ea713d79e3c3067bf73a3d06e63456db059474e43c';
  expect(svcSignature({ body: BODY, keys: [SECRET].map(signingKeys), now: NOW })).toBe(
    `v1,t=1735689600,s=${hex}`,
  );
});

test('D16: the example of the Standard Webhooks specification', () => {
  const body = Buffer.from('{"test": 2432232314}');
  const headers = signatureHeaders({
    eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body,
    keys: [SECRET].map(signingKeys),
    now: new Date(1_614_265_330_000),
  });
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('D16: the published library accepts every body and secret that we sign', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.string({ unit: 'grapheme' }),
      fc.stringMatching(/^evt_[0-9a-z]{26}$/),
      (random, text, eventId) => {
        const secret = newSecret(random);
        const body = Buffer.from(JSON.stringify({ text }));
        const headers = signatureHeaders({
          eventId,
          body,
          keys: [secret].map(signingKeys),
          now: new Date(),
        });
        expect(new Webhook(secret).verify(body, headers)).toEqual({ text });
      },
    ),
  );
});

test('D16: the published library refuses one changed byte, another id or another secret', () => {
  const headers = signatureHeaders({
    eventId: 'evt_1',
    body: BODY,
    keys: [SECRET].map(signingKeys),
    now: new Date(),
  });
  expect(() => new Webhook(SECRET).verify('{"a":2}', headers)).toThrow(
    'No matching signature found',
  );
  expect(() => new Webhook(SECRET).verify(BODY, { ...headers, 'webhook-id': 'evt_2' })).toThrow(
    'No matching signature found',
  );
  expect(() => new Webhook(FORMER).verify(BODY, headers)).toThrow('No matching signature found');
});

test('D17: during a rotation both secrets sign, the current one first', () => {
  const request = { eventId: 'evt_1', body: BODY, now: new Date() };
  const both = signatureHeaders({ ...request, keys: [SECRET, FORMER].map(signingKeys) });
  const [current, former] = [SECRET, FORMER].map((secret) =>
    signatureHeaders({ ...request, keys: [secret].map(signingKeys) }),
  );
  expect(both['svc-signature']?.split(',').slice(2)).toEqual([element(current), element(former)]);
  expect(both['webhook-signature']).toBe(
    `${current?.['webhook-signature']} ${former?.['webhook-signature']}`,
  );
  for (const secret of [SECRET, FORMER])
    expect(new Webhook(secret).verify(BODY, both)).toEqual({ a: 1 });
});

test('spec 5.2.3: the signature covers the bytes, not text decoded from them', () => {
  const broken = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
  const asText = Buffer.from(broken.toString('utf8'));
  expect(svcSignature({ body: broken, keys: [SECRET].map(signingKeys), now: NOW })).not.toBe(
    svcSignature({ body: asText, keys: [SECRET].map(signingKeys), now: NOW }),
  );
});

test('D16: a secret is whsec_ and the standard base64 of its random bytes', () => {
  const random = Buffer.alloc(32, 0xfb);
  expect(newSecret(random)).toBe('whsec_+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=');
});
