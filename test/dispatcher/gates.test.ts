/**
 * The gates of accounts and addresses: which time counts as latency, and what an account may hold.
 */
import { expect, test } from 'vitest';

import {
  type Arrival,
  createGates,
  type Entry,
  type Gates,
  type Permit,
} from '../../services/dispatcher/gates.ts';

let nowMs = 0;
const newSlots = () => ({ mail: { capacity: 64, used: 0 }, retry: { capacity: 32, used: 0 } });
const mail: Arrival = {
  accountId: 'acc',
  addressId: 'a',
  lane: 'mail',
  slots: newSlots(),
  payloadBytes: 1_000,
};
const entryOf = (entering: Promise<Entry>) =>
  Promise.race([entering, new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')))]);
const permitOf = async (gates: Gates) => {
  const entry = await gates.enter(mail);
  if (entry.kind !== 'permit') throw new Error(`no permit, but ${entry.kind}`);
  return entry.permit;
};

test('a payload that is slow to read delays no other email of its address; a receiver that hangs does', async () => {
  const gates = createGates({ perAddress: 1, inAll: 16, bytesInAll: 1e6, now: () => nowMs });
  const permit = await permitOf(gates);
  nowMs += 10_000;
  expect(await entryOf(gates.enter(mail))).toBe('waits');
  permit.called();
  nowMs += 10_000;
  expect(await entryOf(gates.enter(mail))).toEqual({
    kind: 'later',
    at: new Date(nowMs + 1_000),
  });
  gates.close();
});

const end = (permit: Permit) => permit.leave({ durationMs: 20, isFailure: false });

const HANGS: Omit<Arrival, 'addressId' | 'slots'> = {
  accountId: 'slow',
  lane: 'mail',
  payloadBytes: 1_000,
};

test('an account with hanging receivers holds half of a partition, then its emails are spaced', async () => {
  const slots = newSlots();
  const gates = createGates({ perAddress: 10, inAll: 384, bytesInAll: 1e9, now: () => nowMs });
  const entries = [];
  for (let i = 0; i < 40; i++)
    entries.push(await gates.enter({ ...HANGS, addressId: `slow ${i}`, slots }));
  expect(entries.map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: 32 }, () => 'permit'),
    ...Array.from({ length: 8 }, () => 'later'),
  ]);
  expect((await gates.enter({ ...mail, slots })).kind).toBe('permit');
  for (const entry of entries) if (entry.kind === 'permit') entry.permit.leave(undefined);
  expect((await gates.enter({ ...HANGS, addressId: 'slow 40', slots })).kind).toBe('permit');
});

test('an account with fast responses may hold more, until an attempt takes longer', async () => {
  const slots = newSlots();
  const gates = createGates({ perAddress: 10, inAll: 384, bytesInAll: 1e9, now: () => nowMs });
  const arrive = (i: number) => gates.enter({ ...mail, addressId: `fast ${i}`, slots });
  const permits = async (count: number) => {
    const entries = await Promise.all(Array.from({ length: count }, (_, i) => arrive(i)));
    return entries.flatMap((entry) => (entry.kind === 'permit' ? [entry.permit] : []));
  };
  const first = await permits(60);
  expect(first).toHaveLength(32); // no response yet
  first.forEach(end);
  const more = await permits(60);
  expect(more).toHaveLength(45);
  for (const permit of more) permit.called();
  more.slice(0, 20).forEach(end);
  nowMs += 2_000;
  expect(await permits(60)).toHaveLength(32 - 25);
});

test('an account at its share is spaced by its attempts in flight, also for a new address', async () => {
  const slots = newSlots();
  const gates = createGates({ perAddress: 10, inAll: 384, bytesInAll: 1e9, now: () => nowMs });
  for (let i = 0; i < 32; i++) {
    const entry = await gates.enter({ ...HANGS, addressId: `slow ${i}`, slots });
    if (entry.kind === 'permit') entry.permit.called();
  }
  nowMs += 16_000;
  expect(await gates.enter({ ...HANGS, addressId: 'new', slots })).toEqual({
    kind: 'later',
    at: new Date(nowMs + 1_000), // it may hold 16 slots of the RETRY lane
  });
});

test('an account that waits in memory gives its slots back', async () => {
  const slots = newSlots();
  const gates = createGates({ perAddress: 1, inAll: 384, bytesInAll: 1e9, now: () => nowMs });
  const first = await permitOf(gates);
  const waiting = gates.enter({ ...mail, slots });
  expect(slots.mail.used).toBe(1);
  expect((await waiting).kind).toBe('later');
  expect(slots.mail.used).toBe(0);
  const again = gates.enter({ ...mail, slots, lane: 'retry' });
  expect(slots.retry.used).toBe(1);
  gates.close();
  expect((await again).kind).toBe('closed');
  expect(slots.retry.used).toBe(0);
  first.leave(undefined);
});
