/**
 * Throughput, latency and cost of the API, compared with plain Koa that returns the same JSON: the
 * cost of all the rest.
 */
import { join } from 'node:path';
import type { Db } from 'mongodb';

import {
  ACCOUNTS,
  type StoredAccount,
} from '../../../services/adapters/mongo/documents/account-documents.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { connectMongo } from '../../../services/adapters/mongo/connection.ts';
import { createSecretBox } from '../../../services/adapters/mongo/secrets.ts';
import { ensureKey } from '../../../services/standalone/keys.ts';
import { readState } from '../../../services/standalone/state.ts';
import { apiCalls, type Call, SEARCH_CONNECTIONS } from '../api-calls.ts';
import type { ApiLoadRequest, ApiLoadResult } from '../api-load-process.ts';
import { seedAddresses, seedDeliveries } from '../api-seed.ts';
import { verdictOn } from '../goal.ts';
import { type Helper, startHelper } from '../helper-process.ts';
import { machineBusySeconds, usageOf } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { median, percentile, sum } from '../statistics.ts';
import { figure, table } from '../table.ts';
import type { BareKoaRequest } from '../yardsticks/bare-koa.ts';

const CONNECTIONS = 20;
const REQUESTS_MAX = 100_000;
/** V8 compiles the code of the API for about as long under load. */
const WARM_UP_SECONDS = 5;
const PATHS = 5_000; // of GET /addresses/{id}, for different addresses

const LEGEND =
  `${CONNECTIONS} connections, each a closed loop (searches: ${SEARCH_CONNECTIONS}); ` +
  'p50 … p99: from the request to the last byte of the response; ' +
  'medians of the runs, counts of all runs\n' +
  'CPU s: for 1,000 requests, by process; trips: messages to mongod per request, from all of Inlet; ' +
  'busy %: of one core, by the process that responds';

type Run = {
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  requests: number;
  refusals: Record<string, number>;
  cpu: Record<string, number>;
  busyShare: number;
  tripsPerRequest: number;
  othersShare: number;
};
type Target = {
  name: 'api' | 'koa';
  title: string;
  origin: string;
  prefix: string;
  headers: Record<string, string>;
  answers: number;
  processes: Record<string, number>;
};
type Instruments = { load: Helper<ApiLoadRequest>; db: Db };

