/** A MongoDB replica set of three members on the loopback interface, with TLS between all. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import type { Tls } from '../../../services/standalone/keys.ts';
import { startProcess } from '../../../services/standalone/processes/child-process.ts';
import { freePort } from '../../../services/standalone/processes/ports.ts';
import { until } from '../../support/until.ts';

export type MongoReplicaSet = AsyncDisposable & { url: string; pids: readonly number[] };

const HOST = '127.0.0.1';
const MEMBERS = 3;
const NAME = 'bench';
const START_MS = 60_000;
const WAITING_FOR_CONNECTIONS = 23016; // id of mongod's log line

/**
 * @param dir for data and logs; the caller removes it
 * @param tls valid for servers and clients, because members connect to each other
 */
export async function startMongoReplicaSet(
  binary: string,
  dir: string,
  tls: Tls,
): Promise<MongoReplicaSet> {
  await using parts = new AsyncDisposableStack();
  const pem = join(dir, 'mongod.pem');
  await mkdir(dir, { recursive: true });
  await writeFile(
    pem,
    `${await readFile(tls.certFile, 'utf8')}\n${await readFile(tls.keyFile, 'utf8')}`,
  );
  const ports: number[] = [];
  for (let i = 0; i < MEMBERS; i++) ports.push(await freePort());
  const pids = await Promise.all(
    ports.map(async (port, i) => {
      const dataDir = join(dir, `member-${i + 1}`);
      await mkdir(dataDir, { recursive: true });
      const child = await startProcess({
        name: 'mongod',
        command: binary,
        args: flags(port, dataDir, pem, tls.caFile),
        env: {},
        logFile: join(dir, `member-${i + 1}.log`),
      });
      parts.defer(() => child.kill()); // its data is discarded
      await child.announced(
        (line) => (line.includes(`"id":${WAITING_FOR_CONNECTIONS},`) ? true : undefined),
        START_MS,
      );
      return child.pid;
    }),
  );
  await initiate(ports, tls.caFile);
  const running = parts.move();
  return {
    url: `mongodb://${ports.map(hostOf).join(',')}/?replicaSet=${NAME}`,
    pids,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function flags(port: number, dataDir: string, pem: string, caFile: string): string[] {
  const options = {
    dbpath: dataDir,
    bind_ip: HOST,
    port,
    replSet: NAME,
    oplogSize: 256,
    wiredTigerCacheSizeGB: 0.25,
    tlsMode: 'requireTLS',
    tlsCertificateKeyFile: pem,
    tlsCAFile: caFile,
    setParameter: 'diagnosticDataCollectionEnabled=false',
  };
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return [...given, '--nounixsocket', '--tlsAllowConnectionsWithoutCertificates'];
}

const hostOf = (port: number): string => `${HOST}:${port}`;

async function initiate(ports: readonly number[], caFile: string): Promise<void> {
  const first = `mongodb://${hostOf(ports[0] ?? 0)}/admin?directConnection=true`;
  await using mongo = await connectMongo(first, createLog('silent'), { caFile });
  const admin = mongo.db;
  await admin.command({
    replSetInitiate: {
      _id: NAME,
      // the first becomes the primary, so that every run is alike
      members: ports.map((port, i) => ({ _id: i, host: hostOf(port), priority: i === 0 ? 2 : 1 })),
    },
  });
  await until(
    'all members of the replica set',
    async () => {
      const { members } = (await admin.command({ replSetGetStatus: 1 })) as {
        members: { stateStr: string }[];
      };
      const states = members.map(({ stateStr }) => stateStr);
      return states[0] === 'PRIMARY' && states.slice(1).every((state) => state === 'SECONDARY');
    },
    START_MS,
  );
}
