/**
 * The last lines of `.ci/run`: the skipped tests with their reasons, the failed tests and flaky
 * files, the random tests with their seeds, the failed steps, then the numbers.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, inject, test } from 'vitest';

import { skipText } from '../run/skipped.ts';
import { verdict } from '../run/verdict.ts';

const COUNT = join(import.meta.dirname, '..', '..', '.ci', 'count.mjs');

type Ended = { lines: string[]; status: number | null; folder: string };

/** The lines and the exit code for these reports of test/run/main.ts. Undefined: it is missing. */
async function count(...reports: (object | undefined)[]): Promise<Ended> {
  const folder = await mkdtemp(join(inject('scratchDir'), 'count-'));
  await mkdir(join(folder, '.inlet'));
  const paths = reports.map((_, at) => join(folder, `report-${at}.json`));
  for (const [at, path] of paths.entries())
    if (reports[at]) await writeFile(path, JSON.stringify(reports[at]));
  const { stdout, status } = spawnSync(process.execPath, [COUNT, ...paths], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, STEP_REPORT: '' },
  });
  return { lines: stdout.trimEnd().split('\n'), status, folder };
}

const report = { passed: 1, failed: 0, skipped: 0, skips: '', text: '', flaky: [] };
const failing = (file: string) => ({
  file,
  passed: 1,
  skipped: 0,
  failures: [{ test: 'a rule holds', error: `Error: in ${file}` }],
});
const passing = (file: string) => ({ file, passed: 2, skipped: 0, failures: [] });

test('a run without a failure prints its numbers only', async () => {
  const { lines, status } = await count({ ...report, passed: 3, skipped: 2 });
  expect(lines).toEqual(['3 passed, 0 failed, 2 skipped']);
  expect(status).toBe(0);
});

test('the failed tests and the flaky files of all reports are named before the numbers', async () => {
  const { lines, status, folder } = await count(
    { ...report, ...verdict([failing('a.test.ts')], [passing('a.test.ts')]) },
    { ...report, ...verdict([failing('b.test.ts')], [failing('b.test.ts')]) },
  );
  expect(lines).toEqual([
    'FLAKY a.test.ts: a rule holds',
    '    Error: in a.test.ts',
    'A flaky file failed, then passed when it ran once more, alone. To find the cause:',
    '    npm run test:repeat -- a.test.ts',
    'FAILED b.test.ts: a rule holds',
    '    Error: in b.test.ts',
    '3 passed, 1 failed, 0 skipped',
  ]);
  expect(status).toBe(1);
  expect(JSON.parse(await readFile(join(folder, '.inlet', 'flaky.json'), 'utf8'))).toEqual([
    { file: 'a.test.ts', failures: [{ test: 'a rule holds', error: 'Error: in a.test.ts' }] },
  ]);
});

test.each([
  [3, '4 passed, 0 failed, 0 skipped', 0],
  [4, '5 passed, 1 failed, 0 skipped', 1],
])('%s flaky files in several runs: %s', async (files, last, exitCode) => {
  const flaky = Array.from({ length: files - 1 }, (_, at) => failing(`${at}.test.ts`));
  const { lines, status } = await count(
    { ...report, passed: files, flaky },
    { ...report, flaky: [failing('other.test.ts')] },
  );
  expect(lines.at(-1)).toBe(last);
  expect(status).toBe(exitCode);
});

test('a run without a passed test, or without a report, is no success', async () => {
  expect((await count({ ...report, passed: 0 })).status).toBe(1);
  const { lines, status } = await count(report, undefined);
  expect(lines).toEqual([
    expect.stringMatching(/^no test report: /),
    '1 passed, 0 failed, 0 skipped',
  ]);
  expect(status).toBe(1);
});

test('the reasons of skipped tests are in the last lines', async () => {
  const skips = skipText([
    { file: 'test/b.test.ts', skipped: 2, reasons: ['helm is missing: Go is not installed'] },
  ]);
  expect((await count({ ...report, skipped: 2, skips })).lines).toEqual([
    '',
    'Skipped tests: 2',
    '     2  test/b.test.ts: helm is missing: Go is not installed',
    '1 passed, 0 failed, 2 skipped',
  ]);
});

/** The last lines and the exit code of `.ci/run` with an `npm` that does this after `npm test`. */
async function ciRun(stages: string): Promise<Pick<Ended, 'lines' | 'status'>> {
  const folder = await mkdtemp(join(inject('scratchDir'), 'ci-'));
  await cp(join(COUNT, '..'), join(folder, '.ci'), { recursive: true });
  await mkdir(join(folder, 'bin'));
  const skips = 'Skipped tests: 1\n     1  test/a.test.ts: no Go\n';
  const npm = `#!/bin/sh
    case "$*" in
      test*) printf '%s' '${JSON.stringify({ ...report, skipped: 1, skips })}' > .inlet/test-report.json ;;
      'run test:all -- --except test') printf '%s' '${JSON.stringify(report)}' > .inlet/load-report.json
        ${stages} ;;
    esac`;
  await writeFile(join(folder, 'bin', 'npm'), npm, { mode: 0o755 });
  const { stdout, status } = spawnSync(join(folder, '.ci', 'run'), {
    encoding: 'utf8',
    env: { ...process.env, CLUSTER_TESTS: '0', PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
  });
  return { lines: stdout.trimEnd().split('\n'), status };
}

const SKIPPED = ['Skipped tests: 1', '     1  test/a.test.ts: no Go'];
const NO_CLUSTER = expect.stringMatching(
  /^Skipped: npm run test:cluster, because no Kubernetes cluster was given/,
);

test('`.ci/run` ends with the reasons of all its runs and with the seeds', async () => {
  const { lines, status } = await ciRun(`echo 'seeds 1, 2' >> "$STEP_REPORT"`);
  expect(lines).toEqual([...SKIPPED, 'seeds 1, 2', NO_CLUSTER, '2 passed, 0 failed, 1 skipped']);
  expect(status).toBe(0);
});

test('`.ci/run` names each failed step in its last lines, and counts it', async () => {
  const { lines, status } = await ciRun(`
      echo 'FAILED with seed 2' >> "$STEP_REPORT"
      echo 'FAILED step: npm run test:fuzz' >> "$STEP_REPORT"
      exit 1`);
  expect(lines).toEqual([
    ...SKIPPED,
    'FAILED with seed 2',
    'FAILED step: npm run test:fuzz',
    NO_CLUSTER,
    '2 passed, 1 failed, 1 skipped',
  ]);
  expect(status).toBe(1);
});

test('`.ci/run` fails when the stages fail, or when `npm test` leaves no report', async () => {
  expect(await ciRun('exit 1')).toMatchObject({ status: 1 });
  expect(await ciRun('rm .inlet/test-report.json')).toMatchObject({ status: 1 });
});
