/**
 * A steady rate far below what the machine can do: CPU seconds for 1,000 emails, and the time from
 * the end of DATA to the webhook. The systems alternate.
 */
import { type Goal, verdictOn } from '../goal.ts';
import { measure, type Run, warmUp, type Workload } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

const CONNECTIONS = 50;
const SECONDS = 15;
const WARM_UP_MAILS = 1500;
/** Of Inlet, at GOAL_RATE. */
const GOALS: readonly { title: string; figureOf: (run: Run) => number; goal: Goal }[] = [
  { title: 'CPU s', figureOf: (run) => run.systemCpuPerThousand, goal: { atMost: 2.5 } },
  { title: 'p50 ms', figureOf: (run) => run.latencyMs.p50, goal: { atMost: 2.6 } },
  { title: 'p99 ms', figureOf: (run) => run.latencyMs.p99, goal: { atMost: 17 } },
];
const GOAL_RATE = 200;

const of = (all: readonly Run[], figureOf: (run: Run) => number) => median(all.map(figureOf));

export const steady: Scenario = {
  name: 'steady',
  purpose: `emails of 2 KB at a steady --rate: CPU and latency`,
  run: async (bed, { rate, repeat }, report) => {
    const mails = rate * SECONDS;
    const workload: Workload = {
      kind: '2k',
      connections: CONNECTIONS,
      mails,
      seconds: 2 * SECONDS,
      perSecond: rate,
    };
    const runs = bed.systems.map((system) => ({ system, runs: [] as Run[] }));
    for (const { system } of runs)
      await warmUp(bed, system, { ...workload, perSecond: undefined }, WARM_UP_MAILS);
    for (let round = 0; round < repeat; round++)
      for (const one of round % 2 === 0 ? runs : runs.toReversed()) {
        report(`steady: ${one.system.title}, ${rate}/s for ${SECONDS} s`);
        one.runs.push(await measure(bed, one.system, workload));
      }
    const rows = runs.map(({ system, runs: all }) => [
      system.title,
      figure(of(all, (run) => run.systemCpuPerThousand)),
      Object.keys(system.processes)
        .map((name) => `${name} ${figure(of(all, (run) => run.cpuPerThousand[name] ?? NaN))}`)
        .join(', '),
      figure(of(all, (run) => run.latencyMs.p50)),
      figure(of(all, (run) => run.latencyMs.p99)),
      figure(100 * of(all, (run) => run.othersShare)),
    ]);
    const inlet = runs.find(({ system }) => system.name === 'inlet')?.runs;
    const goals = inlet && rate === GOAL_RATE ? `\n\n${goalsText(inlet)}` : '';
    return {
      text:
        `2 KB at ${rate}/s, CPU seconds for 1,000 emails; medians of ${repeat} runs\n` +
        table(['system', 'CPU s', 'of that', 'p50 ms', 'p99 ms', 'others %'], rows) +
        goals,
      figures: runs.map(({ system, runs: all }) => ({ system: system.name, runs: all })),
    };
  },
};

const goalsText = (inlet: readonly Run[]): string =>
  GOALS.map(
    ({ title, figureOf, goal }) => `${title} of Inlet ${verdictOn(of(inlet, figureOf), goal)}`,
  ).join('\n');
