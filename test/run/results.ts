/** What vitest knows about a run, as one result for each test file. */
import { relative } from 'node:path';

import type { TestModule, TestRunResult } from 'vitest/node';

import type { Failure, FileResult } from './verdict.ts';

const LONGEST = 300;

type ErrorLike = {
  message?: string;
  stack?: string;
  cause?: ErrorLike;
  /** vitest knows the file for most errors outside of tests. */
  VITEST_TEST_PATH?: string;
};

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
  const failures = others.map((error) => ({ test: '', error: lineOf(error) }));
  return [...results, { file: 'no test file', passed: 0, skipped: 0, failures }];
}

/** @param errors what was thrown while the file ran, but not in one of its tests and hooks */
export function resultOf(module: TestModule, errors: readonly unknown[]): FileResult {
  const { children } = module;
  const failures: Failure[] = [...children.allTests('failed')].map((test) => ({
    test: test.fullName,
    error: lineOf(test.result().errors?.[0]),
  }));
  for (const suite of children.allSuites())
    for (const error of suite.errors())
      failures.push({ test: suite.fullName, error: lineOf(error) });
  for (const error of [...module.errors(), ...errors])
    failures.push({ test: '', error: lineOf(error as ErrorLike) });
  const hasEnded = ['passed', 'failed', 'skipped'].includes(module.state());
  if (failures.length === 0 && !(hasEnded && module.ok()))
    failures.push({ test: '', error: 'the file did not run to its end' });
  return {
    file: fileOf(module),
    passed: [...children.allTests('passed')].length,
    skipped: [...children.allTests('skipped')].length,
    failures,
  };
}

/** Relative to the checkout, in which npm runs its scripts. */
export function fileOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}

/** A worker that crashed names the file only in its message. */
function isOf({ moduleId }: TestModule, error: ErrorLike): boolean {
  const words = [error.message, error.cause?.message].join(' ').split(' ');
  return error.VITEST_TEST_PATH === moduleId || words.includes(moduleId);
}

function lineOf(error: ErrorLike | undefined): string {
  const text = [error?.stack ?? error?.message, error?.cause?.message].filter(Boolean).join('\n');
  const line = text.split('\n').find((part) => part.trim() !== '');
  return line?.trim().slice(0, LONGEST) ?? 'no message';
}
