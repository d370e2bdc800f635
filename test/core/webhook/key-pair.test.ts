/** Ed25519 signatures and keys: the vectors of RFC 8032 and RFC 8037, and pieces of a body (D49). */
import { verify } from 'node:crypto';
import { expect, test } from 'vitest';

import { jwksOf } from '../../../services/core/webhook/jwks.ts';
import {
  isPrivateKey,
  newPrivateKey,
  publicKeyOf,
  verifyingKey,
} from '../../../services/core/webhook/key-pair.ts';
import {
  newSecret,
  signatureHeaders,
  signingKeys,
  startSigning,
} from '../../../services/core/webhook/signature.ts';

/** RFC 8032 §7.1, test 1; RFC 8037 appendix A has the same key. */
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const PUBLIC = Buffer.from(
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  'hex',
);
const KEY = newPrivateKey(SEED);
const SECRET = newSecret(SEED);
const NOW = new Date('2025-01-01T00:00:00.999Z'); // 1735689600

test('the public key of RFC 8032, and its thumbprint of RFC 8037', () => {
  expect(publicKeyOf(KEY)).toBe(`whpk_${PUBLIC.toString('base64')}`);
  expect(jwksOf([publicKeyOf(KEY)]).keys).toEqual([
    {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
      use: 'sig',
      alg: 'EdDSA',
    },
  ]);
});

test('a secret that is shared is no private key, and texts are not all public keys', () => {
  expect([isPrivateKey(KEY), isPrivateKey(SECRET)]).toEqual([true, false]);
  for (const text of ['', SECRET, KEY, 'whpk_', 'whpk_AAAA', publicKeyOf(KEY).slice(5)])
    expect(verifyingKey(text)).toBeUndefined();
});

test('D49: an Ed25519 signature of id, time and body; the same in pieces, whatever the length', async () => {
  for (const length of [2, 3_000_000]) {
    const body = Buffer.alloc(length, 'x');
    const request = { eventId: 'evt_1', keys: [signingKeys(KEY)], now: NOW };
    const headers = signatureHeaders({ ...request, body });
    expect(headers).not.toHaveProperty('svc-signature');
    const [version, base64 = ''] = headers['webhook-signature'].split(',');
    const message = Buffer.concat([Buffer.from('evt_1.1735689600.'), body]);
    const key = verifyingKey(publicKeyOf(KEY));
    expect(version).toBe('v1a');
    expect(key && verify(null, message, key, Buffer.from(base64, 'base64'))).toBe(true);
    const signing = startSigning(request);
    for (const piece of [body.subarray(0, 1), body.subarray(1)]) signing.update(piece);
    expect(await signing.headers()).toEqual(headers);
  }
});

test('D49: while one kind of secret replaces the other, both sign', () => {
  const request = { eventId: 'evt_1', body: Buffer.from('{}'), now: NOW };
  const [both, hmac, ed25519] = [[KEY, SECRET], [SECRET], [KEY]].map((secrets) =>
    signatureHeaders({ ...request, keys: secrets.map(signingKeys) }),
  );
  expect(both).toEqual({
    ...hmac,
    'webhook-signature': `${ed25519?.['webhook-signature']} ${hmac?.['webhook-signature']}`,
  });
});
