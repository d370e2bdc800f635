/** M.1: a bucket that hangs does not hold up the files of other accounts. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createUploadPlaces } from '../../../../services/dispatcher/attempt/files/upload-places.ts';

test('M.1: the next upload is of the account that has the fewest in progress', async () => {
  const inPlace = createUploadPlaces(2);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const upload = (account: string, name: string) =>
    inPlace(account, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) => upload(name.charAt(0), name));
  const afterEndOf = async (name: string) => {
    ends.get(name)?.();
    await nextTurn();
    return begun.at(-1);
  };
  expect(begun).toEqual(['a1', 'a2']);
  expect(await afterEndOf('a1')).toBe('b1');
  expect(await afterEndOf('b1')).toBe('b2'); // a2 still hangs
  expect(await afterEndOf('b2')).toBe('a3');
  expect(await afterEndOf('a2')).toBe('a4');
  for (const name of ['a3', 'a4']) ends.get(name)?.();
  await Promise.all(all);
});

test('M.1: an upload that throws gives its place back', async () => {
  const inPlace = createUploadPlaces(1);
  const failing = inPlace('a', () => Promise.reject(new Error('away')));
  const next = inPlace('a', () => Promise.resolve('stored'));
  await expect(failing).rejects.toThrow('away');
  expect(await next).toBe('stored');
});
