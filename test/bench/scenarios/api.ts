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
import {
  DELIVERIES,
  type DeliveryDocument,
} from '../../../services/adapters/mongo/documents/delivery-documents.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { ensureKey } from '../../../services/standalone/keys.ts';
import { readState } from '../../../services/standalone/state/state.ts';
import { apiCalls, type Call, LIST_CONNECTIONS, SEARCH_CONNECTIONS } from '../api-calls.ts';
import type { ApiLoadRequest } from '../api-load-process.ts';
import { columns, measured, type Run, type Target } from '../api-runs.ts';
import { seedAddresses, seedDeliveries } from '../api-seed.ts';
import { databaseSize, type DatabaseSize, sizesTable } from '../database-size.ts';
import { verdictOn } from '../goal.ts';
import { startHelper } from '../helper-process.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';
import type { BareKoaRequest } from '../yardsticks/bare-koa.ts';

const CONNECTIONS = 50;
const REQUESTS_MAX = 100_000;
/** V8 compiles the code of the API for about as long under load. */
const WARM_UP_SECONDS = 5;
const PATHS = 5_000; // of GET /addresses/{id}, for different addresses

const LEGEND =
  `${CONNECTIONS} connections, each a closed loop (lists: ${LIST_CONNECTIONS}, searches: ${SEARCH_CONNECTIONS}); ` +
  'p50 … p99: from the request to the last byte of the response; ' +
  'medians of the runs, counts of all runs\n' +
  'CPU s: for 1,000 requests, by process; trips: messages to mongod per request, from all of Inlet; ' +
  'examined: index keys and documents that MongoDB read per request; ' +
  'busy %: of one core, by the process that responds';

export const api: Scenario = {
  name: 'api',
  purpose: 'throughput, latency and cost of the REST API, compared with plain Koa',
  run: async (
    bed,
    {
      'api-addresses': addressCount,
      'api-calls': chosenCalls,
      deliveries: sizes,
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
    const atSizes: AtSize[] = [];
    for (const [i, deliveryCount] of sizes.toSorted((one, other) => one - other).entries()) {
      const beginMs = performance.now();
      const after = atSizes.at(-1)?.deliveryCount ?? 0;
      report(`api: ${deliveryCount} deliveries, ${retrying} of them waiting for a retry`);
      await seedDeliveries(
        mongo.db,
        { ...scope, addressIds },
        { count: deliveryCount - after, retrying: i === 0 ? retrying : 0, after },
      );
      const loadSeconds = (performance.now() - beginMs) / 1000;
      report(
        `api: ${figure((deliveryCount - after) / loadSeconds)} deliveries a second, with indexes`,
      );
      const calls = apiCalls(chosen, await someEvents(mongo.db), deliveryCount).filter(
        ({ title }) => title.includes(chosenCalls),
      );
      const cells = [];
      for (const call of calls) {
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
        report(`api: ${call.title}: p50 / p99 ms / examined ${growthCell(runs.api)}`);
        cells.push({
          title: call.title,
          goal: call.goal,
          bytes: JSON.stringify(answer.body).length,
          answer: call.title === 'GET /usage' ? answer.body : undefined,
          runs,
        });
      }
      const size = await databaseSize(mongo.db, DELIVERIES, pids.mongod ?? 0);
      atSizes.push({ deliveryCount, loadSeconds, size, cells });
    }

    const cells = atSizes.at(-1)?.cells ?? [];
    const counts =
      `${addressCount} addresses, ${sizes.join(', then ')} deliveries, ` +
      `${retrying} of them waiting for a retry`;
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
      `${LEGEND}\n${counts}`,
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
          'examined',
          'busy %',
          'others %',
          'CPU s',
          'each run /s',
        ],
        rows,
      ),
      `== p50 / p99 in ms / examined, by deliveries\n${growthTable(atSizes)}`,
      `== sizes, by deliveries\n${sizesTable(atSizes.map(({ size }) => size))}`,
      `== Inlet ÷ bare Koa: medians of the rounds\n${table(['call', 'requests/s', 'p99', 'goal'], ratios)}`,
    ].join('\n\n');
    return {
      text,
      figures: { addressCount, retrying, connections: CONNECTIONS, atSizes },
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
  // a search that would read too much is refused, which the column `refused` says
  if (!response.ok && response.status !== 422)
    throw new Error(`the API answered ${response.status}: ${await response.text()}`);
  return { status: response.status, body: await response.json() };
}

type AtSize = {
  deliveryCount: number;
  loadSeconds: number;
  size: DatabaseSize;
  cells: {
    title: string;
    goal: Call['goal'];
    bytes: number;
    answer: unknown;
    runs: Record<Target['name'], Run[]>;
  }[];
};

const growthCell = (runs: readonly Run[]) =>
  [
    median(runs.map(({ p50 }) => p50)),
    median(runs.map(({ p99 }) => p99)),
    median(runs.map(({ examinedPerRequest }) => examinedPerRequest)),
  ]
    .map(figure)
    .join(' / ') + (runs.some(({ refusals }) => refusals['422']) ? ', refused' : '');

/** One column for each number of deliveries. */
function growthTable(atSizes: readonly AtSize[]): string {
  const titles = atSizes[0]?.cells.map(({ title }) => title) ?? [];
  return table(
    ['call', ...atSizes.map(({ deliveryCount }) => String(deliveryCount))],
    titles.map((title, i) => [
      title,
      ...atSizes.map(({ cells }) => growthCell(cells[i]?.runs.api ?? [])),
    ]),
  );
}

const someEvents = async (db: Db): Promise<string[]> =>
  (
    await db
      .collection<DeliveryDocument>(DELIVERIES)
      .aggregate<{ _id: string }>([{ $sample: { size: PATHS } }, { $project: { _id: 1 } }])
      .toArray()
  ).map(({ _id }) => _id);
