/** Gateways and dispatchers on some servers, as a system of the bench. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { createAddresses } from '../../../services/adapters/mongo/address/addresses.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import {
  type ServiceChild,
  startServiceChild,
} from '../../../services/standalone/processes/service-child.ts';
import { newAddress } from '../../support/new-address.ts';
import type { Bed, System } from '../bed.ts';
import type { Options } from '../options.ts';
import type { Servers } from './servers.ts';

export async function startProcesses(
  bed: Pick<Bed, 'receiverUrl' | 'tls' | 'finder'>,
  { name, title, dir }: Pick<System, 'title'> & { name: 'single' | 'cluster'; dir: string },
  servers: Servers,
  options: Pick<Options, 'addresses' | 'gateways' | 'dispatchers' | 'partitions'>,
): Promise<System & AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const key = randomBytes(32);
  const addresses = Array.from({ length: options.addresses }, () => newAddress(bed.receiverUrl));
  const { MONGODB_URI = '', MONGODB_CA_FILE: caFile } = servers.env;
  await using mongo = await connectMongo(MONGODB_URI, createLog('silent'), { caFile });
  const store = createAddresses(mongo.db, createSecretBox([key]));
  const account_id = addresses[0]?.account_id ?? '';
  for (const address of addresses) await store.insert({ ...address, account_id });

  const env = {
    ...bed.finder.env,
    ...servers.env,
    PARTITIONS: String(options.partitions),
    SECRET_KEYS: key.toString('base64'),
    INBOUND_DOMAIN: 'in.example',
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '0',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: '0',
    SMTP_STOP_GRACE: '100ms',
    MAX_CONNECTIONS: '20000',
    SOURCE_UNKNOWN_PER_MINUTE: '0',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: bed.tls.caFile,
  };
  const start = async (service: 'gateway' | 'dispatcher', number: number) => {
    const child = await startServiceChild(service, env, join(dir, `${service}-${number}.log`));
    parts.defer(() => child.kill());
    return child;
  };
  // one after another: the first creates the streams
  const gateways: ServiceChild[] = [];
  for (let i = 1; i <= options.gateways; i++) gateways.push(await start('gateway', i));
  const dispatchers: ServiceChild[] = [];
  for (let i = 1; i <= options.dispatchers; i++) dispatchers.push(await start('dispatcher', i));
  const ports = gateways.map(({ ports: { smtp_port: port = 0 } }) => port);
  const running = parts.move();
  return {
    name,
    title,
    port: ports[0] ?? 0,
    ports,
    recipients: addresses.map(({ address }) => address),
    processes: {
      ...Object.fromEntries([
        ...numbered('gateway', gateways),
        ...numbered('dispatcher', dispatchers),
      ]),
      ...servers.processes,
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const numbered = (service: string, children: readonly ServiceChild[]) =>
  children.map(({ pid }, i) => [`${service}-${i + 1}`, pid] as const);
