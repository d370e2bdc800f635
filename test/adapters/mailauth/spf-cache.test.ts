/**
 * SPF results are reused for the same client, name and sender, for a time, unless a lookup failed.
 */
import type { DNSResolver } from 'mailauth';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createSpfCache } from '../../../services/adapters/mailauth/spf-cache.ts';

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
  const spf = createSpfCache(60_000);
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
  const short = createSpfCache(20);
  await short(question());
  await sleep(60);
  await short(question());
  expect(lookups()).toBe(2);
  const none = createSpfCache(0);
  await none(question());
  await none(question());
  expect(lookups()).toBe(4);
});

test('a failed lookup is not cached', async () => {
  const spf = createSpfCache(60_000);
  const { question, lookups } = createCounting(true);
  expect((await spf(question())).status.result).toBe('temperror');
  const before = lookups();
  await spf(question());
  expect(lookups()).toBeGreaterThan(before);
});
