/** What an address and an account may have in flight, and which time counts as latency. */
import { expect, test } from 'vitest';

import type { Arrival, Entry, Permit } from '../../../services/dispatcher/pacing/arrival.ts';
import {
  type AttemptLimits,
  createAttemptLimits,
} from '../../../services/dispatcher/pacing/attempt-limits.ts';

let nowMs = 0;
const newSlots = () => ({ capacity: 64, used: 0 });
const newLimits = (options: { perAddress?: number; bytesInFlight?: number } = {}) =>
  createAttemptLimits({
    perAddress: 10,
    slots: 384,
    bytesInFlight: 1e9,
    now: () => nowMs,
    ...options,
  });
const mail: Arrival = {
  accountId: 'acc',
  addressId: 'a',
  wasScheduled: false,
  slots: newSlots(),
  payloadBytes: 1_000,
};
const entryOf = (entering: Promise<Entry>): Promise<Entry | 'waits'> =>
  Promise.race([entering, new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')))]);
const isPermit = (entry: Entry | 'waits'): boolean => entry !== 'waits' && entry.kind === 'permit';
/** As an email arrives: within the share of its account, or it sleeps. */
const arrive = async (limits: AttemptLimits, arrival: Arrival): Promise<Entry> => {
  const releaseSlot = limits.holdSlot(arrival.accountId, arrival.slots);
  if (releaseSlot === undefined) return { kind: 'later', at: limits.sleepUntil(arrival) };
  const entry = await limits.enter(arrival);
  if (entry.kind !== 'permit') {
    releaseSlot();
    return entry;
  }
  const release: Permit['release'] = (sample) => {
    entry.permit.release(sample);
    releaseSlot();
  };
  return { kind: 'permit', permit: { ...entry.permit, release } };
};
const permitOf = async (limits: AttemptLimits) => {
  const entry = await arrive(limits, mail);
  if (entry.kind !== 'permit') throw new Error(`no permit, but ${entry.kind}`);
  return entry.permit;
};

test('a payload that is slow to read delays no other email of its address; a receiver that hangs does', async () => {
  const limits = newLimits({ perAddress: 1 });
  const permit = await permitOf(limits);
  nowMs += 10_000;
  expect(await entryOf(arrive(limits, mail))).toBe('waits');
  permit.requestStarted();
  nowMs += 10_000;
  expect(await entryOf(arrive(limits, mail))).toEqual({
    kind: 'later',
    at: new Date(nowMs + 5_000),
  });
  limits.close();
});

const HANGS: Omit<Arrival, 'addressId' | 'slots'> = {
  accountId: 'slow',
  wasScheduled: false,
  payloadBytes: 1_000,
};

test('an account holds 70 % of a partition and lane, then its emails sleep; others start', async () => {
  const slots = newSlots();
  const limits = newLimits();
  const entries = [];
  for (let i = 0; i < 50; i++)
    entries.push(await arrive(limits, { ...HANGS, addressId: `slow ${i}`, slots }));
  expect(entries.map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: 44 }, () => 'permit'),
    ...Array.from({ length: 6 }, () => 'later'),
  ]);
  expect(limits.inFlight()).toBe(44);
  expect((await arrive(limits, { ...mail, slots })).kind).toBe('permit');
  for (const entry of entries) if (entry.kind === 'permit') entry.permit.release(undefined);
  expect((await arrive(limits, { ...HANGS, addressId: 'slow 50', slots })).kind).toBe('permit');
});

test('an account at its share is spaced by its attempts in flight, also for a new address', async () => {
  const slots = newSlots();
  const limits = newLimits();
  const sleeps = async (addressId: string) => {
    const entry = await arrive(limits, { ...HANGS, addressId, slots });
    return entry.kind === 'later' ? entry.at.getTime() - nowMs : undefined;
  };
  for (let i = 0; i < 44; i++) {
    const entry = await arrive(limits, { ...HANGS, addressId: `slow ${i}`, slots });
    if (entry.kind === 'permit') entry.permit.requestStarted();
  }
  const startMs = nowMs;
  let last = await sleeps('first');
  expect(last).toBe(200);
  for (; nowMs < startMs + 20_000; nowMs += 100) {
    last = await sleeps(`at ${nowMs}`);
    expect(last).toBeLessThanOrEqual(Math.max(5_000, nowMs - startMs)); // the age of the queue
  }
  expect(last).toBeGreaterThan(10_000); // 200 emails, of which 44 may run within 20 s
});

test('failing receivers of all accounts get a quarter of all slots, of one account a part of that', async () => {
  const slots = { capacity: 1_000, used: 0 };
  const limits = newLimits();
  const fail = async (addressId: string, accountId: string) => {
    const entry = await arrive(limits, { ...mail, accountId, addressId, slots });
    if (entry.kind === 'permit') entry.permit.release({ durationMs: 20, isFailure: true });
  };
  const failingOf = async (accountId: string) => {
    const ids = Array.from({ length: 100 }, (_, i) => `${accountId} ${i}`);
    for (const id of ids) await fail(id, accountId);
    const entries = await Promise.all(
      ids.map((addressId) => entryOf(arrive(limits, { ...mail, accountId, addressId, slots }))),
    );
    return entries.filter(isPermit).length;
  };
  expect(await failingOf('one')).toBe(67); // of 96
  expect(await failingOf('two')).toBe(13);
  const healthy = await entryOf(arrive(limits, { ...mail, accountId: 'two', slots }));
  expect(healthy).toMatchObject({ kind: 'permit' });
  limits.close();
});

test('payload bytes in flight are shared, too; small payloads do not wait for them', async () => {
  const limits = newLimits({ bytesInFlight: 1_000_000 });
  const enter = (accountId: string, addressId: string, payloadBytes: number) =>
    entryOf(arrive(limits, { ...mail, accountId, addressId, payloadBytes }));
  const kinds: (Entry | 'waits')[] = [];
  for (let i = 0; i < 8; i++) kinds.push(await enter('large', `large ${i}`, 100_000));
  expect(kinds.filter(isPermit)).toHaveLength(7);
  expect(await enter('large', 'small', 1_000)).toMatchObject({ kind: 'permit' });
  expect(await enter('other', 'other', 300_000)).toMatchObject({ kind: 'permit' });
  limits.close();
  const alone = newLimits({ bytesInFlight: 1_000 });
  expect((await alone.enter({ ...mail, payloadBytes: 5_000 })).kind).toBe('permit');
});

test('an account that waits in memory gives its slots back', async () => {
  const slots = newSlots();
  const limits = newLimits({ perAddress: 1 });
  const first = await permitOf(limits);
  const waiting = arrive(limits, { ...mail, slots });
  expect(slots.used).toBe(1);
  expect((await waiting).kind).toBe('later');
  expect(slots.used).toBe(0);
  const again = arrive(limits, { ...mail, slots, wasScheduled: true });
  expect(slots.used).toBe(1);
  limits.close();
  expect((await again).kind).toBe('closed');
  expect(slots.used).toBe(0);
  first.release(undefined);
});
