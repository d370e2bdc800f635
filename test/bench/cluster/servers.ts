/** What an installation needs: one NATS node and one mongod, or three of each with TLS between all. */
import { join } from 'node:path';

import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { findBinary, MONGOD, NATS_SERVER } from '../../../services/standalone/fetch/binaries.ts';
import type { Tls } from '../../../services/standalone/keys.ts';
import { startMongod } from '../../../services/standalone/processes/mongod.ts';
import { startNatsServer } from '../../../services/standalone/processes/nats-server.ts';
import { writeWhole } from '../../../services/standalone/state/whole-file.ts';
import { startNatsCluster } from '../../support/nats-cluster.ts';
import type { Bed } from '../bed.ts';
import { startMongoReplicaSet } from '../../support/mongo-replica-set.ts';

export type Servers = AsyncDisposable & {
  /** Settings of the services. */
  env: Readonly<Record<string, string>>;
  /** Pids by name. */
  processes: Readonly<Record<string, number>>;
};

export async function startOneOfEach(
  { finder }: Pick<Bed, 'finder'>,
  dir: string,
): Promise<Servers> {
  await using parts = new AsyncDisposableStack();
  const [natsBinary, mongodBinary] = await binaries(finder);
  const nats = await startNatsServer({
    binary: natsBinary,
    dataDir: join(dir, 'nats'),
    logFile: join(dir, 'nats.log'),
  });
  parts.defer(() => nats.kill());
  const mongod = await startMongod({
    binary: mongodBinary,
    dataDir: join(dir, 'mongod'),
    logFile: join(dir, 'mongod.log'),
  });
  parts.defer(() => mongod.kill());
  const running = parts.move();
  return {
    env: { NATS_URL: nats.url, MONGODB_URI: mongod.url, STREAM_REPLICAS: '1' },
    processes: { 'nats-1': nats.pid, 'mongod-1': mongod.pid },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export async function startThreeOfEach(
  { finder }: Pick<Bed, 'finder'>,
  dir: string,
): Promise<Servers> {
  await using parts = new AsyncDisposableStack();
  const [natsBinary, mongodBinary] = await binaries(finder);
  const tls = await serverTls(dir);
  const nats = parts.use(
    await startNatsCluster({ binary: natsBinary, dir: join(dir, 'nats'), tls }),
  );
  const mongo = parts.use(await startMongoReplicaSet(mongodBinary, join(dir, 'mongod'), tls));
  const running = parts.move();
  return {
    env: {
      NATS_URL: nats.url,
      NATS_CA_FILE: tls.caFile,
      MONGODB_URI: mongo.url,
      MONGODB_CA_FILE: tls.caFile,
      STREAM_REPLICAS: '3',
    },
    processes: Object.fromEntries([
      ...nats.nodes.map((node, i) => [`nats-${i + 1}`, node.pid()]),
      ...mongo.pids.map((pid, i) => [`mongod-${i + 1}`, pid]),
    ]),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function binaries(finder: Bed['finder']): Promise<[string, string]> {
  return [(await findBinary(NATS_SERVER, finder)).path, (await findBinary(MONGOD, finder)).path];
}

/** Valid for servers and clients: nodes of a cluster connect to each other. */
async function serverTls(dir: string): Promise<Tls> {
  const file = (name: string) => join(dir, 'server-tls', `${name}.pem`);
  const tls = { caFile: file('ca'), certFile: file('cert'), keyFile: file('key') };
  const { ca, cert, key } = await makeCertificate(['localhost'], {
    addresses: ['127.0.0.1'],
    isForClients: true,
  });
  await writeWhole(tls.caFile, ca);
  await writeWhole(tls.certFile, cert);
  await writeWhole(tls.keyFile, key);
  return tls;
}
