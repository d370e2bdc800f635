/**
 * `npm test [-- PATTERN … OPTION …]`: `vitest run`, then each failed file once more, alone. Takes
 * all patterns and options of vitest. The last lines name the skipped tests with the reasons, and the
 * failed and flaky files. Writes the flaky ones to .inlet/flaky.json, and how long each file took to
 * .inlet/test-durations.json.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { createVitest, startVitest, type Vitest } from 'vitest/node';

import { vitestCommand } from './command.ts';
import { durationsOf, durationsText, dearestFirst } from './durations.ts';
import { linesToAdd } from './flaky-files.ts';
import { guardRun } from './guard.ts';
import { fileOf, resultOf, resultsOf } from './results.ts';
import { skippedText } from './skipped.ts';
import { divideTestFiles, EVERYDAY, leftOutText } from './stages.ts';
import { recordTimes } from './times.ts';
import { type FailedFile, type FileResult, filesToRunAgain, verdict } from './verdict.ts';

const FLAKY_FILE = join('.inlet', 'flaky.json');
const DURATIONS_FILE = join('.inlet', 'test-durations.json');
const DEAREST_FILES = 30;

const OWN = {
  '--report <file>':
    'Write the numbers and the last lines of the run to this file, for .ci/count.mjs',
  '--everyday': 'Without patterns: leave out the stages of npm run test:all, and say so',
  '--no-again': 'Do not run failed files once more',
  '--durations': 'Print how long the phases and the dearest files took',
};

guardRun();
await vitestCommand(OWN, process.argv.slice(2), async (patterns, options) => {
  const { watch, standalone, mergeReports, listTags, clearCache } = options;
  if (watch || standalone || mergeReports || listTags || clearCache) {
    const other = await startVitest(patterns, options);
    if (!other.shouldKeepServer()) await other.exit();
    return;
  }
  const isEveryday = Boolean(options.everyday) && patterns.length === 0;
  const chosen = isEveryday ? { project: [...EVERYDAY] } : {};
  const startedMs = performance.now();
  const vitest = await createVitest({ ...options, ...chosen, watch: false });
  try {
    const run = await vitest.start(patterns);
    const first = resultsOf(run);
    const durations = run.testModules.map((module) => durationsOf(module));
    const again = await runAgain(vitest, filesToRunAgain(first, options));
    await writeJson(DURATIONS_FILE, dearestFirst(durations));
    if (options.durations) process.stdout.write(`\n${durationsText(durations, DEAREST_FILES)}`);
    await report(vitest, first, again, options.report);
    if (isEveryday) {
      process.stdout.write(leftOutText(divideTestFiles(process.cwd())));
      if (!process.exitCode)
        await recordTimes({ test: Math.round((performance.now() - startedMs) / 1_000) });
    }
  } finally {
    await vitest.exit();
  }
});

async function runAgain(vitest: Vitest, files: readonly string[]): Promise<FileResult[]> {
  const results: FileResult[] = [];
  for (const module of vitest.state.getTestModules()) {
    if (!files.includes(fileOf(module))) continue;
    process.stdout.write(`\nFailed, so it runs once more, alone: ${fileOf(module)}\n\n`);
    const run = await vitest.runTestSpecifications([module.toTestSpecification()]);
    const after = run.testModules.find(({ id }) => id === module.id);
    if (after) results.push(resultOf(after, run.unhandledErrors));
  }
  return results;
}

async function report(
  vitest: Vitest,
  first: readonly FileResult[],
  again: readonly FileResult[],
  path: string | undefined,
): Promise<void> {
  const { isPassed, ...results } = verdict(first, again);
  const skips = skippedText(vitest);
  const text = results.text + linesToAdd(everydayFiles(vitest, results.flaky), new Date());
  process.stdout.write(skips + (text && `\n${text}`));
  await writeJson(FLAKY_FILE, results.flaky);
  if (path !== undefined) await writeJson(path, { ...results, text, skips });
  // vitest has set it to 1 for the files that failed at first
  if (!isPassed) process.exitCode = 1;
  else if (results.flaky.length > 0) process.exitCode = 0;
}

/** Those of `npm test`. */
function everydayFiles(vitest: Vitest, files: readonly FailedFile[]): string[] {
  const everyday = vitest.state
    .getTestModules()
    .filter(({ project }) => (EVERYDAY as readonly string[]).includes(project.name))
    .map(fileOf);
  return files.map(({ file }) => file).filter((file) => everyday.includes(file));
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
