/** Links to files are valid only unchanged and until they expire. */
import { expect, test } from 'vitest';

import { filePath, signatureHolds, signedLink } from '../../../services/core/secret/signed-link.ts';

const KEY = Buffer.alloc(32, 1);
const OTHER_KEY = Buffer.alloc(32, 2);
const EXPIRES = new Date('2026-11-24T08:00:00.900Z');
const NOW = new Date('2026-11-21T08:00:00Z');

const url = new URL(
  signedLink({
    baseUrl: 'https://api.example/v1',
    path: filePath('evt_1', 'attachments/0'),
    expires: EXPIRES,
    key: KEY,
  }),
);
const signature = url.searchParams.get('signature') ?? '';
const requested: Parameters<typeof signatureHolds>[0] = {
  path: filePath('evt_1', 'attachments/0'),
  expires: new Date(Number(url.searchParams.get('expires')) * 1000),
  signature,
  keys: [KEY],
  now: NOW,
};

test('a link has the API, the event, the file, its expiry in whole seconds and 64 hex digits', () => {
  expect([url.origin + url.pathname, url.searchParams.get('expires')]).toEqual([
    'https://api.example/v1/files/evt_1/attachments/0',
    '1795507200',
  ]);
  expect(signature).toMatch(/^[0-9a-f]{64}$/);
});

test.each<[string, Partial<typeof requested>, boolean]>([
  ['unchanged', {}, true],
  ['in the second before its expiry', { now: new Date(requested.expires.getTime() - 1) }, true],
  ['not at its expiry', { now: requested.expires }, false],
  ['not with another expiry', { expires: new Date(requested.expires.getTime() + 1000) }, false],
  ['not for another event', { path: filePath('evt_2', 'attachments/0') }, false],
  ['not for another file', { path: filePath('evt_1', 'attachments/1') }, false],
  ['not for the raw email', { path: filePath('evt_1', 'raw') }, false],
  ['with the key among others', { keys: [OTHER_KEY, KEY] }, true],
  ['not with another key', { keys: [OTHER_KEY] }, false],
  ['not without any key', { keys: [] }, false],
  ['not with a signature of another length', { signature: signature.slice(2) }, false],
  ['not without a signature', { signature: '' }, false],
  ['not with a signature that is not hex', { signature: 'z'.repeat(64) }, false],
  [
    'not with one digit changed',
    { signature: signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
    false,
  ],
])('a link is valid %s', (_, changes, holds) => {
  expect(signatureHolds({ ...requested, ...changes })).toBe(holds);
});
