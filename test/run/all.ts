/**
 * `npm run test:all [-- --stage NAME … | --except NAME …]`: everything, in stages, one after another.
 * The last lines say how long each took. Each stage writes a report to .inlet for .ci/count.mjs; one
 * that fails without a report is named in the file STEP_REPORT.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { type Stage, STAGES } from './stages.ts';

type Step = { name: string; command: string };

const RUN = 'node test/run/main.ts';
/** In the order in which they run: what fails early is known early. */
const STEPS: readonly (Step & Partial<Stage>)[] = [
  { name: 'test', command: 'npm test' },
  { name: 'check', command: 'npm run check' },
  ...STAGES.map((stage) => ({ ...stage, command: `${RUN} --project ${stage.name}` })),
  { name: 'fuzz', command: 'npm run test:fuzz -- --may-fail 1' },
  { name: 'cluster', command: 'npm run test:cluster' },
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
const lines: string[] = [];
for (const step of inSharedRuns(chosen)) lines.push(await runStep(step));
process.stdout.write(`\nStages, in minutes and seconds:\n${lines.join('')}`);

/** One step for all stages that share a run, in the place of the first. */
function inSharedRuns(steps: readonly (Step & Partial<Stage>)[]): Step[] {
  const shared = steps.filter(({ isShared }) => isShared).map(({ name }) => name);
  const projects = shared.map((name) => `--project ${name}`).join(' ');
  const step = { name: shared.join(', '), command: `${RUN} ${projects}` };
  const at = steps.findIndex(({ isShared }) => isShared);
  return steps.flatMap((one, index) => (index === at ? [step] : one.isShared ? [] : [one]));
}

/** @returns its line for the end */
async function runStep({ name, command }: Step): Promise<string> {
  process.stdout.write(`\nStage ${name}: ${command}\n`);
  const report = join('.inlet', `${name.replaceAll(', ', '-')}-report.json`);
  await rm(report, { force: true });
  const startedMs = performance.now();
  const isPassed = (await run(command, { TEST_REPORT: report })) === 0;
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  if (!isPassed) process.exitCode = 1;
  if (!isPassed && !existsSync(report) && process.env.STEP_REPORT)
    appendFileSync(process.env.STEP_REPORT, `FAILED step: ${command}\n`);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return `  ${time.padStart(6)}  ${isPassed ? 'passed' : 'FAILED'}  ${name}\n`;
}

/** Ctrl-C reaches the command, too. */
function run(command: string, env: Readonly<Record<string, string>>): Promise<number> {
  const child = spawn(command, { stdio: 'inherit', shell: true, env: { ...process.env, ...env } });
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGTERM', forward);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      process.off('SIGTERM', forward);
      resolve(code ?? 1);
    });
  });
}
