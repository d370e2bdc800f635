/** How many emails may wait in the RETRY lanes (D169). */
import { expect, test } from 'vitest';

import { createBacklogLimit } from '../../../services/dispatcher/pacing/backlog-limit.ts';

const LIMITS = { total: 100, perAccount: 40 };

function limited(waiting: number, ofAccounts: Record<string, number> = {}) {
  const read = { all: 0, accounts: 0 };
  let now = 0;
  const isFull = createBacklogLimit(
    {
      waiting: async () => {
        read.all++;
        if (waiting < 0) throw new Error('NATS is away');
        return waiting;
      },
      waitingOf: async (account, most) => {
        read.accounts++;
        return Math.min(ofAccounts[account] ?? 0, most);
      },
    },
    LIMITS,
    () => now,
  );
  return { isFull, read, pass: (ms: number) => (now += ms) };
}

test.each([
  ['few emails wait: accounts are not counted', 39, { a: 39 }, false],
  ['one account has its share', 60, { a: 40 }, true],
  ['another account has its share', 60, { a: 20, b: 40 }, false],
  ['all shares together are used', 100, { a: 0 }, true],
  ['nobody can tell', -1, {}, false],
])('when %s', async (_, waiting, ofAccounts, expected) => {
  expect(await limited(waiting, ofAccounts).isFull('a')).toBe(expected);
});

test('counts are read once in ten seconds, however many emails ask', async () => {
  const { isFull, read, pass } = limited(60, { a: 40 });
  await Promise.all(Array.from({ length: 50 }, () => isFull('a')));
  expect(read).toEqual({ all: 1, accounts: 1 });
  pass(10_001);
  await isFull('a');
  expect(read).toEqual({ all: 2, accounts: 2 });
});
