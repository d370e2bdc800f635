/**
 * Adds up the reports of test/run/main.ts that are its arguments. Prints why tests were skipped, the
 * failed tests and the flaky files, what other steps report (the file STEP_REPORT), and then, as the
 * last line, `N passed, N failed, N skipped`. A failed step counts as one failure. Writes the flaky
 * files of all reports to .inlet/flaky.json. Exits with 1 if a test or a step failed, if more than
 * three files are flaky, or if a report is missing or empty.
 */
import { readFile, writeFile } from 'node:fs/promises';

const MOST_FLAKY = 3;

const reports = [];
let isComplete = true;
for (const path of process.argv.slice(2))
  try {
    const report = JSON.parse(await readFile(path, 'utf8'));
    if (report.passed + report.skipped === 0) isComplete = false;
    reports.push(report);
  } catch (error) {
    process.stdout.write(`no test report: ${error.message}\n`);
    isComplete = false;
  }
const flaky = reports.flatMap((report) => report.flaky);
await writeFile('.inlet/flaky.json', `${JSON.stringify(flaky, null, 2)}\n`);
const path = process.env.STEP_REPORT;
let steps = path ? await readFile(path, 'utf8').catch(() => '') : ''; // no step reported anything
if (flaky.length > MOST_FLAKY)
  steps += `FAILED step: at most ${MOST_FLAKY} files may be flaky, but ${flaky.length} are\n`;
const failed = sum('failed') + (steps.match(/^FAILED step: /gm)?.length ?? 0);
process.stdout.write(reports.map(({ skips }) => skips).join(''));
process.stdout.write(reports.map(({ text }) => text).join(''));
process.stdout.write(steps);
process.stdout.write(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped\n`);
process.exit(failed > 0 || !isComplete ? 1 : 0);

function sum(name) {
  return reports.reduce((total, report) => total + report[name], 0);
}
