/**
 * Test files that failed by chance. They are not part of `npm test`, but of the stage `slow`, until
 * their cause is mended: then `npm run test:repeat -- FILE` passes ten times, and its line goes. A run
 * that finds a flaky file prints the line to add (D182).
 */
export type FlakyFile = {
  /** The day of the run, `2026-11-27`. */
  since: string;
  /** What is known about the cause. */
  cause: string;
};

/** By path. test/project/flaky-files.test.ts checks each line. */
export const FLAKY_FILES: Readonly<Record<string, FlakyFile>> = {};

/** The lines to add for flaky files of `npm test`. Empty without any. */
export function linesToAdd(files: readonly string[], now: Date): string {
  if (files.length === 0) return '';
  const since = now.toISOString().slice(0, 10);
  const lines = files.map((file) => `  '${file}': { since: '${since}', cause: '' },\n`);
  return `Mend it, or add it with its cause to test/run/flaky-files.ts:\n${lines.join('')}`;
}
