/** Prints `N passed, N failed, N skipped` over vitest's JSON reports; exits 1 when a test failed, or a report is missing or empty. */
import { readFile } from 'node:fs/promises';

const sum = { passed: 0, failed: 0, skipped: 0 };
let isWhole = true;
for (const path of process.argv.slice(2)) {
  let report;
  try {
    report = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    process.stdout.write(`no test report: ${error.message}\n`);
    isWhole = false;
    continue;
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = report;
  // A file that could not be loaded or set up has failed without any test of its own saying so.
  const brokenFiles = testResults.filter(
    (file) =>
      file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  sum.passed += numPassedTests;
  sum.failed += numFailedTests + brokenFiles;
  sum.skipped += numPendingTests + numTodoTests;
  if (numPassedTests === 0) isWhole = false;
}
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
process.exit(sum.failed > 0 || !isWhole ? 1 : 0);
