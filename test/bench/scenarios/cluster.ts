/**
 * The cluster that people run: three NATS nodes with three replicas of each stream, a MongoDB
 * replica set of three, TLS between all, and several gateways and dispatchers. It alternates with the
 * same processes on one node of each, and with `npm start`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';

import type { System } from '../bed.ts';
import { startProcesses } from '../cluster/processes.ts';
import { startOneOfEach, startThreeOfEach } from '../cluster/servers.ts';
import { measure, type Run, warmUp, type Workload } from '../measure.ts';
import { usageOf } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { median, sum } from '../statistics.ts';
import { figure, table } from '../table.ts';

const CONNECTIONS = 50;
const STEADY_SECONDS = 10;
/** For each process of a kind: V8 compiles most of Inlet within so many emails. */
const WARM_UP_MAILS = 3000;
const IDLE_MS = 10_000;

type Measured = {
  system: System;
  full: Run[];
  steady: Run[];
  idlePercent: number;
};

const of = (all: readonly Run[], figureOf: (run: Run) => number) =>
  figure(median(all.map(figureOf)));

export const cluster: Scenario = {
  name: 'cluster',
  purpose:
    '2 KB on three NATS nodes and three members of MongoDB with TLS, beside one of each: rate, latency, CPU',
  run: async (bed, options, report) => {
    const { gateways, dispatchers, rate, repeat, mails, seconds } = options;
    await using parts = new AsyncDisposableStack();
    const processes = `${gateways} gateways, ${dispatchers} dispatchers`;
    const start = async (
      name: 'single' | 'cluster',
      title: string,
      begin: typeof startOneOfEach,
    ) => {
      report(`starting ${title}`);
      const dir = join(bed.dataDir, name);
      const servers = parts.use(await begin(bed, dir));
      return parts.use(await startProcesses(bed, { name, title, dir }, servers, options));
    };
    const started = [
      ...bed.systems
        .filter(({ name }) => name === 'inlet')
        .map((system) => ({ ...system, title: 'npm start' })),
      await start('single', `one node, ${processes}`, startOneOfEach),
      await start('cluster', `cluster, ${processes}`, startThreeOfEach),
    ];
    const all = started.map((system): Measured => ({
      system,
      full: [],
      steady: [],
      idlePercent: NaN,
    }));
    const full: Workload = { kind: '2k', connections: CONNECTIONS, mails, seconds };
    const steady: Workload = {
      ...full,
      mails: rate * STEADY_SECONDS,
      seconds: 2 * STEADY_SECONDS,
      perSecond: rate,
    };
    for (const { system } of all) {
      report(`warming up ${system.title}`);
      let missing = WARM_UP_MAILS * Math.max(gateways, dispatchers);
      while (missing > 0) missing -= await warmUp(bed, system, full, missing);
    }
    await sleep(IDLE_MS / 4);
    const idle = all.map(({ system }) => cpuSecondsOf(system));
    await sleep(IDLE_MS);
    for (const [i, one] of all.entries())
      one.idlePercent = ((cpuSecondsOf(one.system) - (idle[i] ?? NaN)) * 100_000) / IDLE_MS;
    for (let round = 0; round < repeat; round++)
      for (const one of round % 2 === 0 ? all : all.toReversed()) {
        report(`round ${round + 1}: ${one.system.title}`);
        one.full.push(await measure(bed, one.system, full));
        one.steady.push(await measure(bed, one.system, steady));
      }
    return {
      text: [
        `medians of ${repeat} runs; CPU seconds for 1,000 emails of 2 KB; idle: percent of a core`,
        speedText(all, rate),
        costText(all),
      ].join('\n\n'),
      figures: all.map(({ system, full: runs, steady: atRate, idlePercent }) => ({
        system: system.name,
        full: runs,
        steady: atRate,
        idlePercent,
      })),
    };
  },
};

const cpuSecondsOf = ({ processes }: System): number =>
  sum(Object.values(processes).map((pid) => usageOf(pid)?.cpuSeconds ?? NaN));

const speedText = (all: readonly Measured[], rate: number): string =>
  table(
    [
      'system',
      'delivered/s',
      'p50 ms',
      'p99 ms',
      'to 250',
      'CPU s',
      'lost',
      `at ${rate}/s: p50`,
      'p99',
      'CPU s',
      'idle %',
      'others %',
    ],
    all.map(({ system, full, steady, idlePercent }) => [
      system.title,
      of(full, (run) => run.deliveredPerSecond),
      of(full, (run) => run.latencyMs.p50),
      of(full, (run) => run.latencyMs.p99),
      of(full, (run) => run.acceptMs.p50),
      of(full, (run) => run.systemCpuPerThousand),
      String(sum([...full, ...steady].map(({ lost }) => lost))),
      of(steady, (run) => run.latencyMs.p50),
      of(steady, (run) => run.latencyMs.p99),
      of(steady, (run) => run.systemCpuPerThousand),
      figure(idlePercent),
      of([...full, ...steady], (run) => 100 * run.othersShare),
    ]),
  );

/** Of all processes of a kind together: `gateway-1` and `gateway-2` are gateways. */
const costText = (all: readonly Measured[]): string =>
  table(
    ['CPU s of', 'gateways', 'dispatchers', 'NATS', 'MongoDB'],
    all.flatMap(({ system, full, steady }) =>
      [
        { load: 'full', runs: full },
        { load: 'steady', runs: steady },
      ].map(({ load, runs }) => [
        `${system.title}, ${load}`,
        ...['gateway', 'dispatcher', 'nats', 'mongod'].map((kind) =>
          of(runs, ({ cpuPerThousand }) =>
            sum(
              Object.entries(cpuPerThousand).flatMap(([name, cpu]) =>
                name.startsWith(kind) ? [cpu] : [],
              ),
            ),
          ),
        ),
      ]),
    ),
  );
