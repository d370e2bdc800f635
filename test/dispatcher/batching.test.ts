/** Batches of outcomes: when they run, and what each item gets. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createBatching } from '../../services/dispatcher/batching.ts';

const LONG_MS = 60_000;

test('items within the linger time are one batch, and each gets its own result', async () => {
  const batches: number[][] = [];
  const double = createBatching(
    (items: number[]) => {
      batches.push(items);
      return Promise.resolve(items.map((item) => 2 * item));
    },
    { maxItems: 10, lingerMs: 20 },
  );
  expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6]);
  expect(await double(4)).toBe(8);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test('a full batch does not wait, nor does one that filled meanwhile', async () => {
  const sizes: number[] = [];
  const run = async (items: string[]) => {
    sizes.push(items.length);
    await sleep(20);
    return items;
  };
  const add = createBatching(run, { maxItems: 3, lingerMs: LONG_MS });
  const first = ['a', 'b', 'c'].map(add);
  await sleep(5); // the first batch runs
  const second = ['d', 'e', 'f', 'g', 'h', 'i'].map(add);
  expect((await Promise.all([...first, ...second])).join('')).toBe('abcdefghi');
  expect(sizes).toEqual([3, 3, 3]);
});

test('when a batch fails, each of its items rejects and the next batch runs', async () => {
  let runs = 0;
  const add = createBatching(
    (items: string[]) =>
      runs++ === 0 ? Promise.reject(new Error('down')) : Promise.resolve(items),
    { maxItems: 10, lingerMs: 1 },
  );
  const failed = await Promise.allSettled([add('a'), add('b')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await add('c')).toBe('c');
});
