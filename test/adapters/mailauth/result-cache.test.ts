/**
 * Results are reused for the same client, sender and author, for a time, unless a lookup failed.
 */
import type { DNSResolver } from 'mailauth';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import {
  createEvaluations,
  createResultCache,
} from '../../../services/adapters/mailauth/result-cache.ts';

function createCounting(fails = false) {
  let lookups = 0;
  const resolver = (() => {
    lookups++;
    return fails
      ? Promise.reject(Object.assign(new Error('x'), { code: 'ETIMEOUT' }))
      : Promise.resolve([['v=spf1 ip4:192.0.2.1 -all']]);
  }) as unknown as DNSResolver;
  const question = (ip = '192.0.2.1', sender = 'a@x.example', helo = 'mx.x.example') => ({
    ip,
    sender,
    helo,
    mta: 'mx',
    resolver,
  });
  return { question, lookups: () => lookups };
}

test('the same question is evaluated once, another one separately', async () => {
  const { spf } = createEvaluations(60_000);
  const { question, lookups } = createCounting();
  for (let i = 0; i < 3; i++) expect((await spf(question())).status.result).toBe('pass');
  expect(lookups()).toBe(1);
  expect((await spf(question('192.0.2.2'))).status.result).toBe('fail');
  await spf(question('192.0.2.1', 'b@x.example'));
  await spf(question('192.0.2.1', 'a@x.example', 'other.x.example'));
  expect(lookups()).toBe(4);
});

test('a result expires, and is not stored without a cache', async () => {
  const { question, lookups } = createCounting();
  const { spf: short } = createEvaluations(20);
  await short(question());
  await sleep(60);
  await short(question());
  expect(lookups()).toBe(2);
  const { spf: none } = createEvaluations(0);
  await none(question());
  await none(question());
  expect(lookups()).toBe(4);
});

test('a failed lookup is not cached', async () => {
  const { spf } = createEvaluations(60_000);
  const { question, lookups } = createCounting(true);
  expect((await spf(question())).status.result).toBe('temperror');
  const before = lookups();
  await spf(question());
  expect(lookups()).toBeGreaterThan(before);
});

test('a result is stored by its key, unless it may change or the key is too long', async () => {
  const cached = createResultCache<{ run: number }>(60_000);
  let runs = 0;
  const result = async (key: string, isLasting = true) =>
    (
      await cached(
        key,
        () => Promise.resolve({ run: ++runs }),
        () => isLasting,
      )
    ).run;
  expect([await result('a'), await result('a'), await result('b')]).toEqual([1, 1, 2]);
  expect([await result('c', false), await result('c')]).toEqual([3, 4]);
  const long = 'x'.repeat(1_001);
  expect([await result(long), await result(long)]).toEqual([5, 6]);
});
