/** Requests of the same time share an operation, and each gets its own result. */
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
    const together = createBatches(run, 2);
    const all = [1, 2, 3].map(together);
    await settled();
    running[0]?.end();
    await settled();
    running[1]?.end();
    expect(await Promise.all(all)).toEqual(['result 1', 'result 2', 'result 3']);
    expect(running.map(({ items }) => items)).toEqual([[1, 2], [3]]);
  });
});
