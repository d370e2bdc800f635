/**
 * The MongoDB that `inlet admin` works on: MONGODB_URI, else the one of the running `npm start`. An
 * administrator waits for the answer, so there is one attempt to connect.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import {
  connectMongo,
  ensureIndexes,
  type Mongo,
  MongoConfig,
} from '../../adapters/mongo/database/connection.ts';
import { isPermissionError, isTemporary } from '../../adapters/mongo/database/errors.ts';
import { createStores, INDEXES } from '../../adapters/mongo/stores.ts';
import { readConfig } from '../../adapters/process/config.ts';
import { DeadlineError, withDeadline } from '../../adapters/async/deadline.ts';
import { createLog } from '../../adapters/process/log.ts';
import { type Audit, createAudit } from '../../platform/audit.ts';
import { ExitCode, Failure } from '../terminal/failure.ts';
import { findRunningInlet, type RunningInlet } from '../terminal/running-inlet.ts';
import type { Terminal } from '../terminal/terminal.ts';

export type Database = AsyncDisposable & {
  mongo: Mongo;
  stores: ReturnType<typeof createStores>;
  /** The environment, with the settings of the running `npm start` where it has none. */
  env: NodeJS.ProcessEnv;
  /** An event that cannot be written is a line on standard error. */
  audit: Audit;
  /** How long a command waits for a server, in milliseconds. */
  withinMs: number;
};

const READY_WITHIN_MS = 4_000;
/** For a server that answers: in an empty database on a slow disk it takes seconds. */
const INDEXES_WITHIN_MS = 60_000;

/**
 * @param withinMs how long MongoDB may take to answer
 * @throws Failure when it is not available
 */
export async function openDatabase(
  terminal: Terminal,
  withinMs = READY_WITHIN_MS,
): Promise<Database> {
  const env = await databaseEnvironment(terminal);
  const { MONGODB_URI, MONGODB_CA_FILE } = readConfig(z.object(MongoConfig), env);
  const hosts = hostsOf(MONGODB_URI);
  const connecting = connect(MONGODB_URI, MONGODB_CA_FILE, withinMs);
  const mongo = await withDeadline(withinMs, connecting).catch(
    unlessAway(notAvailable(hosts, terminal.env)),
  );
  try {
    await ensureAdminIndexes(mongo);
  } catch (error) {
    await mongo[Symbol.asyncDispose]();
    unlessAway(`MongoDB at ${hosts} is still creating indexes. Try again in some minutes`)(error);
  }
  const faults = createLog('error', {}, { write: terminal.complain });
  const stores = createStores(mongo.db);
  const audit = createAudit(stores.events, faults, { operator: true });
  const dispose = () => mongo[Symbol.asyncDispose]();
  return { mongo, stores, env, audit, withinMs, [Symbol.asyncDispose]: dispose };
}

function connect(uri: string, caFile: string | undefined, withinMs: number): Promise<Mongo> {
  const retriesMs = withinMs > READY_WITHIN_MS ? withinMs : 0; // by default there is one attempt
  return connectMongo(uri, createLog('silent'), { withinMs: retriesMs, caFile });
}

/** An administrator does not wait for a long build, which continues in MongoDB. */
function ensureAdminIndexes({ db }: Mongo): Promise<void> {
  const { accounts, addresses, dashboardLinks, domains, events, invoices, tokens } = INDEXES;
  const indexes = [accounts, addresses, dashboardLinks, domains, events, invoices, tokens];
  return withDeadline(
    INDEXES_WITHIN_MS,
    ensureIndexes(db, indexes, { withinMs: INDEXES_WITHIN_MS }),
  );
}

/** @throws what it is given, as a Failure with `message` where the server is away or too slow */
const unlessAway =
  (message: string) =>
  (cause: unknown): never => {
    const isAway = isTemporary(cause) && !isPermissionError(cause);
    throw isAway || cause instanceof DeadlineError
      ? new Failure(message, ExitCode.unreachable, { cause })
      : cause;
  };

/** The environment, with the settings of the running `npm start` where it names no database. */
export async function databaseEnvironment(terminal: Terminal): Promise<NodeJS.ProcessEnv> {
  const { env } = terminal;
  if (env.MONGODB_URI) return env;
  const running = await findRunningInlet(terminal);
  return running === undefined ? env : { ...(await settingsOf(running)), ...nonEmpty(env) };
}

const settingsOf = async (running: RunningInlet): Promise<NodeJS.ProcessEnv> => ({
  MONGODB_URI: running.mongodb_uri,
  NATS_URL: running.nats_url,
  PUBLIC_API_URL: running.api_url,
  INBOUND_DOMAIN: running.address.slice(running.address.lastIndexOf('@') + 1),
  SECRET_KEYS: (await readFile(join(running.dataDir, 'secret-key'), 'utf8')).trim(),
});

const nonEmpty = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));

const hostsOf = (uri: string): string =>
  /^mongodb(?:\+srv)?:\/\/(?:[^@/]*@)?([^/?]+)/.exec(uri)?.[1] ?? 'MONGODB_URI';

const notAvailable = (hosts: string, { MONGODB_URI }: NodeJS.ProcessEnv): string =>
  `MongoDB at ${hosts} is not available. ` +
  (MONGODB_URI
    ? 'Check MONGODB_URI'
    : 'Start Inlet with npm start, or set MONGODB_URI to the database of your Inlet');
