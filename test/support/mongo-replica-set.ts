/** A MongoDB replica set of three members on the loopback interface, with TLS between all where asked for. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from 'mongodb';

import { connectMongo } from '../../services/adapters/mongo/database/connection.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import type { Tls } from '../../services/standalone/keys.ts';
import {
  type ChildProcess,
  startProcess,
} from '../../services/standalone/processes/child-process.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { until } from './until.ts';

export type MongoReplicaSet = AsyncDisposable & {
  url: string;
  pids: readonly number[];
  /**
   * Kills both secondaries, which could read what has arrived if they were only frozen. The primary goes on
   * without a majority, for longer than any test.
   */
  loseMajority(): Promise<void>;
  /** The first member, with what it alone has. */
  primaryUrl: string;
  /** Kills the primary, starts the secondaries, and makes one of them the next primary. */
  failOver(): Promise<void>;
};

const HOST = '127.0.0.1';
const MEMBERS = 3;
const NAME = 'members';
const START_MS = 60_000;
const WAITING_FOR_CONNECTIONS = 23016; // id of mongod's log line
/** No member becomes the primary by itself. */
const ELECTION_MS = 600_000;

/**
 * @param dir for data and logs; the caller removes it
 * @param tls valid for servers and clients, because members connect to each other
 */
export async function startMongoReplicaSet(
  binary: string,
  dir: string,
  tls?: Tls,
): Promise<MongoReplicaSet> {
  await using parts = new AsyncDisposableStack();
  const pem = join(dir, 'mongod.pem');
  await mkdir(dir, { recursive: true });
  if (tls)
    await writeFile(
      pem,
      `${await readFile(tls.certFile, 'utf8')}\n${await readFile(tls.keyFile, 'utf8')}`,
    );
  const ports: number[] = [];
  for (let i = 0; i < MEMBERS; i++) ports.push(await freePort());
  const members: ChildProcess[] = [];
  parts.defer(async () => void (await Promise.all(members.map((child) => child.kill())))); // its data is discarded
  const start = (from: number) =>
    Promise.all(
      ports.slice(from).map(async (port, at) => {
        const i = from + at;
        const dataDir = join(dir, `member-${i + 1}`);
        await mkdir(dataDir, { recursive: true });
        const child = await startProcess({
          name: 'mongod',
          command: binary,
          args: flags(port, dataDir, tls && { pem, caFile: tls.caFile }),
          env: {},
          logFile: join(dir, `member-${i + 1}.log`),
        });
        members[i] = child;
        await child.announced(
          (line) => (line.includes(`"id":${WAITING_FOR_CONNECTIONS},`) ? true : undefined),
          START_MS,
        );
      }),
    );
  await start(0);
  const caFile = tls?.caFile;
  await initiate(ports, caFile);
  const running = parts.move();
  const pids = members.map(({ pid }) => pid);
  return {
    url: `mongodb://${ports.map(hostOf).join(',')}/?replicaSet=${NAME}`,
    primaryUrl: direct(ports[0] ?? 0),
    pids,
    loseMajority: async () => {
      await Promise.all(members.slice(1).map((child) => child.kill()));
    },
    failOver: async () => {
      await members[0]?.kill();
      await start(1);
      await using mongo = await connectMongo(direct(ports[1] ?? 0), createLog('silent'), {
        caFile,
      });
      await until('the next primary', () => steppedUp(mongo.db));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function flags(
  port: number,
  dataDir: string,
  tls: { pem: string; caFile: string } | undefined,
): string[] {
  const options = {
    dbpath: dataDir,
    bind_ip: HOST,
    port,
    replSet: NAME,
    oplogSize: 256,
    wiredTigerCacheSizeGB: 0.25,
    setParameter: 'diagnosticDataCollectionEnabled=false',
    ...(tls && {
      tlsMode: 'requireTLS',
      tlsCertificateKeyFile: tls.pem,
      tlsCAFile: tls.caFile,
    }),
  };
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return [...given, '--nounixsocket', ...(tls ? ['--tlsAllowConnectionsWithoutCertificates'] : [])];
}

/** Without it, the first election would take as long as the others. */
const steppedUp = (admin: Db): Promise<boolean> =>
  admin.command({ replSetStepUp: 1 }).then(
    () => true,
    () => false,
  );

const hostOf = (port: number): string => `${HOST}:${port}`;
const direct = (port: number): string => `mongodb://${hostOf(port)}/admin?directConnection=true`;

async function initiate(ports: readonly number[], caFile: string | undefined): Promise<void> {
  await using mongo = await connectMongo(direct(ports[0] ?? 0), createLog('silent'), { caFile });
  const admin = mongo.db;
  await admin.command({
    replSetInitiate: {
      _id: NAME,
      settings: { electionTimeoutMillis: ELECTION_MS },
      // the first becomes the primary, so that every run is alike
      members: ports.map((port, i) => ({ _id: i, host: hostOf(port), priority: i === 0 ? 2 : 1 })),
    },
  });
  await until('the first primary', () => steppedUp(admin));
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
