/**
 * `npm test` is no lottery: a file that fails runs once more, alone. The decision as a table, and
 * runs of vitest with small test files.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { failureCounts } from '../run/failure-counts.ts';
import { type FileResult, filesToRunAgain, verdict } from '../run/verdict.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');

const failing = (file: string): FileResult => ({
  file,
  passed: 1,
  skipped: 1,
  failures: [
    { test: 'a rule holds', error: 'Error: 1' },
    { test: '', error: 'Error: 2' },
  ],
});
const passing = (file: string): FileResult => ({ file, passed: 3, skipped: 1, failures: [] });
const files = (count: number) => Array.from({ length: count }, (_, at) => `${at}.test.ts`);

describe('the decision', () => {
  test.each([
    ['nothing failed', [passing('a')], [], true, []],
    ['a file failed twice', [failing('a'), passing('b')], [failing('a')], false, []],
    ['a file failed, then passed', [failing('a'), passing('b')], [passing('a')], true, ['a']],
    ['a file failed and did not run again', [failing('a')], [], false, []],
    [
      'of two files, one passed',
      [failing('a'), failing('b')],
      [passing('a'), failing('b')],
      false,
      ['a'],
    ],
    ['three flaky files', files(3).map(failing), files(3).map(passing), true, files(3)],
    ['four flaky files', files(4).map(failing), files(4).map(passing), false, files(4)],
  ])('%s', (_, first, again, isPassed, flaky) => {
    const result = verdict(first, again);
    expect(result.isPassed).toBe(isPassed);
    expect(result.flaky.map(({ file }) => file)).toEqual(flaky);
  });

  test('each file counts once: with its second result if it ran twice', () => {
    const first = [failing('a'), failing('b'), passing('c')];
    expect(verdict(first, [passing('a'), failing('b')])).toMatchObject({
      passed: 3 + 1 + 3,
      failed: 2,
      skipped: 3,
    });
  });

  test('the last lines name each failure of a failed or flaky file, and what to do', () => {
    const lines = verdict(files(4).map(failing), files(4).map(passing)).text.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'FLAKY 0.test.ts: a rule holds',
      '    Error: 1',
      'FLAKY 0.test.ts, outside of its tests',
      '    Error: 2',
    ]);
    expect(lines.slice(-3)).toEqual([
      '    npm run test:repeat -- 0.test.ts 1.test.ts 2.test.ts 3.test.ts',
      'More than 3 flaky files fail the run: 4',
      '',
    ]);
    expect(verdict([failing('a')], [failing('a')]).text).toBe(
      'FAILED a: a rule holds\n    Error: 1\nFAILED a, outside of its tests\n    Error: 2\n',
    );
    expect(verdict([passing('a')], []).text).toBe('');
  });

  test.each([
    ['ten failed files run again', files(10), {}, files(10)],
    ['eleven are too many', files(11), {}, []],
    ['--no-again', ['a'], { again: false }, []],
    ['--update', ['a'], { update: true }, []],
    ['--bail 1', ['a'], { bail: 1 }, []],
  ])('%s', (_, failed, options, again) => {
    const first = [passing('good'), ...failed.map(failing)];
    expect(filesToRunAgain(first, options)).toEqual(again);
  });
});

const PASSES = `import { test } from 'vitest'; test('works', () => {});`;
const FAILS = `import { test } from 'vitest'; test('fails', () => { throw new Error('always'); });`;
/** Fails the first time that it runs. */
const once = (failure: string) => `
  import { existsSync, writeFileSync } from 'node:fs';
  import { test } from 'vitest';
  test('fails once', async () => {
    const mark = import.meta.filename + '.mark';
    if (existsSync(mark)) return;
    writeFileSync(mark, '');
    ${failure}
  });`;
const FAILS_ONCE = once(`throw new Error('by chance');`);

type Ended = { status: number | null; output: string; report?: object; flaky?: object };

const MAIN = ['main.ts', '--report', 'report.json'];

/** Runs a program of test/run with these test files. */
async function run(
  [program = '', ...args]: string[],
  sources: Record<string, string>,
): Promise<Ended> {
  await mkdir(join(CHECKOUT, '.inlet'), { recursive: true });
  const cwd = await mkdtemp(join(CHECKOUT, '.inlet', 'flaky-test-')); // finds vitest in node_modules
  onTestFinished(() => rm(cwd, { recursive: true }));
  const config = `export default { test: { include: ['*.mjs'], exclude: ['config.mjs'], maxWorkers: 1 } };`;
  await writeFile(join(cwd, 'config.mjs'), config);
  for (const [name, source] of Object.entries(sources)) await writeFile(join(cwd, name), source);
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(CHECKOUT, 'test/run', program), '--config', 'config.mjs', ...args],
    { cwd, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  );
  const report = await jsonIn(join(cwd, 'report.json'));
  return { status, output: stdout, report, flaky: await jsonIn(join(cwd, '.inlet', 'flaky.json')) };
}

