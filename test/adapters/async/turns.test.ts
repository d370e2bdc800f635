/** Work in a thread: what waits, for how long, and in which order. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createCpuUse, createTurns } from '../../../services/adapters/async/turns.ts';
import type { CpuUse } from '../../../services/core/time/fair-order.ts';

const STRANGER = ['192.0.2.1', 'acc_attacked'];
const OTHER = ['192.0.2.2', 'acc_other'];

test('without much work nothing waits', () => {
  const turns = createTurns(createCpuUse());
  for (let i = 0; i < 20; i++) {
    expect(turns.next(STRANGER)).toBeUndefined();
    turns.spend(STRANGER, 1);
  }
});

test('work of another holder overtakes what has waited for longer', async () => {
  const turns = createTurns(createCpuUse());
  const begun: string[] = [];
  const work = async (name: string, holders: string[]) => {
    const turn = turns.next(holders);
    if (turn) await turn;
    begun.push(name);
    turns.spend(holders, 100);
  };
  const first = ['a', 'b', 'c', 'd'].map((name) => work(name, STRANGER));
  const last = work('other', OTHER);
  await Promise.all([...first, last]);
  expect(begun.toSorted()).toEqual(['a', 'b', 'c', 'd', 'other']);
  expect(begun.indexOf('other')).toBeLessThan(3);
});

/** How long one client needs for so many emails, each of which waits 50 ms for the DNS. */
async function relayMs(use: CpuUse | undefined): Promise<number> {
  const turns = createTurns(use);
  const CONNECTIONS = 40;
  let left = 400;
  const connection = async () => {
    while (left-- > 0) {
      for (const waitMs of [50, 0]) {
        const turn = turns.next(STRANGER);
        if (turn) await turn;
        turns.spend(STRANGER, 1);
        await sleep(waitMs);
      }
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return performance.now() - startedMs;
}

test('one client that writes to one account is as fast as without the order', async () => {
  let [fair, plain] = [Infinity, Infinity];
  for (let run = 0; run < 3; run++) {
    plain = Math.min(plain, await relayMs(undefined));
    fair = Math.min(fair, await relayMs(createCpuUse()));
  }
  expect(fair / plain).toBeLessThan(1.25); // one after the other, they would take 30 times as long
});
