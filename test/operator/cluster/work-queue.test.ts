/** The queue of resources to reconcile: no key twice at a time, bounded concurrency, backoff. */
import { expect, test } from 'vitest';

import { startWorkQueue } from '../../../services/operator/cluster/work-queue.ts';
import { until } from '../../support/until.ts';

const backoff = { firstMs: 20, longestMs: 200 };

/** Work that lasts until the test ends it. */
function heldWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (key: string) => {
    begun.push(key);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  return { begun, work, end: () => ends.shift()?.() };
}

test('a few keys run at a time, each once, however often it was added', async () => {
  const { begun, work, end } = heldWork();
  const queue = startWorkQueue({ concurrency: 2, backoff, work });
  for (const key of ['a', 'b', 'c', 'c', 'c']) queue.add(key);
  expect(begun).toEqual(['a', 'b']);
  end();
  await until('the third', () => begun.length === 3);
  expect([begun, queue.size()]).toEqual([['a', 'b', 'c'], 2]);
  end();
  end();
  await until('all', () => queue.size() === 0);
  await queue[Symbol.asyncDispose]();
  expect(begun).toHaveLength(3);
});

test('a key that is added while it runs runs again afterwards, not at the same time', async () => {
  const { begun, work, end } = heldWork();
  await using queue = startWorkQueue({ concurrency: 2, backoff, work });
  queue.add('a');
  queue.add('a');
  expect(begun).toEqual(['a']);
  end();
  await until('the second time', () => begun.length === 2);
  end();
  await until('the end', () => queue.size() === 0);
  expect(begun).toEqual(['a', 'a']);
});

test('failures are retried with growing delays and their count, which a success resets', async () => {
  const told: number[] = [];
  const at: number[] = [];
  await using queue = startWorkQueue({
    concurrency: 1,
    backoff,
    work: async (_, failures) => {
      told.push(failures);
      at.push(performance.now());
      if (told.length <= 3) throw new Error('not yet');
    },
  });
  queue.add('a');
  await until('the success', () => told.length === 4);
  expect(told).toEqual([0, 1, 2, 3]);
  const waits = at.slice(1).map((ms, i) => ms - (at[i] ?? 0));
  expect(waits.every((ms, i) => ms >= (20 * 2 ** i) / 2 - 2)).toBe(true);
  queue.add('a');
  await until('another time', () => told.length === 5);
  expect(told[4]).toBe(0);
});

test('a failing key delays no other, and a change retries it immediately', async () => {
  const begun: string[] = [];
  await using queue = startWorkQueue({
    concurrency: 1,
    backoff: { firstMs: 60_000, longestMs: 60_000 },
    work: async (key) => {
      begun.push(key);
      if (key === 'bad') throw new Error('no');
    },
  });
  queue.add('bad');
  queue.add('good');
  await until('the other', () => begun.includes('good'));
  queue.add('bad');
  await until('the second try', () => begun.filter((key) => key === 'bad').length === 2);
  expect(queue.size()).toBe(0);
});

test('running work shows for how long it has run', async () => {
  const { work, end } = heldWork();
  await using queue = startWorkQueue({ concurrency: 1, backoff, work });
  expect(queue.longestMs()).toBe(0);
  queue.add('a');
  await until('some time', () => queue.longestMs() >= 5);
  end();
  await until('the end', () => queue.longestMs() === 0);
  expect(queue.size()).toBe(0);
});

test('stop waits for running work and starts none', async () => {
  const { begun, work, end } = heldWork();
  const queue = startWorkQueue({ concurrency: 1, backoff, work });
  queue.add('a');
  queue.add('b');
  let hasStopped = false;
  const stopped = queue[Symbol.asyncDispose]().then(() => (hasStopped = true));
  queue.add('c');
  await new Promise(setImmediate);
  expect(hasStopped).toBe(false);
  end();
  await stopped;
  expect(begun).toEqual(['a']);
});
