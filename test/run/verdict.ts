/**
 * Whether a run passes. A file that fails runs once more, alone; if it passes then, it is flaky,
 * and the run passes nevertheless. Many flaky files fail the run.
 */
import type { Options } from './command.ts';

/** `test` is empty for an error outside of the tests. */
export type Failure = { test: string; error: string };
/** `file` is relative to the checkout. The file failed if it has a failure. */
export type FileResult = {
  file: string;
  passed: number;
  skipped: number;
  failures: readonly Failure[];
};
export type FailedFile = Pick<FileResult, 'file' | 'failures'>;

export type Verdict = {
  isPassed: boolean;
  passed: number;
  /** Tests that failed twice, or failed in a file that did not run again. */
  failed: number;
  skipped: number;
  /** Files that failed, then passed, with their first failures. */
  flaky: FailedFile[];
  /** The failed and the flaky files, for the last lines of the run. */
  text: string;
};

/** .ci/count.mjs has the same limit for several runs together. */
const MOST_FLAKY = 3;
/** With more failed files, chance is not the cause. */
const MOST_AGAIN = 10;

/** The files that run again. */
export function filesToRunAgain(
  first: readonly FileResult[],
  { again = true, update, bail }: Pick<Options, 'again' | 'update' | 'bail'>,
): string[] {
  if (!again || update || bail) return []; // after --bail, results are missing
  const failed = first.filter(hasFailed).map(({ file }) => file);
  return failed.length > MOST_AGAIN ? [] : failed;
}

/**
 * @param first the results of all files
 * @param again the results of those that ran again, in place of the first ones
 */
export function verdict(first: readonly FileResult[], again: readonly FileResult[]): Verdict {
  const last = first.map((one) => again.find(({ file }) => file === one.file) ?? one);
  const failed = last.filter(hasFailed);
  const flaky = first
    .filter((one, at) => hasFailed(one) && last[at]?.failures.length === 0)
    .map(({ file, failures }) => ({ file, failures }));
  const isFlaky = flaky.length > MOST_FLAKY;
  return {
    isPassed: failed.length === 0 && !isFlaky,
    passed: sum(last, ({ passed }) => passed),
    failed: sum(failed, ({ failures }) => failures.length),
    skipped: sum(last, ({ skipped }) => skipped),
    flaky,
    text: [
      ...failed.flatMap((one) => linesOf('FAILED', one)),
      ...flaky.flatMap((one) => linesOf('FLAKY', one)),
      ...(flaky.length > 0 ? adviceOn(flaky, isFlaky) : []),
    ]
      .map((line) => `${line}\n`)
      .join(''),
  };
}

function hasFailed({ failures }: FileResult): boolean {
  return failures.length > 0;
}

function linesOf(word: string, { file, failures }: FailedFile): string[] {
  return failures.flatMap(({ test, error }) => [
    `${word} ${file}${test === '' ? ', outside of its tests' : `: ${test}`}`,
    `    ${error}`,
  ]);
}

function adviceOn(flaky: readonly FailedFile[], isTooMany: boolean): string[] {
  const files = flaky.map(({ file }) => file).join(' ');
  return [
    'A flaky file failed, then passed when it ran once more, alone. To find the cause:',
    `    npm run test:repeat -- ${files}`,
    ...(isTooMany ? [`More than ${MOST_FLAKY} flaky files fail the run: ${flaky.length}`] : []),
  ];
}

function sum(files: readonly FileResult[], count: (file: FileResult) => number): number {
  return files.reduce((total, file) => total + count(file), 0);
}
