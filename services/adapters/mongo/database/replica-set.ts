/**
 * Prepares mongods that run with a key file, new or not: initiates their replica set, adds the members that it
 * lacks, and creates its users.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, type Document, MongoServerError } from 'mongodb';

import type { Log } from '../../process/log.ts';
import { connectMongo, type Mongo } from './connection.ts';

type MongoUser = {
  database: string;
  name: string;
  password: string;
  role: 'root' | 'readWrite';
};

const REPLICA_SET = 'rs0';
/** Server error codes. */
const ALREADY_INITIALIZED = 23;
const USER_EXISTS = 51_003;
const NOT_YET_INITIALIZED = 94;
/** Another change of the configuration is not committed yet, or a member is not reachable yet. */
const RECONFIG_LATER = new Set([74, 103, 109, 308]);
const POLL_MS = 200;

type MongoSetUp = {
  /** Hosts and ports of the members. The first one initiates the replica set. */
  hosts: readonly string[];
  keyfile: string;
  /** Certificate authority of the hosts; TLS is used when it is set. */
  caFile?: string | undefined;
  users: readonly MongoUser[];
};

type Limits = {
  /** How long a host may take to answer, and the replica set to have a primary. */
  withinMs?: number;
  /** How long new members may take to copy all data. */
  copiedWithinMs?: number;
};

/**
 * Safe to repeat: the passwords of existing users are set again. Emails may flow meanwhile. It ends when all members
 * vote: MongoDB gives a new one its vote some time after it has copied all data, and until then, the replica set
 * does not outlive the loss of its primary. Members that are not among the hosts stay.
 * @throws when a host does not answer, or has not copied all data, in time
 */
export async function setUpMongo(
  { hosts, keyfile, caFile, users }: MongoSetUp,
  log: Log,
  { withinMs = 60_000, copiedWithinMs = 3_600_000 }: Limits = {},
): Promise<void> {
  // Members of a replica set authenticate to each other as this user. It can also create the first
  // users.
  const login = `__system:${encodeURIComponent(keyfile.replace(/\s/g, ''))}`;
  const tls = caFile === undefined ? '' : `&tls=true&tlsCAFile=${encodeURIComponent(caFile)}`;
  const options = `authSource=local&authMechanism=SCRAM-SHA-256${tls}`;
  const connect = (where: string, how: string) =>
    connectMongo(`mongodb://${login}@${where}/admin?${how}&${options}`, log, { withinMs });

  await initiateOnce(hosts, (host) => connect(host, 'directConnection=true'), withinMs);
  await using mongo = await connect(hosts.join(','), `replicaSet=${REPLICA_SET}`);
  for (const host of hosts)
    if (await addMember(mongo.db, host, withinMs)) log.info('mongodb.member_added', { host });
  for (const { database, name, password, role } of users) {
    const db = mongo.client.db(database);
    const user = { pwd: password, roles: [{ role, db: database }] };
    const isNew = await unless(USER_EXISTS, () => db.command({ createUser: name, ...user }));
    if (!isNew) await db.command({ updateUser: name, ...user });
    log.info('mongodb.user_set', { database, name, is_new: isNew });
  }
  await repeated(copiedWithinMs, 'the new members did not copy all data in time', async () => {
    const { votingMembersCount } = await mongo.db.command({ replSetGetStatus: 1 });
    return votingMembersCount >= hosts.length;
  });
}

/** Asks all hosts first: one that lost its disk must not begin a replica set next to the one of the others. */
async function initiateOnce(
  hosts: readonly string[],
  connect: (host: string) => Promise<Mongo>,
  withinMs: number,
): Promise<void> {
  const [first = ''] = hosts;
  for (const host of hosts) {
    await using mongo = await connect(host);
    if (await isMember(mongo.db)) return;
  }
  await using mongo = await connect(first);
  const config = { _id: REPLICA_SET, members: [{ _id: 0, host: first }] };
  await unless(ALREADY_INITIALIZED, () => mongo.db.command({ replSetInitiate: config }));
  await repeated(
    withinMs,
    `mongod did not become primary of its replica set within ${withinMs / 1000} s`,
    async () => (await mongo.db.command({ hello: 1 })).isWritablePrimary === true,
  );
}

const isMember = (db: Db): Promise<boolean> =>
  unless(NOT_YET_INITIALIZED, () => db.command({ replSetGetStatus: 1 }));

/** False when the replica set has it. */
async function addMember(db: Db, host: string, withinMs: number): Promise<boolean> {
  let isAdded = false;
  await repeated(withinMs, `the replica set did not take ${host} as a member`, async () => {
    const { config } = (await db.command({ replSetGetConfig: 1 })) as { config: Config };
    if (config.members.some((member) => member.host === host)) return true;
    const _id = 1 + Math.max(...config.members.map((member) => member._id));
    const members = [...config.members, { _id, host }];
    const changed = { ...config, version: config.version + 1, members };
    isAdded = await unlessLater(() => db.command({ replSetReconfig: changed }));
    return isAdded;
  });
  return isAdded;
}

type Config = Document & { version: number; members: { _id: number; host: string }[] };

async function repeated(
  withinMs: number,
  failure: string,
  isDone: () => Promise<boolean>,
): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await isDone()); await sleep(POLL_MS))
    if (performance.now() > deadline) throw new Error(failure);
}

const unless = (code: number, work: () => Promise<unknown>): Promise<boolean> =>
  unlessOneOf(new Set([code]), work);
const unlessLater = (work: () => Promise<unknown>): Promise<boolean> =>
  unlessOneOf(RECONFIG_LATER, work);

/** False when the server reports one of the codes. */
async function unlessOneOf(
  codes: ReadonlySet<unknown>,
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && codes.has(error.code)) return false;
    throw error;
  }
}
