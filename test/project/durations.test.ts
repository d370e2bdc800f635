/** The table of `npm test -- --durations`. */
import { expect, test } from 'vitest';

import { durationsText } from '../run/durations.ts';

const file = (name: string, tests: number) => ({
  file: name,
  project: 'plain',
  start: 0,
  import: 250,
  hooks: 1000,
  tests,
});

test('sums the phases of all files, and shows the slowest files first', () => {
  const text = durationsText(
    [file('a.test.ts', 10), file('b.test.ts', 3000), file('c.test.ts', 500)],
    2,
  );
  expect(text.split('\n')).toEqual([
    '  total    start   import    hooks    tests  seconds',
    '    7.3      0.0      0.8      3.0      3.5  all 3 files',
    '    4.3      0.0      0.3      1.0      3.0  b.test.ts',
    '    1.8      0.0      0.3      1.0      0.5  c.test.ts',
    '',
  ]);
});

test('is empty without files', () => {
  expect(durationsText([], 30)).toBe('');
});
