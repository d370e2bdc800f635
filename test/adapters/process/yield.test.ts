/** Large work in pieces: one at a time, and never without an end to its rests. */
import { expect, test } from 'vitest';

import {
  createGiveWay,
  LARGE_FROM_BYTES,
  unhurried,
} from '../../../services/adapters/process/yield.ts';

const slices = (count: number) =>
  Array.from({ length: count }, (_, i) => new Uint8Array(LARGE_FROM_BYTES / 2).fill(i));

test('pieces of several works are done one at a time, in the order in which they asked', async () => {
  const giveWay = createGiveWay();
  const done: string[] = [];
  let turns = 0;
  const count = () => {
    turns += 1;
    ticking = setImmediate(count);
  };
  let ticking = setImmediate(count);
  const piece = async (name: string) => {
    await giveWay();
    done.push(`${name} ${turns}`);
  };
  await Promise.all(['a', 'b', 'c'].map(piece));
  clearImmediate(ticking);
  expect(done.map((one) => one.split(' ')[0])).toEqual(['a', 'b', 'c']);
  expect(new Set(done.map((one) => one.split(' ')[1])).size).toBe(3); // others had their turn between any two
});

test('the oldest work goes first, whoever asked before', async () => {
  const giveWay = createGiveWay();
  const done: number[] = [];
  await Promise.all(
    [3, 1, 2].map(async (since) => {
      await giveWay(since);
      done.push(since);
    }),
  );
  expect(done).toEqual([1, 2, 3]);
});

test('large work gets on though the event loop is never quiet', async () => {
  const giveWay = createGiveWay();
  let others = 0;
  const hog = setInterval(() => {
    others += 1;
    for (const until = performance.now() + 10; performance.now() < until;);
  }, 1);
  for (let i = 0; i < 10; i++) await giveWay();
  clearInterval(hog);
  expect(others).toBeGreaterThanOrEqual(10);
});

test('slices come whole and in order; small work asks for no turn', async () => {
  let asked = 0;
  const giveWay = async () => void asked++;
  expect(
    await Array.fromAsync(unhurried(slices(2), ({ byteLength }) => byteLength, giveWay)),
  ).toEqual(slices(2));
  expect(asked).toBe(0);
  expect(
    await Array.fromAsync(unhurried(slices(5), ({ byteLength }) => byteLength, giveWay)),
  ).toEqual(slices(5));
  expect(asked).toBe(3);
});
