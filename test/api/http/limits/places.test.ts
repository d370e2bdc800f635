/** Places of requests in a process: limits in number and bytes, and when they are free again. */
import { expect, test } from 'vitest';

import { COMPARISONS, createPlaces } from '../../../../services/api/http/limits/places.ts';

function testConnection() {
  const callbacks: (() => void)[] = [];
  return {
    onClose: (callback: () => void) => void callbacks.push(callback),
    close: () => callbacks.forEach((callback) => callback()),
  };
}

test('limits hold for the process and for one holder, in number and bytes, until the end', () => {
  const places = createPlaces({
    perProcess: { places: 3, bytes: 100 },
    perHolder: { places: 2, bytes: 60 },
  });
  const refused = (source: string, bytes: number) => () =>
    places.take(source, testConnection(), bytes);
  const unavailable = 'Temporarily unavailable';
  const [first, second] = [testConnection(), testConnection()];
  places.take('a', first, 30);
  places.take('a', second, 30);
  expect(refused('a', 0), 'number of the holder').toThrow(unavailable);
  places.take('b', testConnection(), 40);
  expect(refused('c', 0), 'number of the process').toThrow(unavailable);
  second.close();
  expect(refused('c', 31), 'bytes of the process').toThrow(unavailable);
  expect(refused('a', 31), 'bytes of the holder').toThrow(unavailable);
  places.take('a', testConnection(), 30);
  first.close();
  places.take('c', testConnection(), 30);
});

test('what a place holds may change; limits hold for that, too', () => {
  const places = createPlaces({
    perProcess: { places: 9, bytes: 100 },
    perHolder: { places: 9, bytes: 60 },
  });
  const connection = testConnection();
  const place = places.take('a', connection, 10);
  place.hold(60);
  expect(() => place.hold(61), 'bytes of the holder').toThrow('Temporarily unavailable');
  expect(() => places.take('a', testConnection(), 1)).toThrow('Temporarily unavailable');
  places.take('b', testConnection(), 40);
  expect(() => places.take('c', testConnection(), 1)).toThrow('Temporarily unavailable');
  place.hold(20);
  places.take('a', testConnection(), 40);
  connection.close();
  places.take('a', testConnection(), 20);
  expect(() => place.hold(1), 'closed').toThrow('Temporarily unavailable');
  expect(() => places.take('c', testConnection(), 1)).toThrow('Temporarily unavailable');
});

test('a place that is freed before its response ends is freed once', () => {
  const limits = { places: 1, bytes: 1 };
  const places = createPlaces({ perProcess: limits, perHolder: limits });
  const connection = testConnection();
  places.take('a', connection)[Symbol.dispose]();
  places.take('b', testConnection());
  connection.close();
  expect(places.taken()).toBe(1);
});

test('an account compares rules once at a time', () => {
  const places = createPlaces(COMPARISONS);
  const first = places.take('a', testConnection());
  expect(() => places.take('a', testConnection())).toThrow('compares rules already');
  places.take('b', testConnection());
  first[Symbol.dispose]();
  places.take('a', testConnection());
});
