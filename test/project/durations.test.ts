/** The table of `npm test -- --durations`. */
import { expect, test } from 'vitest';

import { durationsText } from '../run/durations.ts';

const file = (name: string, cpu: number) => ({
  file: name,
  project: 'plain',
  cpu,
  start: 0,
  import: 250,
  hooks: 1000,
  tests: 2 * cpu,
  longest: cpu / 2,
});

test('sums the phases of all files, and shows the dearest files first', () => {
  const text = durationsText(
    [file('a.test.ts', 10), file('b.test.ts', 3000), file('c.test.ts', 500)],
    2,
  );
  expect(text.split('\n')).toEqual([
    '    cpu    start   import    hooks    tests  longest  seconds',
    '    3.5      0.0      0.8      3.0      7.0      1.5  all 3 files',
    '    3.0      0.0      0.3      1.0      6.0      1.5  b.test.ts',
    '    0.5      0.0      0.3      1.0      1.0      0.3  c.test.ts',
    '',
  ]);
});

test('is empty without files', () => {
  expect(durationsText([], 30)).toBe('');
});
