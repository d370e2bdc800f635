/**
 * Adds up vitest's JSON reports. Prints why tests were skipped (the file SKIP_REPORT), the name and
 * the first error line of each failed test, what other steps report (the file STEP_REPORT), and then,
 * as the last line, `N passed, N failed, N skipped`. A failed step counts as one failure.
 * Exits with 1 if a test or a step failed, or if a report is missing or empty.
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
const steps = await textOf(process.env.STEP_REPORT);
sum.failed = failures.length + (steps.match(/^FAILED step: /gm)?.length ?? 0);
process.stdout.write(await textOf(process.env.SKIP_REPORT));
process.stdout.write(failures.join(''));
process.stdout.write(steps);
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
process.exit(sum.failed > 0 || !isComplete ? 1 : 0);

function firstLine(message) {
  const line = (message ?? '').split('\n').find((text) => text.trim() !== '');
  return line?.trim().slice(0, 300) ?? 'no message';
}

/** Empty without the file, or when nothing was reported. */
async function textOf(path) {
  return path ? readFile(path, 'utf8').catch(() => '') : '';
}
