/** The headers of an attempt, as its record keeps them. */
import { expect, test } from 'vitest';

import {
  HEADERS_MAX_BYTES,
  attemptHeaders,
  headerViews,
} from '../../../services/core/delivery/attempt-headers.ts';
import { createSecretMask } from '../../../services/core/webhook/secret-mask.ts';

test('signatures and credentials are masked, also where a response repeats them', () => {
  const credentials = {
    'X-Api-Key': 'key-of-the-receiver',
    authorization: 'Bearer token-of-the-receiver',
  };
  const kept = attemptHeaders(
    {
      'content-type': 'application/json',
      'svc-signature': 'v1,t=1795248000,s=0aff,s=12be',
      'webhook-signature': 'v1a,QUJD+/= v1,REVG',
    },
    credentials,
    {
      'content-type': 'text/plain',
      'set-cookie': ['session=1', 'other=2'],
      echo: 'key-of-the-receiver and token-of-the-receiver',
      odd: 'a\u00e9\tb',
    },
    createSecretMask(credentials),
  );
  expect(headerViews(kept.sent)).toEqual([
    { name: 'content-type', value: 'application/json' },
    { name: 'svc-signature', value: 'v1,t=1795248000,s=***,s=***' },
    { name: 'webhook-signature', value: 'v1a,*** v1,***' },
    { name: 'x-api-key', value: '***' },
    { name: 'authorization', value: '***' },
  ]);
  expect(headerViews(kept.received)).toEqual([
    { name: 'content-type', value: 'text/plain' },
    { name: 'set-cookie', value: '***' },
    { name: 'set-cookie', value: '***' },
    { name: 'echo', value: '*** and ***' },
    { name: 'odd', value: 'a??b' },
  ]);
});

test('a receiver that sends many headers does not make a record grow', () => {
  const many = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`x-${n}`, 'v'.repeat(200)]),
  );
  const other = Object.fromEntries(Object.keys(many).map((name) => [name, 'w'.repeat(200)]));
  const { sent, received } = attemptHeaders(many, {}, other, String);
  expect(sent.length).toBeGreaterThan(1_000);
  expect(received.length).toBeGreaterThan(1_000);
  expect(sent.length + received.length).toBeLessThanOrEqual(HEADERS_MAX_BYTES);
});

test('without a response there are no headers of it', () => {
  expect(attemptHeaders({ a: 'b' }, {}, undefined, String)).toEqual({
    sent: 'a: b\n',
    received: '',
  });
  expect(headerViews('')).toEqual([]);
});
