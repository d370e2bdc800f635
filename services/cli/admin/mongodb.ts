/** `inlet admin mongodb status`: what runbooks ask of MongoDB, in the pod of the API and without a shell of its own. */
import { z } from 'zod';

import { MongoConfig } from '../../adapters/mongo/database/connection.ts';
import { type Member, readMembers } from '../../adapters/mongo/database/members.ts';
import { readConfig } from '../../adapters/process/config.ts';
import { ExitCode, Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printJson } from './act.ts';
import { databaseEnvironment } from './database.ts';

/** @throws Failure, after it has printed the members, when none accepts writes */
export async function printMongodbStatus(terminal: Terminal): Promise<void> {
  const env = await databaseEnvironment(terminal);
  const { MONGODB_URI, MONGODB_CA_FILE } = readConfig(z.object(MongoConfig), env);
  const members = await readMembers(MONGODB_URI, MONGODB_CA_FILE);
  printJson(terminal, { members: members.map((member) => shown(member, members)) });
  if (!members.some(({ state }) => state === 'primary' || state === 'mongos'))
    throw new Failure('no member of MongoDB accepts writes', ExitCode.failed);
}

function shown({ host, state, lastWriteAt, disk, slow, fault }: Member, all: readonly Member[]) {
  const newestMs = Math.max(...all.map((one) => one.lastWriteAt?.getTime() ?? 0));
  return {
    host,
    state,
    /** Behind the member with the newest write. */
    behind_seconds: lastWriteAt ? (newestMs - lastWriteAt.getTime()) / 1_000 : null,
    disk_used_bytes: disk?.used ?? null,
    disk_size_bytes: disk?.size ?? null,
    slow_operations: slow,
    ...(fault !== undefined && { fault }),
  };
}
