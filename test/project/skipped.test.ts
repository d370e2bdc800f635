/** The last lines of a run: which tests were skipped, and why. */
import { expect, inject, test } from 'vitest';

import { skipText } from '../run/skipped.ts';
import { noteSkip, readSkipNotes } from '../support/skip-notes.ts';

test('nothing is printed when nothing was skipped', () => {
  expect(skipText([])).toBe('');
});

test('each file with skipped tests is a line with its reasons', () => {
  const text = skipText([
    { file: 'test/chart/chart.test.ts', skipped: 49, reasons: ['helm is missing', 'Go, too'] },
    { file: 'test/odd.test.ts', skipped: 1, reasons: [] },
  ]);
  expect(text).toBe(`
Skipped tests: 50
    49  test/chart/chart.test.ts: helm is missing; Go, too
     1  test/odd.test.ts: the test gives no reason
`);
});

test('a note belongs to the test file that made it', () => {
  noteSkip('this is only a test');
  expect(readSkipNotes(inject('scratchDir'))).toContainEqual({
    file: 'test/project/skipped.test.ts',
    reason: 'this is only a test',
  });
});