export const api: Scenario = {
  name: 'api',
  purpose: 'throughput, latency and cost of the REST API, compared with plain Koa',
  run: async (
    bed,
    {
      'api-addresses': addressCount,
      'api-deliveries': deliveryCount,
      'api-retrying': retrying,
      seconds,
      repeat,
    },
    report,
  ) => {
    const dataDir = join(bed.dataDir, 'inlet');
    const { api_url, token, mongodb_uri, pids } = await readState(dataDir);
    await using mongo = await connectMongo(mongodb_uri, createLog('silent'));
    const account = await mongo.db.collection<StoredAccount>(ACCOUNTS).findOne({});
    if (account === null) throw new Error('there is no account');
    const scope = { account_id: account._id, environment: 'live' as const };

    report(`api: ${addressCount} addresses`);
    const secrets = createSecretBox([
      Buffer.from(await ensureKey(dataDir, 'secret-key'), 'base64'),
    ]);
    const addressIds = await seedAddresses(mongo.db, secrets, scope, addressCount);
    report(`api: ${deliveryCount} deliveries, ${retrying} of them waiting for a retry`);
    await seedDeliveries(mongo.db, { ...scope, addressIds }, { count: deliveryCount, retrying });
    report('api: seeded');

    await using load = startHelper<ApiLoadRequest>(
      new URL('../api-load-process.ts', import.meta.url),
    );
    await using koa = startHelper<BareKoaRequest>(
      new URL('../yardsticks/bare-koa.ts', import.meta.url),
    );
    const { origin, pathname } = new URL(api_url);
    const headers = { authorization: `Bearer ${token}` };
    const koaPort = await koa.ask<number>({ kind: 'start' });
    const targets: readonly Target[] = [
      {
        name: 'api',
        title: 'Inlet',
        origin,
        prefix: pathname,
        headers,
        answers: pids.api ?? 0,
        processes: {
          api: pids.api ?? 0,
          mongod: pids.mongod ?? 0,
          'nats-server': pids['nats-server'] ?? 0,
          load: load.pid,
        },
      },
      {
        name: 'koa',
        title: 'bare Koa',
        origin: `http://127.0.0.1:${koaPort}`,
        prefix: pathname,
        headers,
        answers: koa.pid,
        processes: { koa: koa.pid, load: load.pid },
      },
    ];

    const chosen = Array.from(
      { length: Math.min(PATHS, addressIds.length) },
      () => addressIds[Math.floor(Math.random() * addressIds.length)] ?? '',
    );
    const calls = apiCalls(chosen, deliveryCount);
    const cells = [];
    for (const call of calls) {
      report(`api: ${call.title}`);
      const answer = await answerOf(api_url, token, call);
      await koa.ask({ kind: 'answer', ...answer });
      const runs: Record<Target['name'], Run[]> = { api: [], koa: [] };
      for (const target of targets)
        await load.ask(requestOf(target, call, call.warmUpSeconds ?? WARM_UP_SECONDS));
      for (let round = 0; round < repeat; round++) {
        for (const target of round % 2 === 0 ? targets : targets.toReversed())
          runs[target.name].push(
            await measured({ load, db: mongo.db }, target, requestOf(target, call, seconds)),
          );
      }
      cells.push({
        title: call.title,
        goal: call.goal,
        bytes: JSON.stringify(answer.body).length,
        answer: call.title === 'GET /usage' ? answer.body : undefined,
        runs,
      });
    }

    const sizes = `${addressCount} addresses, ${deliveryCount} deliveries, ${retrying} of them waiting for a retry`;
    const rows = cells.flatMap(({ title, bytes, runs }) =>
      targets.map((target) => [
        title,
        target.title,
        String(bytes),
        ...columns(runs[target.name], target),
      ]),
    );
    const ratios = cells.map(({ title, goal, runs }) => {
      const ratio = (figureOf: (run: Run) => number) =>
        median(runs.api.map((run, round) => figureOf(run) / figureOf(runs.koa[round] ?? run)));
      const [perSecond, p99, p95] = [
        ratio((run) => run.perSecond),
        ratio((run) => run.p99),
        median(runs.api.map((run) => run.p95)),
      ];
      const verdict =
        goal && 'p95Ms' in goal
          ? `p95 of Inlet in ms ${verdictOn(p95, { atMost: goal.p95Ms })}`
          : verdictOn(perSecond, goal && { atLeast: goal.ofKoa });
      return [title, figure(perSecond), figure(p99), verdict];
    });
    const text = [
      `${LEGEND}\n${sizes}`,
      table(
        [
          'call',
          'system',
          'bytes',
          'requests/s',
          'p50 ms',
          'p95 ms',
          'p99 ms',
          'requests',
          'refused',
          'trips',
          'busy %',
          'others %',
          'CPU s',
          'each run /s',
        ],
        rows,
      ),
      `== Inlet ÷ bare Koa: medians of the rounds\n${table(['call', 'requests/s', 'p99', 'goal'], ratios)}`,
    ].join('\n\n');
    return {
      text,
      figures: { addressCount, deliveryCount, retrying, connections: CONNECTIONS, cells },
    };
  },
};

const requestOf = (
  { origin, prefix, headers }: Target,
  { method, paths, body, connections = CONNECTIONS }: Call,
  seconds: number,
): ApiLoadRequest => ({
  origin,
  method,
  paths: paths.map((path) => prefix + path),
  headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  body,
  connections,
  requests: REQUESTS_MAX,
  seconds,
});

/** A response of the API, which the yardstick returns, too. */
async function answerOf(
  apiUrl: string,
  token: string,
  { method, paths, body }: Call,
): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${apiUrl}${paths[0]}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  if (!response.ok)
    throw new Error(`the API answered ${response.status}: ${await response.text()}`);
  return { status: response.status, body: await response.json() };
}

async function measured(
  { load, db }: Instruments,
  { answers, processes }: Target,
  request: ApiLoadRequest,
): Promise<Run> {
  const look = async () => ({
    trips: await tripsOf(db),
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

function columns(runs: readonly Run[], { name, processes }: Target): string[] {
  const of = (figureOf: (run: Run) => number) => figure(median(runs.map(figureOf)));
  return [
    of((run) => run.perSecond),
    of((run) => run.p50),
    of((run) => run.p95),
    of((run) => run.p99),
    String(sum(runs.map((run) => run.requests))),
    String(sum(runs.flatMap((run) => Object.values(run.refusals)))),
    name === 'api' ? of((run) => run.tripsPerRequest) : '-',
    of((run) => 100 * run.busyShare),
    of((run) => 100 * run.othersShare),
    Object.keys(processes)
      .map((process) => `${process} ${of((run) => run.cpu[process] ?? NaN)}`)
      .join(', '),
    runs.map((run) => figure(run.perSecond)).join(' '),
  ];
}
