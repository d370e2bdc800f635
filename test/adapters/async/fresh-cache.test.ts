/** Cached values: read once while they are fresh, never older than a change, bounded in number. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createFreshCache } from '../../../services/adapters/async/fresh-cache.ts';
import { until } from '../../support/until.ts';

type Value = { version: number; freshMs: number } | undefined;

const LONG_MS = 60_000;
const PAUSE_MS = 50;
const WAIT_MS = 5_000;

/** A source that a test changes, stops and delays. */
function source() {
  const state = { value: { version: 1, freshMs: LONG_MS } as Value, isAway: false, reads: 0 };
  const held: PromiseWithResolvers<void>[] = [];
  const failures: unknown[] = [];
  const cache = createFreshCache<Value>({
    maxSize: 2,
    freshMs: (value) => value?.freshMs ?? 0,
    unknown: { freshMs: LONG_MS, maxBytes: 1_000, isTrusted: () => true },
    onFailure: { waitMs: WAIT_MS, pauseMs: PAUSE_MS, report: (error) => failures.push(error) },
  });
  const load = async () => {
    state.reads++;
    const seen = state.value; // a read sees what is there when it begins
    await held.at(-1)?.promise;
    if (state.isAway) throw new Error('away');
    return seen;
  };
  const hold = () => {
    const release = Promise.withResolvers<void>();
    held.push(release);
    return () => {
      held.pop();
      release.resolve();
    };
  };
  return { state, cache, failures, hold, get: (key = 'key') => cache.get(key, load) };
}

test('callers at the same time share a read, and a fresh value needs none', async () => {
  const { state, get } = source();
  expect(await Promise.all([get(), get()])).toEqual([state.value, state.value]);
  expect([await get(), state.reads]).toEqual([state.value, 1]);
});

test('each value says how long it is fresh; with 0 it is not cached', async () => {
  const { state, cache, get } = source();
  state.value = { version: 1, freshMs: 0 };
  await get();
  expect(cache.peek('key')).toBeUndefined();
  state.value = { version: 2, freshMs: 5 };
  await get();
  await sleep(20);
  await get();
  expect(state.reads).toBe(3);
});

test('after a doubt, later callers join no read that began before it', async () => {
  const { state, cache, hold, get } = source();
  const release = hold();
  const before = get();
  state.value = { version: 2, freshMs: LONG_MS };
  cache.doubtAll();
  const after = get();
  release();
  expect([(await before)?.version, (await after)?.version]).toEqual([1, 2]);
  expect((await get())?.version).toBe(2);
});

test('a value that was read before a doubt is known but read again, one of a changed key is not', async () => {
  const { state, cache, hold, get } = source();
  for (const [change, known] of [
    [cache.doubtAll, 1],
    [() => cache.forget('key'), undefined],
  ] as const) {
    cache.forget('key');
    const release = hold();
    const before = get();
    change();
    release();
    await before;
    expect(cache.peek('key')?.version).toBe(known);
    const { reads } = state;
    await get();
    expect(state.reads).toBe(reads + 1);
  }
});

test('an outdated value serves while it cannot be read, with a pause between the reads', async () => {
  const { state, cache, failures, get } = source();
  await get();
  state.isAway = true;
  cache.doubtAll();
  expect([(await get())?.version, (await get())?.version, state.reads]).toEqual([1, 1, 2]);
  expect(failures).toEqual([new Error('away')]);
  await sleep(2 * PAUSE_MS);
  await get();
  expect(state.reads).toBe(3);
  cache.forget('key');
  await expect(get()).rejects.toThrow('away');
});

test('a caller may distrust cached values', async () => {
  const { state, cache, get } = source();
  await get();
  const fresh = { version: 2, freshMs: LONG_MS };
  expect(await cache.get('key', async () => fresh, false)).toBe(fresh);
  expect([await get(), state.reads]).toEqual([fresh, 1]);
});

test('keys without a value are cached, and evict no value', async () => {
  const { state, cache, get } = source();
  const { value } = state;
  await get();
  state.value = undefined;
  for (let i = 0; i < 20; i++) await get(`unknown ${i}`);
  await get('unknown 19');
  expect([state.reads, cache.peek('key')]).toEqual([21, value]);
  expect([cache.wasUnknown('unknown 19'), cache.wasUnknown('unknown 0')]).toEqual([true, false]);
  cache.forget('unknown 19');
  await get('unknown 19');
  expect(state.reads).toBe(22);
});

test('while a source does not respond, one caller waits; then outdated values serve immediately', async () => {
  const { state, failures } = source();
  const slow = createFreshCache<Value>({
    maxSize: 2,
    freshMs: () => LONG_MS,
    onFailure: { waitMs: 100, pauseMs: 0, report: (error) => failures.push(error) },
  });
  const known = state.value;
  const release = Promise.withResolvers<Value>();
  await slow.get('key', () => Promise.resolve(known));
  slow.doubtAll();
  const reads = [0, 1, 2].map(() => slow.get('key', () => release.promise));
  expect(await Promise.all(reads)).toEqual([known, known, known]);
  const startedMs = performance.now();
  for (let i = 0; i < 20; i++) await slow.get('key', () => release.promise);
  expect(performance.now() - startedMs).toBeLessThan(20 * 100); // it does not wait again
  expect(failures.length).toBeGreaterThan(0);

  release.resolve({ version: 2, freshMs: LONG_MS });
  await until(
    'the new value',
    async () => (await slow.get('key', () => release.promise))?.version === 2,
  );
});
