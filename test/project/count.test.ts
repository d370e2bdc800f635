/**
 * The last lines of `.ci/run`: the skipped tests with their reasons, the failed tests with their
 * first error line, the random tests with their seeds, the failed steps, then the numbers.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, inject, test } from 'vitest';

import { skipText } from '../support/skip-report.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');

async function count(
  report: object,
  skipped = '',
): Promise<{ lines: string[]; status: number | null }> {
  const folder = await mkdtemp(join(inject('scratchDir'), 'count-'));
  const path = join(folder, 'report.json');
  const SKIP_REPORT = join(folder, 'skipped.txt');
  if (skipped !== '') await writeFile(SKIP_REPORT, skipped);
  await writeFile(path, JSON.stringify(report));
  const { stdout, status } = spawnSync(process.execPath, ['.ci/count.mjs', path], {
    cwd: CHECKOUT,
    encoding: 'utf8',
    env: { ...process.env, SKIP_REPORT, STEP_REPORT: '' },
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

test('the reasons of skipped tests are in the last lines', async () => {
  const report = {
    numPassedTests: 1,
    numPendingTests: 2,
    numTodoTests: 0,
    testResults: [{ name: 'test/a.test.ts', status: 'passed', assertionResults: [passed] }],
  };
  const reasons = skipText([
    { file: 'test/b.test.ts', skipped: 2, reasons: ['helm is missing: Go is not installed'] },
  ]);
  expect((await count(report, reasons)).lines).toEqual([
    '',
    'Skipped tests: 2',
    '     2  test/b.test.ts: helm is missing: Go is not installed',
    '1 passed, 0 failed, 2 skipped',
  ]);
});

/** The last lines and the exit code of `.ci/run` with an `npm` that does this in each step. */
async function ciRun(steps: string): Promise<{ lines: string[]; status: number | null }> {
  const folder = await mkdtemp(join(inject('scratchDir'), 'ci-'));
  await cp(join(CHECKOUT, '.ci'), join(folder, '.ci'), { recursive: true });
  await mkdir(join(folder, 'bin'));
  const report = { numPassedTests: 1, numPendingTests: 1, numTodoTests: 0, testResults: [] };
  const npm = `#!/bin/sh
    case "$*" in
      test)
        printf '%s' '${JSON.stringify(report)}' > .inlet/test-report.json
        printf 'Skipped tests: 1\n     1  test/a.test.ts: no Go\n' >> "$SKIP_REPORT" ;;
      ${steps}
    esac`;
  await writeFile(join(folder, 'bin', 'npm'), npm, { mode: 0o755 });
  const { stdout, status } = spawnSync(join(folder, '.ci', 'run'), {
    encoding: 'utf8',
    env: { ...process.env, CLUSTER_TESTS: '0', PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
  });
  return { lines: stdout.trimEnd().split('\n'), status };
}

const SKIPPED = [
  'Skipped tests: 1',
  '     1  test/a.test.ts: no Go',
  '',
  expect.stringMatching(/^Skipped: npm run test:cluster, because no Kubernetes cluster was given/),
];

test('`.ci/run` ends with the reasons of all its runs and with the seeds', async () => {
  const { lines, status } = await ciRun(`'run test:fuzz') echo 'seeds 1, 2' >> "$STEP_REPORT" ;;`);
  expect(lines).toEqual([...SKIPPED, 'seeds 1, 2', '1 passed, 0 failed, 1 skipped']);
  expect(status).toBe(0);
});

test('`.ci/run` names each failed step in its last lines, and counts it', async () => {
  const { lines, status } = await ciRun(`
      'run test:fuzz') echo 'FAILED with seed 2' >> "$STEP_REPORT"; exit 1 ;;
      'run check') exit 1 ;;`);
  expect(lines).toEqual([
    ...SKIPPED,
    'FAILED with seed 2',
    'FAILED step: npm run test:fuzz',
    'FAILED step: npm run check',
    '1 passed, 2 failed, 1 skipped',
  ]);
  expect(status).toBe(1);
});
