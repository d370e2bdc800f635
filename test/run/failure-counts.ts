/** How often each file and test failed in several runs of the same files. */
import type { FileResult } from './verdict.ts';

/** The files that failed most come first. */
export function failureCounts(runs: readonly (readonly FileResult[])[]): {
  text: string;
  hasFailure: boolean;
} {
  const results = Map.groupBy(runs.flat(), ({ file }) => file);
  const files = [...results].map(([file, all]) => ({
    file,
    failed: all.filter(({ failures }) => failures.length > 0).length,
    tests: Map.groupBy(
      all.flatMap(({ failures }) => failures),
      ({ test }) => test,
    ),
  }));
  const lines = files
    .toSorted((one, other) => other.failed - one.failed || one.file.localeCompare(other.file))
    .flatMap(({ file, failed, tests }) => [
      `failed ${failed} of ${runs.length}  ${file}`,
      ...[...tests].flatMap(([test, failures]) => [
        `    ${failures.length} × ${test || 'outside of its tests'}`,
        ...new Set(failures.map(({ error }) => `        ${error}`)),
      ]),
    ]);
  return { text: `${lines.join('\n')}\n`, hasFailure: files.some(({ failed }) => failed > 0) };
}
