/** Runs of the scenario `api`: one call against one target, with its cost. */
import type { Db } from 'mongodb';

import type { ApiLoadRequest, ApiLoadResult } from './api-load-process.ts';
import { examinedBy } from './database-size.ts';
import type { Helper } from './helper-process.ts';
import { machineBusySeconds, usageOf } from './process-usage.ts';
import { median, percentile, sum } from './statistics.ts';
import { figure } from './table.ts';

export type Run = {
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  requests: number;
  refusals: Record<string, number>;
  cpu: Record<string, number>;
  busyShare: number;
  tripsPerRequest: number;
  /** Index keys and documents that MongoDB read for a request. */
  examinedPerRequest: number;
  othersShare: number;
};
export type Target = {
  name: 'api' | 'koa';
  title: string;
  origin: string;
  prefix: string;
  headers: Record<string, string>;
  answers: number;
  processes: Record<string, number>;
};
export type Instruments = { load: Helper<ApiLoadRequest>; db: Db };

export async function measured(
  { load, db }: Instruments,
  { answers, processes }: Target,
  request: ApiLoadRequest,
): Promise<Run> {
  const look = async () => ({
    trips: await tripsOf(db),
    examined: await examinedBy(db),
    machineSeconds: machineBusySeconds() ?? NaN,
    benchSeconds: usageOf(process.pid)?.cpuSeconds ?? NaN,
    atMs: performance.now(),
    cpu: Object.fromEntries(
      Object.entries(processes).map(([name, pid]) => [name, usageOf(pid)?.cpuSeconds ?? NaN]),
    ),
    answering: usageOf(answers)?.cpuSeconds ?? NaN,
  });
  const before = await look();
  const { seconds, latenciesMs, refusals } = await load.ask<ApiLoadResult>(request);
  const after = await look();
  const requests = latenciesMs.length;
  const used = Object.fromEntries(
    Object.entries(after.cpu).map(([name, cpu]) => [name, cpu - (before.cpu[name] ?? NaN)]),
  );
  const own = sum(Object.values(used)) + after.benchSeconds - before.benchSeconds;
  return {
    perSecond: requests / seconds,
    p50: percentile(latenciesMs, 0.5),
    p95: percentile(latenciesMs, 0.95),
    p99: percentile(latenciesMs, 0.99),
    requests,
    refusals,
    cpu: Object.fromEntries(
      Object.entries(used).map(([name, cpu]) => [name, (1000 * cpu) / requests]),
    ),
    busyShare: (after.answering - before.answering) / seconds,
    tripsPerRequest: (after.trips - before.trips) / requests,
    examinedPerRequest: (after.examined - before.examined) / requests,
    othersShare:
      (after.machineSeconds - before.machineSeconds - own) /
      ((after.atMs - before.atMs) / 1000) /
      navigator.hardwareConcurrency,
  };
}

/** Requests to mongod since it started, from all clients. */
async function tripsOf(db: Db): Promise<number> {
  const { network } = await db
    .admin()
    .command({ serverStatus: 1, repl: 0, metrics: 0, locks: 0, wiredTiger: 0 });
  return Number((network as { numRequests: number | bigint }).numRequests);
}

export function columns(runs: readonly Run[], { name, processes }: Target): string[] {
  const of = (figureOf: (run: Run) => number) => figure(median(runs.map(figureOf)));
  return [
    of((run) => run.perSecond),
    of((run) => run.p50),
    of((run) => run.p95),
    of((run) => run.p99),
    String(sum(runs.map((run) => run.requests))),
    String(sum(runs.flatMap((run) => Object.values(run.refusals)))),
    name === 'api' ? of((run) => run.tripsPerRequest) : '-',
    name === 'api' ? of((run) => run.examinedPerRequest) : '-',
    of((run) => 100 * run.busyShare),
    of((run) => 100 * run.othersShare),
    Object.keys(processes)
      .map((process) => `${process} ${of((run) => run.cpu[process] ?? NaN)}`)
      .join(', '),
    runs.map((run) => figure(run.perSecond)).join(' '),
  ];
}
