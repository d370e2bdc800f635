/** The last lines of `.ci/run`: the failed tests with their first error line, then the numbers. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, inject, test } from 'vitest';

const CHECKOUT = join(import.meta.dirname, '..', '..');

async function count(report: object): Promise<{ lines: string[]; status: number | null }> {
  const path = join(await mkdtemp(join(inject('scratchDir'), 'count-')), 'report.json');
  await writeFile(path, JSON.stringify(report));
  const { stdout, status } = spawnSync(process.execPath, ['.ci/count.mjs', path], {
    cwd: CHECKOUT,
    encoding: 'utf8',
  });
  return { lines: stdout.trimEnd().split('\n'), status };
}

const passed = { status: 'passed', fullName: 'what works', failureMessages: [] };

test('each failed test and each broken file is named before the numbers', async () => {
  const { lines, status } = await count({
    numPassedTests: 1,
    numPendingTests: 2,
    numTodoTests: 0,
    testResults: [
      {
        name: join(CHECKOUT, 'test/a.test.ts'),
        status: 'failed',
        assertionResults: [
          passed,
          {
            status: 'failed',
            fullName: 'a rule holds',
            failureMessages: ['\nAssertionError: expected 1 to be 2\n    at somewhere'],
          },
        ],
      },
      {
        name: join(CHECKOUT, 'test/b.test.ts'),
        status: 'failed',
        message: 'Cannot find module',
        assertionResults: [],
      },
    ],
  });
  expect(lines).toEqual([
    'FAILED test/a.test.ts: a rule holds',
    '    AssertionError: expected 1 to be 2',
    'FAILED test/b.test.ts, outside of its tests',
    '    Cannot find module',
    '1 passed, 2 failed, 2 skipped',
  ]);
  expect(status).toBe(1);
});

test('a run without a failure prints its numbers only', async () => {
  const { lines, status } = await count({
    numPassedTests: 1,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ name: 'test/a.test.ts', status: 'passed', assertionResults: [passed] }],
  });
  expect(lines).toEqual(['1 passed, 0 failed, 0 skipped']);
  expect(status).toBe(0);
});
