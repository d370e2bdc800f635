/** Memory of large emails is used again, within its limit, and never by two emails at the same time. */
import { expect, test } from 'vitest';

import { createMemoryPool } from '../../../services/gateway/receive/memory-pool.ts';

test('memory is returned when its email ends, and used again', () => {
  const pool = createMemoryPool(1000, 10_000);
  const first = pool.lease();
  const memory = first.memory();
  memory.grow(500);
  expect(first.memory()).toBe(memory);
  using second = pool.lease();
  expect(second.memory()).not.toBe(memory);
  first[Symbol.dispose]();
  first[Symbol.dispose](); // twice returns it once
  using third = pool.lease();
  using fourth = pool.lease();
  expect(third.memory()).toBe(memory);
  expect(fourth.memory()).not.toBe(memory);
});

test('unused memory is kept within its limit', () => {
  const pool = createMemoryPool(1000, 1500);
  const leases = Array.from({ length: 3 }, () => pool.lease());
  const memories = leases.map((lease) => lease.memory());
  for (const memory of memories) memory.grow(700);
  for (const lease of leases) lease[Symbol.dispose]();
  const again = Array.from({ length: 3 }, () => pool.lease().memory());
  expect(again.filter((memory) => memories.includes(memory)).length).toBe(2);
});
