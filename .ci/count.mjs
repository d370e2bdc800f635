/**
 * Adds up the reports of test/run/main.ts that are its arguments. Prints why tests were skipped, the
 * failed tests and the flaky files, what other steps report (the file STEP_REPORT), and then, as the
 * last line, `N passed, N failed, N skipped`. A failed step counts as one failure. Exits with 1 if a
 * test or a step failed, if a report is missing, or if no test passed.
 */
import { readFile } from 'node:fs/promises';

const total = { passed: 0, failed: 0, skipped: 0 };
let text = '';
for (const path of process.argv.slice(2))
  try {
    const report = JSON.parse(await readFile(path, 'utf8'));
    for (const name of Object.keys(total)) total[name] += report[name];
    text += report.text;
  } catch (error) {
    text += `FAILED step: no test report: ${error.message}\n`;
  }
if (total.passed === 0) text += 'FAILED step: no test ran\n';
const path = process.env.STEP_REPORT;
if (path) text += await readFile(path, 'utf8').catch(() => ''); // no step reported anything
total.failed += text.match(/^FAILED step: /gm)?.length ?? 0;
process.stdout.write(
  `${text}${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`,
);
process.exit(total.failed > 0 ? 1 : 0);
