/**
 * mongods with a key file, as the chart runs them: nobody has initiated their replica set, and only members may log
 * in.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';

import { startProcess } from '../../services/standalone/processes/child-process.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { atMost } from './slowdown.ts';

export type MongoMember = AsyncDisposable & {
  /** Its name in the replica set. */
  host: string;
  /** SIGKILL. */
  kill(): Promise<void>;
};

const READY = 23016; // id of mongod's log line

/** Text of a key file for members of one replica set. */
export const newKeyfile = (): string => randomBytes(96).toString('base64');

/** @param dir for data and logs; the caller removes it */
export async function startMongoMember(dir: string, keyfile: string): Promise<MongoMember> {
  const port = await freePort();
  const data = join(dir, `member-${port}`);
  await mkdir(data, { recursive: true });
  await writeFile(`${data}.key`, keyfile, { mode: 0o400 });
  const child = await startProcess({
    name: 'mongod',
    command: inject('mongodBinary'),
    args: [
      `--dbpath=${data}`,
      '--bind_ip=127.0.0.1',
      `--port=${port}`,
      '--replSet=rs0',
      `--keyFile=${data}.key`,
      '--nounixsocket',
      '--oplogSize=64',
      '--wiredTigerCacheSizeGB=0.25',
      '--setParameter=diagnosticDataCollectionEnabled=false',
      '--setParameter=transactionLifetimeLimitSeconds=5',
    ],
    env: {},
    logFile: `${data}.log`,
  });
  await child.announced(
    (line) => (line.includes(`"id":${READY},`) ? true : undefined),
    atMost(60_000),
  );
  return {
    host: `127.0.0.1:${port}`,
    kill: () => child.kill(),
    [Symbol.asyncDispose]: () => child.kill(),
  };
}
