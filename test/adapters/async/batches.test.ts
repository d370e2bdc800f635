/** Requests of the same time share an operation, and each gets its own result. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import { createBatches } from '../../../services/adapters/async/batches.ts';

/** Operations that end when the test says so. */
function controlled() {
  const running: { items: readonly number[]; end: (error?: Error) => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<string[]>((resolve, reject) => {
      const end = (error?: Error) =>
        error ? reject(error) : resolve(items.map((item) => `result ${item}`));
      running.push({ items, end });
    });
  return { run, running };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('createBatches', () => {
  test('the first runs immediately; those that arrive meanwhile run together, after it', async () => {
    const { run, running } = controlled();
    const together = createBatches(run);
    const first = together(1);
    await settled();
    const others = [together(2), together(3)];
    await settled();
    expect(running.map(({ items }) => items)).toEqual([[1]]);
    running[0]?.end();
    expect(await first).toBe('result 1');
    await settled();
    expect(running.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    running[1]?.end();
    expect(await Promise.all(others)).toEqual(['result 2', 'result 3']);
  });

  test('a failure rejects the items of its operation, and no others', async () => {
    const { run, running } = controlled();
    const together = createBatches(run);
    const first = together(1).catch((error: unknown) => error);
    await settled();
    const second = together(2);
    running[0]?.end(new Error('away'));
    expect(await first).toEqual(new Error('away'));
    await settled();
    running[1]?.end();
    expect(await second).toBe('result 2');
  });

  test('an operation has at most the given number of items', async () => {
    const { run, running } = controlled();
    const together = createBatches(run, { max: 2 });
    const all = [1, 2, 3].map(together);
    await settled();
    running[0]?.end();
    await settled();
    running[1]?.end();
    expect(await Promise.all(all)).toEqual(['result 1', 'result 2', 'result 3']);
    expect(running.map(({ items }) => items)).toEqual([[1, 2], [3]]);
  });
});

const LONG_MS = 60_000;

test('items within the linger time are one batch, and each gets its own result', async () => {
  const batches: (readonly number[])[] = [];
  const double = createBatches(
    (items: readonly number[]) => {
      batches.push(items);
      return Promise.resolve(items.map((item) => 2 * item));
    },
    { max: 10, lingerMs: 20 },
  );
  expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6]);
  expect(await double(4)).toBe(8);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test('a full batch does not wait, nor does one that filled meanwhile', async () => {
  const sizes: number[] = [];
  const run = async (items: readonly string[]) => {
    sizes.push(items.length);
    await sleep(20);
    return items;
  };
  const add = createBatches(run, { max: 3, lingerMs: LONG_MS });
  const first = ['a', 'b', 'c'].map(add);
  await sleep(5); // the first batch runs
  const second = ['d', 'e', 'f', 'g', 'h', 'i'].map(add);
  expect((await Promise.all([...first, ...second])).join('')).toBe('abcdefghi');
  expect(sizes).toEqual([3, 3, 3]);
});

test('a batch that is full while it waits runs immediately', async () => {
  const add = createBatches(async (items: readonly string[]) => items, {
    max: 2,
    lingerMs: LONG_MS,
  });
  const first = add('a');
  await sleep(5); // it waits
  expect(await Promise.all([first, add('b')])).toEqual(['a', 'b']);
});

test('when a batch fails, each of its items rejects and the next batch runs', async () => {
  let runs = 0;
  const add = createBatches(
    (items: readonly string[]) =>
      runs++ === 0 ? Promise.reject(new Error('down')) : Promise.resolve(items),
    { max: 10, lingerMs: 1 },
  );
  const failed = await Promise.allSettled([add('a'), add('b')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await add('c')).toBe('c');
});
