/**
 * What an account may hold of what all share: a table, and a dispatcher simulated with random
 * accounts.
 */
import { describe, expect, test } from 'vitest';

import { fairShare, mayTake, type SharedLimit } from '../../../services/core/delivery/claim.ts';
import { fc, runs } from '../../support/random.ts';

describe('an account', () => {
  test.each<[string, SharedLimit, number, number, boolean]>([
    ['may take a free slot', { capacity: 64, used: 0 }, 0, 1, true],
    ['may take the last free slot when it has none', { capacity: 64, used: 63 }, 0, 1, true],
    ['may not take what is not free', { capacity: 64, used: 64 }, 0, 1, false],
    ['may take up to 70 % when it is alone', { capacity: 64, used: 43 }, 43, 1, true],
    ['may not take more than 70 % when it is alone', { capacity: 64, used: 44 }, 44, 1, false],
    ['may take 39 % next to one like it', { capacity: 72, used: 54 }, 27, 1, true],
    ['may not take more next to one like it', { capacity: 72, used: 56 }, 28, 1, false],
    ['may not take of the last eighth', { capacity: 64, used: 56 }, 1, 1, false],
    ['may take of the last eighth when it has none', { capacity: 64, used: 56 }, 0, 1, true],
    ['may take an amount above the capacity alone', { capacity: 64, used: 0 }, 0, 100, true],
    ['may not take such an amount next to others', { capacity: 64, used: 1 }, 0, 100, false],
    ['may not take more than is left to others', { capacity: 64, used: 20 }, 20, 25, false],
  ])('%s', (_, shared, mine, amount, may) => {
    expect(mayTake(shared, mine, amount)).toBe(may);
  });

  test.each<[string, SharedLimit, number, number]>([
    ['alone: 70 %', { capacity: 64, used: 0 }, 0, 44],
    ['alone, however much it has', { capacity: 64, used: 20 }, 20, 44],
    ['less next to others', { capacity: 64, used: 44 }, 20, 25],
    ['little when the last eighth is near', { capacity: 64, used: 48 }, 0, 6],
    ['never none', { capacity: 8, used: 8 }, 0, 1],
  ])('can reach %s', (_, shared, mine, share) => {
    expect(fairShare(shared, mine)).toBe(share);
  });
});

const CAPACITY = 64;

/** Random arrivals and departures; returns what each account holds, and the most it held. */
function simulate(accounts: number, events: readonly { account: number; leaves: boolean }[]) {
  const shared: SharedLimit = { capacity: CAPACITY, used: 0 };
  const held = Array.from({ length: accounts }, () => 0);
  for (const { account: any, leaves } of events) {
    const account = any % accounts;
    const mine = held[account] ?? 0;
    const change = leaves ? (mine > 0 ? -1 : 0) : mayTake(shared, mine) ? 1 : 0;
    held[account] = mine + change;
    shared.used += change;
  }
  return { shared, held };
}

describe('random accounts on the slots of one partition', () => {
  const event = fc.record({ account: fc.nat(30), leaves: fc.boolean() });

  test('nobody gets more than 70 %, and all together never more than there is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.array(event, { maxLength: 2_000 }),
        (accounts, events) => {
          const { shared, held } = simulate(accounts, events);
          expect(Math.max(...held)).toBeLessThanOrEqual(0.7 * CAPACITY);
          expect(held.reduce((sum, one) => sum + one, 0)).toBe(shared.used);
          expect(shared.used).toBeLessThanOrEqual(CAPACITY);
        },
      ),
    );
  });

  test('accounts that take all they may end with equal shares and leave an eighth free', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.nat(30), { minLength: 400, maxLength: 400 }),
        (accounts, order) => {
          // one email leaves, then every account takes up to two slots, as far as it may
          const events = order.flatMap((account) => [
            { account, leaves: true },
            ...Array.from({ length: 2 * accounts }, (_, i) => ({
              account: account + i,
              leaves: false,
            })),
          ]);
          const { shared, held } = simulate(accounts, events);
          const fair = (3.5 * CAPACITY) / (4 * accounts + 1);
          for (const one of held) expect(Math.abs(one - fair)).toBeLessThanOrEqual(fair / 2 + 1);
          expect(CAPACITY - shared.used).toBeGreaterThanOrEqual(CAPACITY / 8);
        },
      ),
      { ...runs(50), endOnFailure: true },
    );
  });

  test('accounts that hang and arrive one after another leave an eighth to those without any', () => {
    const takers = Array.from({ length: 12 }, (_, account) =>
      Array.from({ length: CAPACITY }, () => ({ account, leaves: false })),
    );
    for (let arrived = 1; arrived <= takers.length; arrived++) {
      const { held } = simulate(takers.length, takers.slice(0, arrived).flat());
      expect(held[arrived - 1], `account ${arrived} of ${held.join()}`).toBeGreaterThanOrEqual(1);
    }
    const { held } = simulate(takers.length, takers.flat());
    expect(held.filter((one) => one === 1).length).toBeGreaterThanOrEqual(CAPACITY / 8);
  });

  test('an account that arrives last, among accounts that only hang, gets slots immediately', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (hanging) => {
        const takers = Array.from({ length: CAPACITY * hanging }, (_, i) => ({
          account: i,
          leaves: false,
        }));
        const { shared } = simulate(hanging, takers);
        expect(mayTake(shared, 0)).toBe(true);
        expect(fairShare(shared, 0)).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});
