/**
 * `npm run test:chaos -- --seconds 120 --seed 7`: random failures for two minutes. Exits with 1 if
 * an email was lost or a record is wrong.
 */
import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { causeChain } from '../../services/adapters/process/log.ts';
import {
  findBinary,
  type Finder,
  MONGOD,
  NATS_SERVER,
} from '../../services/standalone/fetch/binaries.ts';
import { startMongod } from '../../services/standalone/processes/mongod.ts';
import { optionLines, readOptions } from '../support/command-options.ts';
import { type MongoReplicaSet, startMongoReplicaSet } from '../support/mongo-replica-set.ts';
import { runChaos } from './chaos.ts';

const SETTINGS = {
  seconds: z.coerce.number().min(1).default(120).describe('duration of load and failures'),
  rate: z.coerce.number().min(1).default(30).describe('emails per second'),
  seed: z.coerce
    .number()
    .int()
    .optional()
    .describe('repeats the plan of an earlier run; default random'),
  failover: z
    .boolean()
    .default(false)
    .describe('MongoDB has three members; it loses its majority half-way, and then its primary'),
  dir: z.string().optional().describe('folder for data and logs; default .inlet'),
  keep: z.boolean().default(false).describe('keeps data, and logs of every attempt'),
};
const HELP = [
  'npm run test:chaos -- [options]\n',
  'Sends emails while NATS nodes, their disks, MongoDB, dispatchers, receivers and clocks fail at',
  'random and emails are erased, then looks for each accepted email. In a run of five minutes and',
  'more, NATS loses all of its data once. Exits with 1 if an email was lost, is stuck or was kept.\n',
  'Options:',
  ...optionLines(SETTINGS),
].join('\n');

/** In which emails arrive while no write has a majority. */
const WITHOUT_MAJORITY_MS = 8_000;

const DIR = join(import.meta.dirname, '../../.inlet');
const CACHE = join(DIR, 'cache');
const startedMs = Date.now();
const report = (line: string) =>
  void process.stderr.write(
    `[${((Date.now() - startedMs) / 1000).toFixed(1).padStart(6)} s] ${line}\n`,
  );

async function chaos(): Promise<boolean> {
  const options = readOptions(SETTINGS, process.argv.slice(2));
  if (options === undefined) {
    process.stdout.write(`${HELP}\n`);
    return true;
  }
  const { seconds, rate, seed = randomInt(2 ** 31), failover, dir: parent = DIR, keep } = options;
  report(`seed ${seed}`);
  await using parts = new AsyncDisposableStack();
  await mkdir(parent, { recursive: true });
  const dir = await mkdtemp(join(parent, 'chaos-'));
  const finder: Finder = { env: process.env, cacheDir: process.env.INLET_CACHE || CACHE, report };
  const binary = (await findBinary(MONGOD, finder)).path;
  const members = failover
    ? parts.use(await startMongoReplicaSet(binary, join(dir, 'mongod')))
    : undefined;
  const mongod = members
    ? undefined
    : parts.use(
        await startMongod({
          binary,
          dataDir: join(dir, 'mongod'),
          logFile: join(dir, 'mongod.log'),
        }),
      );
  const mongoUrl = members?.url ?? mongod?.url ?? '';
  const natsServerBinary = (await findBinary(NATS_SERVER, finder)).path;
  const failedOver = members && failOver(members, seconds * 500);
  const { text, faults } = await runChaos(
    {
      seconds,
      perSecond: rate,
      seed,
      natsServerBinary,
      mongoUri: mongoUrl.replace(/\/\w*\?/, '/chaos?'),
      mongodPid: mongod?.pid,
      dir,
      logsAttempts: keep,
    },
    report,
  );
  await failedOver;
  process.stdout.write(`${text}\n`);
  if (faults.length === 0 && !keep) parts.defer(() => rm(dir, { recursive: true, force: true }));
  else process.stdout.write(`logs and data stay in ${dir}\n`);
  return faults.length === 0;
}

async function failOver(members: MongoReplicaSet, afterMs: number): Promise<void> {
  await sleep(afterMs);
  report('MongoDB loses its majority');
  await members.loseMajority();
  await sleep(WITHOUT_MAJORITY_MS);
  await members.failOver();
  report('MongoDB has failed over');
}

process.once('SIGINT', () => process.exit(130)); // children are killed by their own exit hooks
process.once('SIGTERM', () => process.exit(143));
try {
  process.exit((await chaos()) ? 0 : 1);
} catch (error) {
  process.stderr.write(`chaos: ${causeChain(error)}\n`);
  process.exit(1);
}
