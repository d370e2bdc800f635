/**
 * Adds up vitest's JSON reports. Prints why tests were skipped (the file SKIP_REPORT), the name and
 * the first error line of each failed test, and then, as the last line,
 * `N passed, N failed, N skipped`.
 * Exits with 1 if a test failed, or if a report is missing or empty.
 */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';

const sum = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
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
  const { numPassedTests, numPendingTests, numTodoTests, testResults } = report;
  for (const file of testResults) {
    const name = relative(process.cwd(), file.name);
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName, failureMessages } of failed)
      failures.push(`FAILED ${name}: ${fullName}\n    ${firstLine(failureMessages[0])}\n`);
    // A file that could not be loaded or set up failed without a failed test in it.
    if (file.status === 'failed' && failed.length === 0)
      failures.push(`FAILED ${name}, outside of its tests\n    ${firstLine(file.message)}\n`);
  }
  sum.passed += numPassedTests;
  sum.skipped += numPendingTests + numTodoTests;
  if (numPassedTests === 0) isComplete = false;
}
sum.failed = failures.length;
process.stdout.write(await skipReasons());
process.stdout.write(failures.join(''));
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
process.exit(sum.failed > 0 || !isComplete ? 1 : 0);

function firstLine(message) {
  const line = (message ?? '').split('\n').find((text) => text.trim() !== '');
  return line?.trim().slice(0, 300) ?? 'no message';
}

/** Empty when nothing was skipped, or without SKIP_REPORT. */
async function skipReasons() {
  const path = process.env.SKIP_REPORT;
  return path ? readFile(path, 'utf8').catch(() => '') : '';
}
