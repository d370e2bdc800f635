/**
 * A run is no lottery and no sieve: a file that fails runs once more, alone, and is named; so is what
 * failed twice or was skipped. `.ci/run` adds up the reports.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { divideTestFiles, leftOutText, STAGES } from './stages.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');

const PASSES = `import { test } from 'vitest'; test('works', () => {}); test('waits', ({ skip }) => skip('no Go'));`;
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

/** Runs these test files, and counts the report as `.ci/run` does. */
async function runFiles(sources: Record<string, string>, steps = '') {
  await mkdir(join(CHECKOUT, '.inlet'), { recursive: true });
  const cwd = await mkdtemp(join(CHECKOUT, '.inlet', 'run-test-')); // finds vitest in node_modules
  onTestFinished(() => rm(cwd, { recursive: true }));
  const config = `export default { test: { include: ['*.mjs'], exclude: ['config.mjs'], maxWorkers: 1 } };`;
  const files = { 'config.mjs': config, 'steps.txt': steps, ...sources };
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  const env = { TEST_REPORT: 'report.json', STEP_REPORT: 'steps.txt', NO_COLOR: '1' };
  const node = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env: { ...process.env, ...env } });
  const run = node(join(CHECKOUT, 'test/run/main.ts'), '--config', 'config.mjs');
  const counted = node(join(CHECKOUT, '.ci/count.mjs'), 'report.json');
  const lines = counted.stdout.trimEnd().split('\n');
  return { output: run.stdout, lines, statuses: [run.status, counted.status] };
}

test('a file that fails once is named and the run passes, however it fails', async () => {
  const { output, lines, statuses } = await runFiles({
    'good.mjs': PASSES,
    'throws.mjs': once(`throw new Error('by chance');`),
    'crashes.mjs': once(`process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`),
    'later.mjs': once(
      `setTimeout(() => { throw new Error('late') }); await new Promise(r => setTimeout(r, 50));`,
    ),
  });
  expect(statuses).toEqual([0, 0]);
  expect(lines[0]).toBe('SKIPPED 1 in good.mjs: no Go');
  expect(lines.join('\n')).toContain('FLAKY throws.mjs: fails once\n    Error: by chance\n');
  expect(lines.join('\n')).toContain('FLAKY later.mjs: outside of its tests\n    Error: late\n');
  expect(lines.join('\n')).toMatch(/FLAKY crashes\.mjs: .*\n {4}.*Worker/);
  expect(lines.at(-1)).toBe('4 passed, 0 failed, 1 skipped');
  expect(output.trimEnd().endsWith(lines.slice(0, -1).join('\n'))).toBe(true);
});

test('a file that always fails, and a step that failed, fail the run', async () => {
  const steps = 'seeds 1, 2\nFAILED step: npm run check\n';
  const { lines, statuses } = await runFiles({ 'bad.mjs': FAILS, 'good.mjs': PASSES }, steps);
  expect(statuses).toEqual([1, 1]);
  expect(lines).toEqual([
    'SKIPPED 1 in good.mjs: no Go',
    'FAILED bad.mjs: fails',
    '    Error: always',
    ...steps.trimEnd().split('\n'),
    '1 passed, 2 failed, 1 skipped',
  ]);
});

test('without a test, the run and the count fail', async () => {
  expect((await runFiles({})).statuses).toEqual([1, 1]);
});

test('its name, its folder and what it imports decide about a file; the last lines count them', () => {
  const divided = divideTestFiles(CHECKOUT);
  for (const [project, file] of Object.entries({
    plain: 'test/core/time/duration.test.ts',
    servers: 'test/system/first-mail.test.ts',
    load: 'test/gateway/receive/worst-content.load.test.ts',
    slow: 'test/cli/restore.slow.test.ts',
    browser: 'test/api/sites/docs-browser.test.ts',
    contract: 'test/contract/contract.test.ts',
    languages: 'test/docs/snippets.test.ts',
    chart: 'test/alerts/alerts.test.ts',
    programs: 'test/workflows.test.ts',
    systems: 'test/cli/listen.test.ts',
  }))
    expect(divided).toMatchObject({ [project]: expect.arrayContaining([file]) });
  const text = leftOutText(divided);
  for (const { name } of STAGES) expect(text).toContain(`${name} (${divided[name].length} files)`);
});
