/** Prints `N passed, N failed, N skipped` from vitest's JSON report; exits 1 when a test failed or none was executed. */
import { readFile } from 'node:fs/promises';

let report;
try {
  report = JSON.parse(await readFile(process.argv[2], 'utf8'));
} catch (error) {
  process.stdout.write(`no test report: ${error.message}\n`);
  process.exit(1);
}
const { numPassedTests: passed, numFailedTests, numPendingTests, numTodoTests, testResults } = report;
// A file that could not be loaded or set up has failed without any test of its own saying so.
const brokenFiles = testResults.filter((file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed')).length;
const failed = numFailedTests + brokenFiles;
process.stdout.write(`${passed} passed, ${failed} failed, ${numPendingTests + numTodoTests} skipped\n`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
