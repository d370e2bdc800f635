/**
 * Whether the number of addresses matters: RCPT of addresses that no gateway has cached, RCPT of
 * unknown addresses, and the API's list and single address, at growing sizes.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Db } from 'mongodb';

import {
  ACCOUNTS,
  type StoredAccount,
} from '../../../services/adapters/mongo/documents/account-documents.ts';
import {
  ADDRESSES,
  type StoredAddress,
} from '../../../services/adapters/mongo/documents/address-documents.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { base32 } from '../../../services/core/id/ids.ts';
import { ensureKey } from '../../../services/standalone/keys.ts';
import { readState } from '../../../services/standalone/state/state.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { seedAddresses } from '../api-seed.ts';
import { databaseSize, type DatabaseSize, sizesTable } from '../database-size.ts';
import type { Scenario } from '../scenario.ts';
import { median, percentile } from '../statistics.ts';
import { figure, table } from '../table.ts';

const SMALLEST = 1_000;
const STEP = 10; // each size is ten times the last one, up to the largest
const RCPTS = 200; // per run; with 5 runs, each of the 1,000 addresses is asked for once
const CONNECTIONS = 4;
const RCPTS_PER_TRANSACTION = 50;

type Latencies = Record<'known' | 'unknown' | 'list' | 'get', number[]>;
type Result = { size: number; runs: Latencies[]; loadSeconds: number; held: DatabaseSize };

export const directory: Scenario = {
  name: 'directory',
  purpose: 'RCPT and the address calls of the API, from 1,000 addresses to many',
  run: async (bed, { 'directory-addresses': largest, repeat }, report) => {
    const dataDir = join(bed.dataDir, 'inlet');
    const { api_url, token, mongodb_uri, smtp_port, pids } = await readState(dataDir);
    await using mongo = await connectMongo(mongodb_uri, createLog('silent'));
    const account = await mongo.db.collection<StoredAccount>(ACCOUNTS).findOne({});
    if (account === null) throw new Error('there is no account');
    const scope = { account_id: account._id, environment: 'live' as const };
    const secrets = createSecretBox([
      Buffer.from(await ensureKey(dataDir, 'secret-key'), 'base64'),
    ]);

    const get = async (path: string): Promise<number> => {
      const beginMs = performance.now();
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${api_url}${path}`, { headers });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
      return performance.now() - beginMs;
    };

    let seeded = 0;
    const results: Result[] = [];
    for (const size of sizesUpTo(largest)) {
      report(`directory: ${size} addresses`);
      const seedMs = performance.now();
      await seedAddresses(mongo.db, secrets, scope, size - seeded);
      const loadSeconds = (performance.now() - seedMs) / 1000;
      report(
        `directory: ${figure((size - seeded) / loadSeconds)} addresses a second, with indexes`,
      );
      seeded = size;
      await rcptTo(smtp_port, Array.from({ length: RCPTS }, unknown), '550'); // warms up
      const addresses = await sample(mongo.db, RCPTS * repeat);
      const runs: Latencies[] = [];
      for (let round = 0; round < repeat; round++) {
        // no address twice: the gateway caches it
        const requested = addresses.slice(round * RCPTS, (round + 1) * RCPTS);
        const run: Latencies = {
          known: await rcptTo(
            smtp_port,
            requested.map(({ address }) => address),
            '250',
          ),
          unknown: await rcptTo(smtp_port, Array.from({ length: RCPTS }, unknown), '550'),
          list: [],
          get: [],
        };
        for (const { _id } of requested) {
          run.list.push(await get('/addresses?limit=100'));
          run.get.push(await get(`/addresses/${_id}`));
        }
        runs.push(run);
      }
      const held = await databaseSize(mongo.db, ADDRESSES, pids.mongod ?? 0);
      results.push({ size, runs, loadSeconds, held });
    }

    const rows = results.map(({ size, runs }) => [
      String(size),
      ...(['known', 'unknown', 'list', 'get'] as const).map((name) =>
        [0.5, 0.99]
          .map((share) => figure(median(runs.map((run) => percentile(run[name], share)))))
          .join(' / '),
      ),
    ]);
    const heads = ['addresses', 'RCPT known', 'RCPT unknown', 'GET /addresses', 'GET by id'];
    const legend = `p50 / p99 in ms, medians of the runs; RCPT on ${CONNECTIONS} connections, not cached`;
    const held = sizesTable(results.map((one) => one.held));
    const text = `${legend}\n\n${table(heads, rows)}\n\n== sizes, by addresses\n${held}`;
    return { text, figures: results };
  },
};

const unknown = () => `${base32(randomBytes(10))}@inlet.localhost`;

const sizesUpTo = (largest: number): number[] => {
  const sizes: number[] = [];
  for (let size = SMALLEST; size < largest; size *= STEP) sizes.push(size);
  return [...sizes, largest];
};

const sample = (db: Db, size: number): Promise<Pick<StoredAddress, '_id' | 'address'>[]> =>
  db
    .collection<StoredAddress>(ADDRESSES)
    .aggregate<StoredAddress>([
      { $sample: { size } }, // first: MongoDB then reads only these
    ])
    .toArray();

/** The time of each RCPT in ms; each must get a reply that begins with `expected`. */
async function rcptTo(
  port: number,
  addresses: readonly string[],
  expected: string,
): Promise<number[]> {
  const latencies: number[] = [];
  let next = 0;
  const loop = async (): Promise<void> => {
    await using smtp = await dialogue(port);
    await smtp.say('EHLO bench.example');
    while (next < addresses.length) {
      await smtp.say('RSET');
      await smtp.say('MAIL FROM:<desk@sender.example>');
      for (let i = 0; i < RCPTS_PER_TRANSACTION && next < addresses.length; i++) {
        const beginMs = performance.now();
        const reply = await smtp.say(`RCPT TO:<${addresses[next++]}>`);
        latencies.push(performance.now() - beginMs);
        if (!reply.startsWith(expected)) throw new Error(`RCPT was answered ${reply}`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
  return latencies;
}
