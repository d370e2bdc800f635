/** The form of API tokens (spec 2.7, 5.1). */
import { expect, test } from 'vitest';

import { PERMISSIONS } from '../../../services/core/token/permission.ts';
import {
  formatToken,
  hashOf,
  isTokenShaped,
  may,
  prefixOf,
  TOKEN_RANDOM_BYTES,
} from '../../../services/core/token/token.ts';

const RANDOM = Buffer.alloc(TOKEN_RANDOM_BYTES, 0xfb);

test.each([
  ['live', /^svc_live_/],
  ['test', /^svc_test_/],
] as const)('spec 5.1.3: %s tokens start with %s', (environment, form) => {
  const token = formatToken(environment, RANDOM);
  expect(token).toMatch(form);
  expect(isTokenShaped(token)).toBe(true);
});

test('spec 2.7: the prefix is the leading part, and too short to guess the rest', () => {
  const token = formatToken('live', RANDOM);
  expect(token.startsWith(prefixOf(token))).toBe(true);
  expect(prefixOf(token)).toBe('svc_live_-_v7-_');
});

test.each([
  '',
  'svc_live_',
  `svc_prod_${'a'.repeat(43)}`,
  `svc_live_${'a'.repeat(42)}`,
  `svc_live_${'a'.repeat(44)}`,
  `svc_live_${'a'.repeat(42)}$`,
  `xsvc_live_${'a'.repeat(43)}`,
  `svc_live_${'a'.repeat(43)}\n`,
])('%j does not have the form of a token', (text) => {
  expect(isTokenShaped(text)).toBe(false);
});

test('the stored form is the SHA-256', () => {
  expect(hashOf('svc_live_x').toString('hex')).toBe(
    'e7768436bcc3af0c372290a77b4b7028557aefc3f5ad11b847f3ad13c693de43',
  );
});

test('D10: a token has the permissions of its list, and no others', () => {
  const identity = {
    id: 'token_1',
    account_id: 'acc_1',
    environment: 'live' as const,
    permissions: ['addresses:read' as const],
    limit: null,
  };
  expect(PERMISSIONS.filter((permission) => may(identity, permission))).toEqual(['addresses:read']);
});
