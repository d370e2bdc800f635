/** Memory of large emails is used again, within the budget, and never by two emails at the same time. */
import { PassThrough } from 'node:stream';
import type { SMTPServerDataStream } from 'smtp-server';
import { expect, test, vi } from 'vitest';

import {
  createByteBudget,
  createReservation,
} from '../../../services/gateway/receive/memory-budget.ts';
import { createMemoryPool } from '../../../services/gateway/receive/memory-pool.ts';
import { readEmail } from '../../../services/gateway/smtp/data.ts';

/** A pool, and emails that take memory from it. */
function poolOf(maxBytes: number) {
  const budget = createByteBudget(maxBytes);
  const pool = createMemoryPool(1_000, budget, () => undefined);
  const email = () => {
    const [reservation, lease] = [createReservation(budget), pool.lease()];
    return {
      reservation,
      memory: () => lease.memory(reservation),
      grow: (bytes: number) => {
        reservation.growTo(bytes);
        lease.memory(reservation).grow(bytes);
        return lease.memory(reservation);
      },
      end: () => {
        lease[Symbol.dispose]();
        reservation[Symbol.dispose]();
      },
    };
  };
  return { budget, email };
}

test('memory is returned when its email ends, and used again', () => {
  const { email } = poolOf(10_000);
  const [first, second] = [email(), email()];
  const memory = first.grow(500);
  expect(first.memory()).toBe(memory);
  expect(second.memory()).not.toBe(memory);
  first.end();
  first.end(); // twice returns it once
  const [third, fourth] = [email(), email()];
  expect(third.memory()).toBe(memory);
  expect(fourth.memory()).not.toBe(memory);
});

test('memory that is used again counts as a whole, and the largest that fits is used', () => {
  const { budget, email } = poolOf(1_000);
  const emails = [300, 600].map((bytes) => ({ one: email(), bytes }));
  const [small, large] = emails.map(({ one, bytes }) => one.grow(bytes));
  for (const { one } of emails) one.end();
  expect(budget.left()).toBe(1_000);
  const [first, second, third] = [email(), email(), email()];
  first.reservation.growTo(10);
  expect(first.memory()).toBe(large);
  expect(budget.left()).toBe(400);
  first.reservation.growTo(600);
  expect(budget.left()).toBe(400);
  expect(second.memory()).toBe(small);
  expect(budget.left()).toBe(100);
  expect([large, small]).not.toContain(third.memory());
});

test('unused memory takes only what emails leave', () => {
  const { email } = poolOf(1_000);
  const emails = [300, 600].map((bytes) => ({ one: email(), bytes }));
  const [small, large] = emails.map(({ one, bytes }) => one.grow(bytes));
  for (const { one } of emails) one.end();
  const other = email();
  other.reservation.growTo(200); // without memory of the pool
  other.end();
  expect(email().memory()).toBe(large);
  expect(email().memory()).not.toBe(small);
});

test('an email that is refused holds no memory while its client sends the rest', async () => {
  const KIBIBYTE = 1024;
  const budget = createByteBudget(1000 * KIBIBYTE);
  const pool = createMemoryPool(1000 * KIBIBYTE, budget, () => undefined);
  const others = createReservation(budget);
  others.growTo(550 * KIBIBYTE);
  const stream = Object.assign(new PassThrough(), { byteLength: 0 });
  const [reservation, lease] = [createReservation(budget), pool.lease()];
  const head = Buffer.from('Received: x\r\n');
  let beginning: Buffer | undefined;
  const reading = readEmail(
    stream as unknown as SMTPServerDataStream,
    head,
    1000 * KIBIBYTE,
    reservation,
    lease,
    (bytes) => (beginning = bytes),
  );
  for (let chunk = 0; chunk < 5; chunk++) stream.write(Buffer.alloc(100 * KIBIBYTE));
  await new Promise((resolve) => setImmediate(resolve));
  expect(budget.left()).toBe(450 * KIBIBYTE);
  expect(pool.lease().memory(createReservation(budget)).byteLength).toBeGreaterThan(256 * KIBIBYTE);
  expect(beginning?.subarray(0, head.byteLength)).toEqual(head); // for the log
  stream.end();
  await expect(reading).rejects.toThrow('Insufficient memory');
});

test('memory that is dropped is collected when it has become much', () => {
  const MIB = 1024 * 1024;
  const budget = createByteBudget(200 * MIB);
  let collections = 0;
  const pool = createMemoryPool(100 * MIB, budget, () => void collections++);
  const take = (bytes: number) => {
    const [reservation, lease] = [createReservation(budget), pool.lease()];
    reservation.growTo(bytes);
    lease.memory(reservation).grow(bytes);
    return () => {
      lease[Symbol.dispose]();
      reservation[Symbol.dispose]();
    };
  };
  const ends = [take(50 * MIB), take(60 * MIB)];
  for (const end of ends) end();
  expect(collections).toBe(0);
  createReservation(budget).growTo(100 * MIB); // emails that need no memory of the pool
  expect(collections).toBe(0); // 50 MiB were dropped
  createReservation(budget).growTo(90 * MIB);
  expect(collections).toBe(1);
});

test('memory that is unused for long is collected', () => {
  vi.useFakeTimers();
  try {
    const bytes = 100 * 1024 * 1024;
    const budget = createByteBudget(bytes);
    let collections = 0;
    const pool = createMemoryPool(bytes, budget, () => void collections++);
    const [reservation, lease] = [createReservation(budget), pool.lease()];
    reservation.growTo(bytes);
    lease.memory(reservation).grow(bytes);
    lease[Symbol.dispose]();
    reservation[Symbol.dispose]();
    expect(collections).toBe(0);
    vi.advanceTimersByTime(30_000);
    expect(collections).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
