/**
 * `npm run test:all [-- --stage NAME … | --except NAME …]`: everything, in stages, one after another.
 * The last lines say how long each took. A stage whose inputs are those of a green run is skipped, see
 * green-stages.ts, unless it is named, or CI_ALL=1 is set. Each stage writes a report to .inlet for
 * .ci/count.mjs; one that fails without a report is named in the file STEP_REPORT.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { createGreenStages } from './green-stages.ts';
import { STAGES } from './stages.ts';
import { minutesText, recordTimes } from './times.ts';

type Step = { name: string; command: string; report?: string };
type Ended = { name: string; seconds: number; result: 'passed' | 'FAILED' | 'skipped' };

const reportOf = (name: string) => join('.inlet', `${name}-report.json`);

/** In the order in which they run: what fails early is known early. */
const STEPS: Step[] = [
  { name: 'test', command: 'npm test', report: reportOf('test') },
  { name: 'check', command: 'npm run check' },
  ...STAGES.map(({ name }) => ({
    name,
    command:
      'node test/run/main.ts --config test/vitest.config.ts ' +
      `--project ${name} --report ${reportOf(name)} --durations`,
    report: reportOf(name),
  })),
  { name: 'fuzz', command: 'npm run test:fuzz -- --may-fail 1' },
  { name: 'cluster', command: 'npm run test:cluster', report: reportOf('cluster') },
];
/** It needs the cluster of the current kubectl context. */
const hasCluster = process.env.CLUSTER_TESTS === '1';

const { values } = parseArgs({
  options: {
    stage: { type: 'string', multiple: true },
    except: { type: 'string', multiple: true, default: [] },
  },
});
const names = STEPS.map(({ name }) => name);
for (const name of [...(values.stage ?? []), ...values.except])
  if (!names.includes(name))
    throw new Error(`there is no stage ${name}; there are ${names.join(', ')}`);
const chosen = STEPS.filter(({ name }) =>
  values.stage
    ? values.stage.includes(name)
    : !values.except.includes(name) && (name !== 'cluster' || hasCluster),
);

const greenStages = createGreenStages(process.cwd());
const ended: Ended[] = [];
for (const step of chosen) ended.push(await runStep(step, values.stage !== undefined));
const passed = ended.filter(({ result }) => result === 'passed');
await recordTimes(Object.fromEntries(passed.map(({ name, seconds }) => [name, seconds])));
process.stdout.write(`\nStages, in minutes and seconds:\n${ended.map(lineOf).join('')}`);
process.exitCode = ended.some(({ result }) => result === 'FAILED') ? 1 : 0;

/** @param isAskedFor by its name: it is not skipped */
async function runStep({ name, command, report }: Step, isAskedFor: boolean): Promise<Ended> {
  const inputs = await greenStages.inputsOf(name);
  const green =
    inputs && !isAskedFor && !process.env.CI_ALL
      ? await greenStages.runWith(name, inputs)
      : undefined;
  if (green) {
    const why = `its inputs are those of its green run at ${green.commit}. CI_ALL=1 runs it.`;
    tell(`Skipped: stage ${name}, because ${why}`);
    return { name, seconds: 0, result: 'skipped' };
  }
  process.stdout.write(`\nStage ${name}: ${command}\n`);
  if (report) await rm(report, { force: true });
  const startedMs = performance.now();
  const isPassed = (await run(command)) === 0;
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  if (!isPassed && !(report && existsSync(report))) tell(`FAILED step: ${command}`);
  if (isPassed && inputs && inputs === (await greenStages.inputsOf(name))) {
    if (report && (await isSurelyGreen(report))) await greenStages.record(name, inputs);
  }
  return { name, seconds, result: isPassed ? 'passed' : 'FAILED' };
}

/** A stage without the programs that it needs skips tests, and proves nothing about them. */
async function isSurelyGreen(report: string): Promise<boolean> {
  type Report = { skipped: number; flaky: unknown[] };
  const { skipped, flaky } = JSON.parse(await readFile(report, 'utf8')) as Report;
  return skipped === 0 && flaky.length === 0;
}

/** Ctrl-C reaches the command, too. */
function run(command: string): Promise<number> {
  const child = spawn(command, { stdio: 'inherit', shell: true });
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGTERM', forward);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      process.off('SIGTERM', forward);
      resolve(code ?? 1);
    });
  });
}

function tell(line: string): void {
  process.stdout.write(`\n${line}\n`);
  if (process.env.STEP_REPORT) appendFileSync(process.env.STEP_REPORT, `${line}\n`);
}

function lineOf({ name, seconds, result }: Ended): string {
  return `  ${name.padEnd(10)} ${minutesText(seconds).padStart(6)}  ${result}\n`;
}
