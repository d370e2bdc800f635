/** Who is next: the holders that used the least CPU time in the last minute. */
import { expect, test } from 'vitest';

import {
  addUse,
  createFairLine,
  type Holders,
  newCpuUse,
} from '../../../services/core/time/fair-order.ts';
import { fc, seed } from '../../support/random.ts';

const NOW = 1_000_000;
type Used = readonly (readonly [holders: Holders, cpuMs: number, agoMs?: number])[];

/** The order in which pieces of work of these holders begin. */
function order(used: Used, waiting: readonly Holders[]): number[] {
  const use = newCpuUse(7);
  for (const [holders, cpuMs, agoMs = 0] of used) addUse(use, holders, cpuMs, NOW - agoMs);
  const line = createFairLine<number>(use);
  for (const [i, holders] of waiting.entries()) line.add(holders, i);
  return waiting.map(() => {
    const next = line.first(NOW);
    if (next === undefined) throw new Error('nothing waits');
    line.remove(next);
    return next.item;
  });
}

test.each<[string, Used, Holders[], number[]]>([
  ['without any use, in the order of arrival', [], [['a'], ['b']], [0, 1]],
  ['the holder that used less is first', [[['a'], 5]], [['a'], ['a'], ['b']], [2, 0, 1]],
  [
    'another sender to another account, before a stranger and the account that it attacks',
    [[['stranger', 'attacked'], 500]],
    [
      ['stranger', 'attacked'],
      ['sender', 'attacked'],
      ['stranger', 'other'],
      ['sender', 'other'],
    ],
    [3, 1, 2, 0],
  ],
  [
    'many sources that attack one account count by the account',
    [
      [['s1', 'attacked'], 50],
      [['s2', 'attacked'], 50],
      [['relay', 'other'], 60],
    ],
    [
      ['s3', 'attacked'],
      ['relay', 'other'],
    ],
    [0, 1],
  ],
  [
    'an account that one of many names has its part',
    [
      [['stranger', 'a', 'b', 'c', 'd'], 400],
      [['relay', 'e'], 150],
    ],
    [
      ['relay', 'e'],
      ['sender', 'a'],
    ],
    [1, 0],
  ],
  [
    'use fades within a minute',
    [
      [['a'], 500, 60_000],
      [['b'], 100],
    ],
    [['b'], ['a']],
    [1, 0],
  ],
])('%s', (_, used, waiting, expected) => {
  expect(order(used, waiting)).toEqual(expected);
});

test('what is taken out of the line is never next', () => {
  const line = createFairLine<string>(newCpuUse(1));
  const [first] = [line.add(['a'], 'first'), line.add(['a'], 'second')];
  line.remove(first);
  expect(line.first(NOW)?.item).toBe('second');
});

test('holders hardly ever share a count', () => {
  fc.assert(
    fc.property(fc.integer(), (random) => {
      const use = newCpuUse(random);
      for (let i = 0; i < 500; i++) addUse(use, [`10.0.${i >> 8}.${i & 255}`], 1_000, NOW);
      const line = createFairLine<number>(use);
      for (let i = 0; i < 50; i++) line.add([`192.0.2.${i}`, `acc_${i}`], i);
      line.add(['10.0.0.1', 'acc_0'], -1);
      let found = 0;
      for (let next = line.first(NOW); next && next.item !== -1; next = line.first(NOW)) {
        line.remove(next);
        found += 1;
      }
      expect(found).toBeGreaterThan(47);
    }),
    { seed, numRuns: 5 },
  );
});
