/**
 * Adds up vitest's JSON reports and prints `N passed, N failed, N skipped`.
 * Exits with 1 if a test failed, or if a report is missing or empty.
 */
import { readFile } from 'node:fs/promises';

const sum = { passed: 0, failed: 0, skipped: 0 };
let isComplete = true;
for (const path of process.argv.slice(2)) {
  let report;
  try {
    report = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    process.stdout.write(`no test report: ${error.message}\n`);
    isComplete = false;
    continue;
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = report;
  // A file that could not be loaded or set up failed without a failed test in it.
  const brokenFiles = testResults.filter(
    (file) =>
      file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  sum.passed += numPassedTests;
  sum.failed += numFailedTests + brokenFiles;
  sum.skipped += numPendingTests + numTodoTests;
  if (numPassedTests === 0) isComplete = false;
}
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
process.exit(sum.failed > 0 || !isComplete ? 1 : 0);
