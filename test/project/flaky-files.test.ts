/** A file that failed by chance is not part of `npm test` until its cause is mended (D182). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { FLAKY_FILES, linesToAdd } from '../run/flaky-files.ts';
import { divideTestFiles, EVERYDAY } from '../run/stages.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const CAUSE_MIN = 20;

test('each line names a file of `npm test`, a day of the past, and a cause', () => {
  const without = divideTestFiles(CHECKOUT, {});
  const everyday = EVERYDAY.flatMap((name) => without[name]);
  for (const [file, { since, cause }] of Object.entries(FLAKY_FILES)) {
    expect([file, existsSync(join(CHECKOUT, file))]).toEqual([file, true]);
    expect(everyday).toContain(file);
    expect(new Date(since).toISOString().slice(0, 10)).toBe(since);
    expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
    expect([file, cause.length]).toEqual([file, Math.max(cause.length, CAUSE_MIN)]);
  }
});

test('a listed file runs in the stage slow, and nowhere else', () => {
  const [file = ''] = divideTestFiles(CHECKOUT, {}).plain;
  const divided = divideTestFiles(CHECKOUT, { [file]: { since: '2026-11-27', cause: '' } });
  const projects = Object.entries(divided).filter(([, files]) => files.includes(file));
  expect(projects.map(([name]) => name)).toEqual(['slow']);
});

test('the line to add is TypeScript, with the day and an empty cause', () => {
  const now = new Date('2026-11-27T23:00:00Z');
  expect(linesToAdd(['test/a.test.ts'], now).split('\n')).toEqual([
    'Mend it, or add it with its cause to test/run/flaky-files.ts:',
    "  'test/a.test.ts': { since: '2026-11-27', cause: '' },",
    '',
  ]);
  expect(linesToAdd([], now)).toBe('');
});
