/**
 * Throughput, latency and cost of one machine: every size with every number of connections. The
 * systems alternate.
 */
import type { Bed, System } from '../bed.ts';
import { type Goal, verdictOn } from '../goal.ts';
import { MAIL_TITLES, type MailKind } from '../mails.ts';
import { measure, type Run, warmUp, type Workload } from '../measure.ts';
import type { Options } from '../options.ts';
import type { Scenario } from '../scenario.ts';
import { median, sum } from '../statistics.ts';
import { figure, table } from '../table.ts';

/** All runs of one size and one number of connections, by system. */
type Cell = { kind: MailKind; connections: number; runs: { system: System; runs: Run[] }[] };

const GOAL_CONNECTIONS = 50;
/** Of the script's delivered/s, of its CPU and of the CPU of `floor`. */
const GOALS: Record<MailKind, { speed: Goal; cpu?: Goal; cpuOfFloor?: Goal }> = {
  '2k': { speed: { atLeast: 0.6 }, cpuOfFloor: { atMost: 1.8 } },
  '25k': { speed: { atLeast: 1.4 }, cpu: { atMost: 1.2 }, cpuOfFloor: { atMost: 1.5 } },
  '1m': { speed: { atLeast: 1 } },
};
/** V8 compiles most of Inlet within the first 4,000 emails, which cost up to 40 % more. */
const FIRST_WARM_UP: Record<MailKind, number> = { '2k': 4000, '25k': 1000, '1m': 24 };
const WARM_UP: Record<MailKind, number> = { '2k': 50, '25k': 50, '1m': 5 }; // before each run

const LEGEND =
  'accepted/s: until the last 250; delivered/s: until the last webhook; ' +
  'p50 … p99: from the end of DATA to the webhook;\n' +
  'to 250: median from the end of DATA to the 250; others: share of the machine that other programs used; ' +
  'medians of the runs, counts of all runs';

export const throughput: Scenario = {
  name: 'throughput',
  purpose:
    'accepted and delivered emails per second, latency and cost, and those of two yardsticks',
  run: async (bed, options, report) => {
    const cells: Cell[] = [];
    for (const kind of options.sizes) {
      for (const system of bed.systems)
        await warmUp(
          bed,
          system,
          { kind, connections: 10, mails: 0, seconds: 0 },
          FIRST_WARM_UP[kind],
        );
      for (const connections of options.connections) {
        report(`${MAIL_TITLES[kind]}, ${connections} connections`);
        cells.push(await runCell(bed, kind, connections, options));
      }
    }
    return {
      text: [
        LEGEND,
        ...options.sizes.map((kind) => sizeText(cells.filter((cell) => cell.kind === kind))),
        ratiosText(cells),
      ].join('\n\n'),
      figures: cells.map(figuresOf),
    };
  },
};

async function runCell(
  bed: Bed,
  kind: MailKind,
  connections: number,
  { mails, seconds, repeat }: Options,
): Promise<Cell> {
  const cell: Cell = {
    kind,
    connections,
    runs: bed.systems.map((system) => ({ system, runs: [] })),
  };
  const workload: Workload = { kind, connections, mails, seconds };
  for (let round = 0; round < repeat; round++) {
    // so that no system always follows the same one
    const order = round % 2 === 0 ? cell.runs : cell.runs.toReversed();
    for (const { system, runs } of order) {
      await warmUp(bed, system, workload, WARM_UP[kind]);
      runs.push(await measure(bed, system, workload));
    }
  }
  return cell;
}

type Column = { title: string; text: (runs: readonly Run[], system: System) => string };

const medianOf = (title: string, figureOf: (run: Run) => number): Column => ({
  title,
  text: (runs) => figure(median(runs.map(figureOf))),
});
const totalOf = (title: string, countOf: (run: Run) => number): Column => ({
  title,
  text: (runs) => String(sum(runs.map(countOf))),
});
const byProcess = (title: string, figuresOf: (run: Run) => Record<string, number>): Column => ({
  title,
  text: (runs, { processes }) =>
    Object.keys(processes)
      .map((name) => `${name} ${figure(median(runs.map((run) => figuresOf(run)[name] ?? NaN)))}`)
      .join(', '),
});

const SPEED: readonly Column[] = [
  medianOf('accepted/s', (run) => run.acceptedPerSecond),
  medianOf('delivered/s', (run) => run.deliveredPerSecond),
  medianOf('p50 ms', (run) => run.latencyMs.p50),
  medianOf('p95 ms', (run) => run.latencyMs.p95),
  medianOf('p99 ms', (run) => run.latencyMs.p99),
  medianOf('to 250', (run) => run.acceptMs.p50),
  totalOf('mails', (run) => run.accepted),
  totalOf('refused', ({ refusals }) => sum(Object.values(refusals))),
  totalOf('lost', (run) => run.lost),
  totalOf('dup', (run) => run.duplicated),
  medianOf('others %', (run) => 100 * run.othersShare),
  {
    title: 'each run /s',
    text: (runs) => runs.map((run) => figure(run.deliveredPerSecond)).join(' '),
  },
];

