/** Keys of accounts next to the backups in a bucket (D287): an erased one stays erased, and no other is lost. */
import { expect, test } from 'vitest';

import { keySource, unionOf } from '../../../services/core/backup/account-keys.ts';

/** As `a1+2 b0`: account a has the keys 1, which encrypts, and 2; those of b are erased. `1'`: 1, encrypted again. */
async function* records(text: string) {
  for (const word of text.split(' ').filter(Boolean)) {
    const isErased = word.endsWith('0');
    const sealed = isErased ? [] : word.slice(1).split('+');
    const keys = sealed.map((one) => ({ id: one.slice(0, 1), sealed: one }));
    yield { account_id: word.slice(0, 1), isErased, keys };
  }
}
const union = async (stored: string, current: string) =>
  (
    await Array.fromAsync(
      unionOf(records(stored), records(current)),
      ({ account_id, isErased, keys }) =>
        account_id + (isErased ? '0' : keys.map(({ sealed }) => sealed).join('+')),
    )
  ).join(' ');

test.each([
  ['a new bucket gets all', '', 'a1 b0 c1', 'a1 b0 c1'],
  ['an empty installation destroys none', 'a1 b0 c1', '', 'a1 b0 c1'],
  ['keys that only one of both has stay', 'a1 c1 f1', 'b2 d2 e2', 'a1 b2 c1 d2 e2 f1'],
  ['a key that was encrypted again is the current one', 'a1 b1', "a1' b1'", "a1' b1'"],
  ['another key does not replace one, and encrypts', 'a1 b1+2', 'a3 b2', 'a3+1 b2+1'],
  ['keys that both have are there once', 'a1+2', "a2'+1'", "a2'+1'"],
  ['all keys of an account are erased together', 'a1+2 b0', 'a0 b3+4', 'a0 b0'],
  ['a key that was erased since is erased', 'a1 b1', 'a0 b1', 'a0 b1'],
  ['a key that was erased in the bucket stays erased', 'a0 b1', 'a1 b1', 'a0 b1'],
  ['no keys', '', '', ''],
])('%s', async (_, stored, current, expected) => {
  expect(await union(stored, current)).toBe(expected);
});

test.each([
  ['b1 a1', ''],
  ['', 'a1 a2'],
])('records that are not in order are refused: %s / %s', async (stored, current) => {
  await expect(union(stored, current)).rejects.toThrow(/the key of a is not in order/);
});

const at = (day: number) => ({ created_at: `2026-03-0${day}T03:00:00.000Z` });

test.each([
  ['a backup without keys takes those of the bucket', true, at(1), 'bucket'],
  ['also those of a bucket that was put back to a former day', true, at(3), 'bucket'],
  [
    'a backup of an earlier release leaves out its own, which may be erased',
    false,
    at(3),
    'bucket',
  ],
  ['a newer one of an earlier release has newer keys', false, at(1), 'file'],
  ['without keys in the bucket, it has its own', false, undefined, 'file'],
  ['a backup without keys needs them', true, undefined, 'missing'],
])('%s', (_, isWithoutKeys, stored, expected) => {
  expect(keySource({ ...at(2), isWithoutKeys }, stored)).toBe(expected);
});
