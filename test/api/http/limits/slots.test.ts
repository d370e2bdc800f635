/** Slots of requests in a process: limits in number and bytes, and when they are free again. */
import { expect, test } from 'vitest';

import { createSlots, DOWNLOADS } from '../../../../services/api/http/limits/slots.ts';

function testConnection() {
  const callbacks: (() => void)[] = [];
  return {
    onClose: (callback: () => void) => void callbacks.push(callback),
    close: () => callbacks.forEach((callback) => callback()),
  };
}

test('limits hold for the process and for one holder, in number and bytes, until the end', () => {
  const slots = createSlots({
    perProcess: { slots: 3, bytes: 100 },
    perHolder: { slots: 2, bytes: 60 },
  });
  const refused = (source: string, bytes: number) => () =>
    slots.take(source, testConnection(), bytes);
  const unavailable = 'Temporarily unavailable';
  const [first, second] = [testConnection(), testConnection()];
  slots.take('a', first, 30);
  slots.take('a', second, 30);
  expect(refused('a', 0), 'number of the holder').toThrow(unavailable);
  slots.take('b', testConnection(), 40);
  expect(refused('c', 0), 'number of the process').toThrow(unavailable);
  second.close();
  expect(refused('c', 31), 'bytes of the process').toThrow(unavailable);
  expect(refused('a', 31), 'bytes of the holder').toThrow(unavailable);
  slots.take('a', testConnection(), 30);
  first.close();
  slots.take('c', testConnection(), 30);
});

test('what a slot holds may change; limits hold for that, too', () => {
  const slots = createSlots({
    perProcess: { slots: 9, bytes: 100 },
    perHolder: { slots: 9, bytes: 60 },
  });
  const connection = testConnection();
  const slot = slots.take('a', connection, 10);
  slot.hold(60);
  expect(() => slot.hold(61), 'bytes of the holder').toThrow('Temporarily unavailable');
  expect(() => slots.take('a', testConnection(), 1)).toThrow('Temporarily unavailable');
  slots.take('b', testConnection(), 40);
  expect(() => slots.take('c', testConnection(), 1)).toThrow('Temporarily unavailable');
  slot.hold(20);
  slots.take('a', testConnection(), 40);
  connection.close();
  slots.take('a', testConnection(), 20);
  expect(() => slot.hold(1), 'closed').toThrow('Temporarily unavailable');
  expect(() => slots.take('c', testConnection(), 1)).toThrow('Temporarily unavailable');
});

test('a slot that is freed before its response ends is freed once', () => {
  const limits = { slots: 1, bytes: 1 };
  const slots = createSlots({ perProcess: limits, perHolder: limits });
  const connection = testConnection();
  slots.take('a', connection)[Symbol.dispose]();
  slots.take('b', testConnection());
  connection.close();
  expect(slots.taken()).toBe(1);
});

/** How many of so many bytes four accounts get that each take all they can. */
function downloadsOfFour(bytes: number): number[] {
  const slots = createSlots(DOWNLOADS);
  return ['a', 'b', 'c', 'd'].map((holder) => {
    for (let count = 0; ; count++)
      try {
        slots.take(holder, testConnection(), bytes);
      } catch {
        return count;
      }
  });
}

test('a fair share: accounts that hold much leave some to others, in number and bytes', () => {
  expect(downloadsOfFour(0)).toEqual([24, 14, 3, 1]);
  expect(downloadsOfFour(10 * 1024 * 1024)).toEqual([9, 4, 1, 1]);
});
