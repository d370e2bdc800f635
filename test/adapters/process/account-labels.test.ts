/** Accounts in metrics: only a limited number have their own label. */
import { expect, test } from 'vitest';

import {
  createAccountLabels,
  OTHER_ACCOUNTS,
} from '../../../services/adapters/process/account-labels.ts';

const TEN_MINUTES = 600_000;

function labelsFor(limit: number) {
  const gained: string[] = [];
  const lost: string[] = [];
  let nowMs = 0;
  const labels = createAccountLabels({
    limit,
    now: () => nowMs,
    onGained: (account) => gained.push(account),
    onLost: (account) => lost.push(account),
  });
  const busy = (account: string, times: number) =>
    Array.from({ length: times }, () => labels.of(account)).at(-1);
  return { labels, gained, lost, busy, pass: (ms: number) => (nowMs += ms) };
}

test('the first accounts get labels, up to the limit; all others share one', () => {
  const { labels } = labelsFor(2);
  expect(['a', 'b', 'c', 'd', 'a'].map((account) => labels.of(account))).toEqual([
    'a',
    'b',
    OTHER_ACCOUNTS,
    OTHER_ACCOUNTS,
    'a',
  ]);
});

test('after ten minutes a busier account takes the label of the least busy one, whose series end', () => {
  const { labels, gained, lost, busy, pass } = labelsFor(2);
  busy('a', 5);
  busy('b', 1);
  expect(busy('c', 3)).toBe(OTHER_ACCOUNTS);
  pass(TEN_MINUTES);
  expect([labels.of('c'), labels.of('a'), labels.of('b')]).toEqual(['c', 'a', OTHER_ACCOUNTS]);
  expect([gained, lost]).toEqual([['a', 'b', 'c'], ['b']]);
});

test('an account that was busy long ago loses its label', () => {
  const { labels, lost, busy, pass } = labelsFor(1);
  busy('a', 1_000);
  for (let i = 0; i < 8; i++) {
    pass(TEN_MINUTES);
    busy('b', 20);
  }
  expect(labels.of('b')).toBe('b');
  expect(lost).toEqual(['a']);
});

test('equally busy accounts keep their labels', () => {
  const { lost, busy, pass } = labelsFor(2);
  for (let i = 0; i < 5; i++) {
    for (const account of ['a', 'b', 'c', 'd']) busy(account, 1);
    pass(TEN_MINUTES);
  }
  expect(lost).toEqual([]);
});

test('a limit of 0 names no account', () => {
  const { busy, pass } = labelsFor(0);
  expect(busy('a', 3)).toBe(OTHER_ACCOUNTS);
  pass(TEN_MINUTES);
  expect(busy('a', 1)).toBe(OTHER_ACCOUNTS);
});

test('a million accounts leave a bounded number of labels', () => {
  const { labels, pass } = labelsFor(20);
  const seen = new Set<string>();
  for (let i = 0; i < 1_000_000; i++) seen.add(labels.of(`acc_${i}`));
  pass(TEN_MINUTES);
  labels.of('acc_1');
  expect(seen.size).toBe(21);
});