const COST: readonly Column[] = [
  medianOf('CPU s', (run) => run.systemCpuPerThousand),
  byProcess('of that', (run) => run.cpuPerThousand),
  medianOf('load', (run) => run.cpuPerThousand.load ?? NaN),
  medianOf('receiver', (run) => run.cpuPerThousand.receiver ?? NaN),
  totalOf('TLS conns', (run) => run.openedConnections),
  byProcess('peak MB', (run) => run.peakMb),
];

function sizeText(cells: readonly Cell[]): string {
  const rows = cells.flatMap(({ connections, runs }) =>
    runs.map((one) => ({ connections, ...one })),
  );
  const show = (columns: readonly Column[]) =>
    table(
      ['conns', 'system', ...columns.map(({ title }) => title)],
      rows.map(({ connections, system, runs }) => [
        String(connections),
        system.title,
        ...columns.map(({ text }) => text(runs, system)),
      ]),
    );
  return `== ${MAIL_TITLES[cells[0]?.kind ?? '2k']}\n${show(SPEED)}\n\nfor 1,000 mails\n${show(COST)}`;
}

type Ratios = { speed: number; cpu: number; othersShare: number };

/**
 * The runs of a round follow each other closely. A ratio compares two of the same round, so that
 * noise affects both.
 */
function ratiosOf(
  { runs }: Cell,
  yardstick: 'script' | 'floor' = 'script',
): { median: Ratios; calmest: Ratios } | undefined {
  const inlet = runs.find(({ system }) => system.name === 'inlet')?.runs ?? [];
  const others = runs.find(({ system }) => system.name === yardstick)?.runs ?? [];
  const rounds = inlet.flatMap((run, round) => {
    const other = others[round];
    if (!other) return [];
    const cpu = run.systemCpuPerThousand / other.systemCpuPerThousand;
    return [
      {
        speed: run.deliveredPerSecond / other.deliveredPerSecond,
        cpu,
        othersShare: (run.othersShare + other.othersShare) / 2,
      },
    ];
  });
  const calmest = rounds.toSorted((one, other) => one.othersShare - other.othersShare)[0];
  if (!calmest) return undefined;
  const medianBy = (figureOf: (round: Ratios) => number) => median(rounds.map(figureOf));
  return {
    median: {
      speed: medianBy((round) => round.speed),
      cpu: medianBy((round) => round.cpu),
      othersShare: medianBy((round) => round.othersShare),
    },
    calmest,
  };
}

function ratiosText(cells: readonly Cell[]): string {
  const rows = cells.flatMap((cell) => {
    const ratios = ratiosOf(cell);
    if (!ratios) return [];
    const floor = ratiosOf(cell, 'floor')?.median.cpu ?? NaN;
    const goals = cell.connections === GOAL_CONNECTIONS ? GOALS[cell.kind] : undefined;
    return [
      [
        String(cell.connections),
        MAIL_TITLES[cell.kind],
        ...judged(ratios.median.speed, goals?.speed),
        ...judged(ratios.median.cpu, goals?.cpu),
        ...judged(floor, goals?.cpuOfFloor),
        figure(100 * ratios.median.othersShare),
        figure(ratios.calmest.speed),
        figure(ratios.calmest.cpu),
        figure(100 * ratios.calmest.othersShare),
      ],
    ];
  });
  if (rows.length === 0) return '';
  const titles = ['delivered/s', 'goal', 'CPU', 'goal', 'CPU ÷ floor', 'goal', 'others %'];
  const calmest = ['calmest: delivered/s', 'CPU', 'others %'];
  return [
    '== Inlet ÷ script: medians of the rounds, then the round in which other programs took least',
    table(['conns', 'mail', ...titles, ...calmest], rows),
  ].join('\n');
}

const judged = (ratio: number, goal: Goal | undefined): string[] => [
  figure(ratio),
  verdictOn(ratio, goal),
];

const figuresOf = (cell: Cell) => ({
  kind: cell.kind,
  connections: cell.connections,
  ratios: ratiosOf(cell),
  systems: Object.fromEntries(
    cell.runs.map(({ system, runs }) => [
      system.name,
      { processes: Object.keys(system.processes), runs },
    ]),
  ),
});
