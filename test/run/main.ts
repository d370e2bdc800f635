/**
 * `npm test [-- PATTERN … OPTION …]`: `vitest run`, then each failed file once more, alone, in a new
 * process. Takes all patterns and options of vitest. The last lines name the skipped tests with the reasons,
 * the failed tests, and the flaky files, which failed and then passed. The file TEST_REPORT gets the
 * same for .ci/count.mjs.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import {
  type CliOptions,
  createCLI,
  createVitest,
  TestsNotFoundError,
  type Vitest,
} from 'vitest/node';

import { guardRun } from './guard.ts';
import { fileOf, type FileResult, reportOf, resultOf, resultsOf } from './results.ts';
import { divideTestFiles, EVERYDAY, leftOutText } from './stages.ts';

const CONFIG = 'test/vitest.config.ts';
/** With more failed files, chance is not the cause. */
const MOST_AGAIN = 10;

guardRun();
const reportFile = process.env.TEST_REPORT;
delete process.env.TEST_REPORT; // a test that starts a run of its own leaves it alone
const cli = createCLI();
const command = cli.commands.find(({ name }) => name === 'run');
if (command === undefined) throw new Error('vitest has no command "run"');
command.action(run);
cli.parse(['node', 'vitest', 'run', ...process.argv.slice(2)], { run: false });
try {
  await cli.runMatchedCommand();
} catch (error) {
  if (!(error instanceof TestsNotFoundError)) throw error; // vitest has printed it
}

/** vitest's command line and its API have different names for what is excluded. */
type Parsed = CliOptions & { exclude?: string | string[] };

async function run(patterns: string[], { exclude = [], ...parsed }: Parsed): Promise<void> {
  const options: CliOptions = {
    config: CONFIG,
    cliExclude: [exclude].flat(),
    ...parsed,
    ...(patterns.some((pattern) => pattern.includes(':')) && { includeTaskLocation: true }),
  };
  const isEveryday = patterns.length === 0 && !parsed.config && !parsed.project;
  if (isEveryday) options.project = [...EVERYDAY];
  const vitest = await createVitest({ ...options, watch: false });
  try {
    const first = resultsOf(await vitest.start(patterns));
    const again = await runAgain(vitest, first, options);
    await report(first, again, options);
    if (isEveryday) process.stdout.write(leftOutText(divideTestFiles(process.cwd())));
  } finally {
    await vitest.exit();
  }
}

async function runAgain(
  vitest: Vitest,
  first: readonly FileResult[],
  { update, bail }: CliOptions,
): Promise<FileResult[]> {
  const failed = first.filter(({ failures }) => failures.length > 0).map(({ file }) => file);
  if (update || bail || failed.length > MOST_AGAIN) return []; // after --bail, results are missing
  const results: FileResult[] = [];
  for (const module of vitest.state.getTestModules()) {
    if (!failed.includes(fileOf(module))) continue;
    process.stdout.write(`\nFailed, so it runs once more, alone: ${fileOf(module)}\n\n`);
    const again = await vitest.runTestSpecifications([module.toTestSpecification()]);
    const after = again.testModules.find(({ id }) => id === module.id);
    if (after) results.push(resultOf(after, again.unhandledErrors));
  }
  return results;
}

async function report(
  first: readonly FileResult[],
  again: readonly FileResult[],
  { testNamePattern }: CliOptions,
): Promise<void> {
  const results = reportOf(first, again);
  // who chooses tests by their names knows that the others are skipped
  const lines =
    testNamePattern === undefined ? results.text : results.text.replace(/^SKIPPED.*\n/gm, '');
  if (lines !== '') process.stdout.write(`\n${lines}`);
  if (reportFile) {
    await mkdir(dirname(reportFile), { recursive: true });
    await writeFile(reportFile, JSON.stringify(results));
  }
  // vitest has set it to 1 for the files that failed at first
  if (results.failed > 0) process.exitCode = 1;
  else if (again.length > 0) process.exitCode = 0;
}
