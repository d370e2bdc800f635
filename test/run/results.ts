/**
 * What a run of vitest found, as one result for each test file, and the last lines of the run: the
 * skipped tests with their reasons, the failed tests, and the flaky files.
 */
import { relative } from 'node:path';

import type { TestCase, TestModule, TestRunResult } from 'vitest/node';

import { readSkipNotes } from '../support/skip-notes.ts';

export type FileResult = {
  /** Relative to the checkout. */
  file: string;
  passed: number;
  skipped: number;
  /** Why tests are skipped. */
  reasons: readonly string[];
  /** Two lines for each: the test, and its error. */
  failures: readonly string[];
};

/** What .ci/count.mjs adds up. */
export type Report = { passed: number; failed: number; skipped: number; text: string };

type ErrorLike = {
  message?: string;
  stack?: string;
  cause?: ErrorLike;
  /** vitest knows the file for most errors outside of tests. */
  VITEST_TEST_PATH?: string;
};

const LONGEST = 300;

/** The errors that belong to no file count as the failure of one more file. */
export function resultsOf({ testModules, unhandledErrors }: TestRunResult): FileResult[] {
  const errors = unhandledErrors as ErrorLike[];
  const results = testModules.map((module) =>
    resultOf(
      module,
      errors.filter((error) => isOf(module, error)),
    ),
  );
  const others = errors.filter((error) => !testModules.some((module) => isOf(module, error)));
  if (others.length === 0) return results;
  const failures = others.map((error) => failureText('no test file', '', error));
  return [...results, { file: 'no test file', passed: 0, skipped: 0, reasons: [], failures }];
}

/** @param errors what was thrown while the file ran, but not in one of its tests and hooks */
export function resultOf(module: TestModule, errors: readonly unknown[]): FileResult {
  const { children } = module;
  const file = fileOf(module);
  const failures = [...children.allTests('failed')].map((test) =>
    failureText(file, test.fullName, test.result().errors?.[0]),
  );
  for (const suite of children.allSuites())
    failures.push(...suite.errors().map((error) => failureText(file, suite.fullName, error)));
  for (const error of [...module.errors(), ...errors])
    failures.push(failureText(file, '', error as ErrorLike));
  const hasEnded = ['passed', 'failed', 'skipped'].includes(module.state());
  if (failures.length === 0 && !(hasEnded && module.ok()))
    failures.push(failureText(file, '', { message: 'the file did not run to its end' }));
  const skipped = [...children.allTests('skipped')];
  return {
    file,
    passed: [...children.allTests('passed')].length,
    skipped: skipped.length,
    reasons: reasonsOf(module, skipped),
    failures,
  };
}

/** Relative to the checkout, in which npm runs its scripts. */
export const fileOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId);

/** Of a finder of programs (support/skip-notes.ts), and of tests that skip themselves. */
function reasonsOf(module: TestModule, skipped: readonly TestCase[]): string[] {
  const folder: string | undefined = module.project.getProvidedContext().scratchDir;
  const notes = folder ? readSkipNotes(folder) : [];
  const noted = notes.filter(({ file }) => file === fileOf(module)).map(({ reason }) => reason);
  const given = skipped.map((test) => test.result() as { note?: string }).map(({ note }) => note);
  return [...new Set([...noted, ...given])].filter((reason) => reason !== undefined);
}

/** A worker that crashed names the file only in its message. */
function isOf({ moduleId }: TestModule, error: ErrorLike): boolean {
  const words = [error.message, error.cause?.message].join(' ').split(' ');
  return error.VITEST_TEST_PATH === moduleId || words.includes(moduleId);
}

function failureText(file: string, test: string, error: ErrorLike | undefined): string {
  const text = [error?.stack ?? error?.message, error?.cause?.message].filter(Boolean).join('\n');
  const line = text.split('\n').find((part) => part.trim() !== '') ?? 'no message';
  return `${file}: ${test || 'outside of its tests'}\n    ${line.trim().slice(0, LONGEST)}\n`;
}

/**
 * @param first the results of all files
 * @param again the results of those that ran again, in place of the first ones
 */
export function reportOf(first: readonly FileResult[], again: readonly FileResult[]): Report {
  const last = first.map((one) => again.find(({ file }) => file === one.file) ?? one);
  const failures = last.flatMap((one) => one.failures);
  const flaky = first.filter((_, at) => last[at]?.failures.length === 0);
  const skipped = last.filter((one) => one.skipped > 0);
  const lines = [
    ...skipped.map(
      ({ file, skipped: count, reasons }) =>
        `SKIPPED ${count} in ${file}: ${reasons.join('; ') || 'the test gives no reason'}\n`,
    ),
    ...failures.map((failure) => `FAILED ${failure}`),
    ...flaky.flatMap((one) => one.failures.map((failure) => `FLAKY ${failure}`)),
  ];
  return {
    passed: last.reduce((sum, { passed }) => sum + passed, 0),
    failed: failures.length,
    skipped: last.reduce((sum, one) => sum + one.skipped, 0),
    text: lines.join(''),
  };
}
