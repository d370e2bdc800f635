/** The last lines of a run: which tests were skipped, and why. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { TestModule } from 'vitest/node';

import { noteSkip, readSkipNotes } from '../support/skip-notes.ts';
import { skipReport, skipText } from '../support/skip-report.ts';

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
    file: 'test/project/skip-report.test.ts',
    reason: 'this is only a test',
  });
});

test('SKIP_REPORT names a file to which the reasons are appended', async () => {
  const path = join(inject('scratchDir'), 'skipped-tests.txt');
  vi.stubEnv('SKIP_REPORT', path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const skipped = { result: () => ({ state: 'skipped', note: 'no Go' }) };
  const module = {
    moduleId: join(import.meta.dirname, 'some.test.ts'),
    children: { allTests: () => [skipped] },
    project: {
      globalConfig: {},
      getProvidedContext: () => ({ scratchDir: inject('scratchDir') }),
    },
  } as unknown as TestModule;
  for (let i = 0; i < 2; i++) void skipReport.onTestRunEnd?.([module], [], 'passed');
  const text = skipText([{ file: 'test/project/some.test.ts', skipped: 1, reasons: ['no Go'] }]);
  expect(await readFile(path, 'utf8')).toBe(text + text);
});
