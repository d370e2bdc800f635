/** Coalesced reads: few, and no result is older than its request. */
import { expect, test } from 'vitest';

import { createCoalescedRead } from '../../../services/adapters/async/coalesce.ts';

/** A source whose reads end when the test says so. */
function slowSource() {
  let value = 0;
  const ends: PromiseWithResolvers<void>[] = [];
  return {
    ends,
    change: () => void value++,
    read: async () => {
      const seen = value; // a read sees what is there when it begins
      const end = Promise.withResolvers<void>();
      ends.push(end);
      await end.promise;
      return seen;
    },
  };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

test('callers during a read share the next one, and see every change made before they asked', async () => {
  const source = slowSource();
  const shared = createCoalescedRead<number>();
  const first = shared('a', source.read);
  source.change();
  const later = Array.from({ length: 50 }, () => shared('a', source.read));
  await soon();
  expect(source.ends).toHaveLength(1);
  source.ends[0]?.resolve();
  expect(await first).toBe(0);
  await soon();
  expect(source.ends).toHaveLength(2);
  source.change();
  const last = shared('a', source.read);
  source.ends[1]?.resolve();
  expect(await Promise.all(later)).toEqual(Array.from({ length: 50 }, () => 1));
  await soon();
  source.ends[2]?.resolve();
  expect(await last).toBe(2);
  const after = shared('a', source.read);
  source.ends[3]?.resolve();
  expect(await after).toBe(2);
});

test('other keys have their own reads', async () => {
  const source = slowSource();
  const shared = createCoalescedRead<number>();
  const both = [shared('a', source.read), shared('b', source.read)];
  expect(source.ends).toHaveLength(2);
  for (const end of source.ends) end.resolve();
  expect(await Promise.all(both)).toEqual([0, 0]);
});

test('a failed read fails its own callers, and not the next read', async () => {
  const source = slowSource();
  const shared = createCoalescedRead<number>();
  const first = shared('a', source.read);
  const second = shared('a', source.read);
  source.ends[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await soon();
  source.ends[1]?.resolve();
  expect(await second).toBe(0);
});
