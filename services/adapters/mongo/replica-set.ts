/**
 * Prepares a mongod that runs with a key file, new or not: initiates its replica set and creates
 * its users.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoServerError } from 'mongodb';

import type { Log } from '../process/log.ts';
import { connectMongo } from './connection.ts';

export type MongoUser = {
  database: string;
  name: string;
  password: string;
  role: 'root' | 'readWrite';
};

const REPLICA_SET = 'rs0';
const ALREADY_INITIALIZED = 23; // server error codes
const USER_EXISTS = 51_003;
const POLL_MS = 200;
const WRITABLE_WITHIN_MS = 60_000;

export type MongoSetUp = {
  host: string;
  keyfile: string;
  /** Certificate authority of the host; TLS is used when it is set. */
  caFile?: string | undefined;
  users: readonly MongoUser[];
};

/** Safe to repeat: the passwords of existing users are set again. */
export async function setUpMongo(
  { host, keyfile, caFile, users }: MongoSetUp,
  log: Log,
): Promise<void> {
  // Members of a replica set authenticate to each other as this user. It can also create the first
  // users.
  const login = `__system:${encodeURIComponent(keyfile.replace(/\s/g, ''))}`;
  const tls = caFile === undefined ? '' : `&tls=true&tlsCAFile=${encodeURIComponent(caFile)}`;
  const options = `directConnection=true&authSource=local&authMechanism=SCRAM-SHA-256${tls}`;
  await using mongo = await connectMongo(`mongodb://${login}@${host}/admin?${options}`, log);
  const config = { _id: REPLICA_SET, members: [{ _id: 0, host }] };
  await unless(ALREADY_INITIALIZED, () => mongo.db.command({ replSetInitiate: config }));
  await writable(mongo.db);
  for (const { database, name, password, role } of users) {
    const db = mongo.client.db(database);
    const user = { pwd: password, roles: [{ role, db: database }] };
    const isNew = await unless(USER_EXISTS, () => db.command({ createUser: name, ...user }));
    if (!isNew) await db.command({ updateUser: name, ...user });
    log.info('mongodb.user_set', { database, name, is_new: isNew });
  }
}

/** False when the server reports `code`, which means that the work was already done. */
async function unless(code: number, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === code) return false;
    throw error;
  }
}

async function writable(db: Db): Promise<void> {
  for (
    const deadline = performance.now() + WRITABLE_WITHIN_MS;
    !(await db.command({ hello: 1 })).isWritablePrimary;
    await sleep(POLL_MS)
  ) {
    if (performance.now() > deadline)
      throw new Error(
        `mongod did not become primary of its replica set within ${WRITABLE_WITHIN_MS / 1000} s`,
      );
  }
}