async function jsonIn(path: string): Promise<object | undefined> {
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as object) : undefined;
}

const npmTest = (sources: Record<string, string>, ...args: string[]) =>
  run([...MAIN, ...args], sources);

describe('a run', () => {
  test('a file that fails once is reported and the run passes, however it fails', async () => {
    const { status, output, report, flaky } = await npmTest({
      'good.mjs': PASSES,
      'throws.mjs': FAILS_ONCE,
      'crashes.mjs': once(`process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`),
      'later.mjs': once(
        `setTimeout(() => { throw new Error('late') }); await new Promise(r => setTimeout(r, 50));`,
      ),
    });
    const expected = [
      {
        file: 'crashes.mjs',
        failures: expect.arrayContaining([{ test: '', error: expect.stringMatching(/Worker/) }]),
      },
      { file: 'later.mjs', failures: [{ test: '', error: 'Error: late' }] },
      { file: 'throws.mjs', failures: [{ test: 'fails once', error: 'Error: by chance' }] },
    ];
    expect(flaky).toHaveLength(3);
    expect(flaky).toEqual(expect.arrayContaining(expected));
    expect(report).toMatchObject({ passed: 4, failed: 0, skipped: 0, flaky });
    expect(output).toContain('FLAKY throws.mjs: fails once\n    Error: by chance\n');
    expect(status).toBe(0);
  });

  test('a file that always fails still fails the run', async () => {
    const { status, output, report, flaky } = await npmTest({
      'bad.mjs': FAILS,
      'once.mjs': FAILS_ONCE,
    });
    expect(status).toBe(1);
    expect(output).toContain('FAILED bad.mjs: fails\n    Error: always\n');
    expect(report).toMatchObject({ passed: 1, failed: 1 });
    expect(flaky).toMatchObject([{ file: 'once.mjs' }]);
  });

  test('four flaky files fail the run', async () => {
    const names = ['a.mjs', 'b.mjs', 'c.mjs', 'd.mjs'];
    const { status, output, flaky } = await npmTest(
      Object.fromEntries(names.map((name) => [name, FAILS_ONCE])),
    );
    expect(status).toBe(1);
    expect(flaky).toHaveLength(4);
    expect(output.trimEnd()).toMatch(/\nMore than 3 flaky files fail the run: 4$/);
  });

  test('--no-again: failed files do not run again', async () => {
    const { status, flaky } = await npmTest({ 'once.mjs': FAILS_ONCE }, '--no-again');
    expect(status).toBe(1);
    expect(flaky).toEqual([]);
  });

  test('patterns and options of vitest choose the tests, also those that run again', async () => {
    const { status, report } = await npmTest(
      { 'once.mjs': FAILS_ONCE + FAILS.replace(/^.*?;/, ''), 'good.mjs': PASSES, 'bad.mjs': FAILS },
      'once',
      'good',
      '-t',
      'fails once',
      '--exclude',
      'good.mjs',
    );
    expect(status).toBe(0);
    expect(report).toMatchObject({ passed: 1, skipped: 1, flaky: [{ file: 'once.mjs' }] });
  });

  test('a pattern that no file matches fails the run', async () => {
    expect((await npmTest({ 'good.mjs': PASSES }, 'nothing')).status).toBe(1);
  });
});

describe('npm run test:repeat', () => {
  test('counts how often each file and test failed, those that failed most first', () => {
    const other = { ...passing('b'), failures: [{ test: 'a rule holds', error: 'Error: 3' }] };
    const runs = [
      [passing('a'), failing('b')],
      [passing('a'), other],
      [passing('a'), passing('b')],
    ];
    expect(failureCounts(runs)).toEqual({
      hasFailure: true,
      text: `failed 2 of 3  b
    2 × a rule holds
        Error: 1
        Error: 3
    1 × outside of its tests
        Error: 2
failed 0 of 3  a
`,
    });
    expect(failureCounts([[passing('a')]])).toMatchObject({ hasFailure: false });
  });

  test('runs the chosen files many times, and fails if one failed', async () => {
    const repeat = ['repeat.ts', '--times', '3', '--load', '1', 'once', 'good'];
    const sources = { 'once.mjs': FAILS_ONCE, 'good.mjs': PASSES, 'bad.mjs': FAILS };
    const { status, output } = await run(repeat, sources);
    expect(output).toMatch(
      /\nfailed 1 of 3 {2}once.mjs\n {4}1 × fails once\n.*\nfailed 0 of 3 {2}good.mjs\n$/,
    );
    expect(status).toBe(1);
  });
});
