/**
 * What is measured and what measures it, all on this machine: Inlet as `npm start` assembles it, the two yardsticks, the load generator and the receiver,
 * each in a process of its own.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { readConfig } from '../../services/adapters/config.ts';
import { createApiClient } from '../../services/standalone/api-client.ts';
import { StandaloneConfig } from '../../services/standalone/config.ts';
import { startStandalone, type Standalone } from '../../services/standalone/standalone.ts';
import { fsyncMs } from './disk.ts';
import { type Helper, startHelper } from './helper-process.ts';
import type { LoadRequest, LoadResult } from './load-process.ts';
import type { Options, SystemName } from './options.ts';
import type { ReceiverRequest } from './receiver-process.ts';

/** Something that takes mail on a port. */
export type System = {
  name: SystemName;
  title: string;
  port: number;
  recipients: readonly string[];
  /** Pid by name of the processes whose costs are the system's. */
  processes: Readonly<Record<string, number>>;
  /** Whether a webhook follows a mail. */
  delivers: boolean;
};

export type Bed = AsyncDisposable & {
  systems: readonly System[];
  load(request: LoadRequest): Promise<LoadResult>;
  receiver: Pick<Helper<ReceiverRequest>, 'ask'>;
  /** Pid by name of the processes that measure. */
  instruments: Readonly<Record<string, number>>;
  dataDir: string;
  fsyncMs: number;
  /** More addresses of Inlet's one account, for scenarios that need receivers of their own. */
  addAddresses(webhookUrls: readonly string[]): Promise<Address[]>;
};

type Address = { id: string; address: string; webhook_secret: string };

const CHECKOUT = resolve(import.meta.dirname, '..', '..');
const INLET_PROCESSES = ['gateway', 'dispatcher', 'nats-server', 'mongod'];

export async function startBed(options: Options, env: NodeJS.ProcessEnv, report: (line: string) => void): Promise<Bed> {
  await using parts = new AsyncDisposableStack();
  const dataDir = resolve(options.dir ?? join(CHECKOUT, '.inlet'), `bench-${process.pid}`);
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const diskMs = await fsyncMs(dataDir);
  const profiling = await profileEnv(options.profile);

  const config = readConfig(StandaloneConfig, { ...env, INLET_DIR: dataDir, SMTP_PORT: '0', API_PORT: '0', RECEIVER_PORT: '0' });
  const standalone = parts.use(await startStandalone(config, { env, serviceEnv: profiling, report }));
  const load = parts.use(startHelper<LoadRequest>(new URL('load-process.ts', import.meta.url)));
  const receiver = parts.use(startHelper<ReceiverRequest>(new URL('receiver-process.ts', import.meta.url)));
  const { certFile, keyFile, caFile } = standalone.tls;
  const url = `https://localhost:${await receiver.ask<number>({ kind: 'start', certFile, keyFile })}/`;

  const addAddresses = createAddresses(standalone);
  const addresses = await addAddresses(Array.from({ length: options.addresses }, () => url));
  if (options.verify) await receiver.ask({ kind: 'verify', secrets: Object.fromEntries(addresses.map(({ id, webhook_secret }) => [id, webhook_secret])) });
  const recipients = addresses.map(({ address }) => address);
  const { pids, smtp_port: port } = standalone.state();
  const processes = Object.fromEntries(INLET_PROCESSES.map((name) => [name, pids[name] ?? 0]));
  const inlet: System = { name: 'inlet', title: 'Inlet', port, recipients, processes, delivers: true };

  const yardstick = async (name: SystemName, title: string, file: string, args: readonly string[], delivers: boolean): Promise<System> => {
    const helper = parts.use(startHelper<object>(new URL(`yardsticks/${file}`, import.meta.url), { args, env: { ...env, ...profiling, NODE_EXTRA_CA_CERTS: caFile } }));
    return { name, title, port: await helper.ask<number>({}), recipients, processes: { [name]: helper.pid }, delivers };
  };
  const script = await yardstick('script', `script (${options['script-client']})`, 'script.ts', [url, options['script-client']], true);
  const parse = await yardstick('parse', 'parse only', 'parse-only.ts', [], false);

  const running = parts.move();
  return {
    systems: [inlet, script, parse].filter(({ name }) => options.only.includes(name)),
    load: (request) => load.ask<LoadResult>(request),
    receiver,
    instruments: { load: load.pid, receiver: receiver.pid },
    dataDir,
    fsyncMs: diskMs,
    addAddresses,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function createAddresses(standalone: Standalone) {
  const { api_url, token } = standalone.state();
  const api = createApiClient(api_url, token);
  return async function addAddresses(webhookUrls: readonly string[]): Promise<Address[]> {
    const made: Address[] = [];
    for (const webhook_url of webhookUrls) {
      const { status, body } = await api('POST', '/addresses', { webhook_url });
      if (status !== 201) throw new Error(`the API answered ${status} to a new address: ${JSON.stringify(body)}`);
      made.push(body as Address);
    }
    return made;
  };
}

/** Node writes a profile when the process ends. */
async function profileEnv(dir: string | undefined): Promise<NodeJS.ProcessEnv> {
  if (dir === undefined) return {};
  await mkdir(dir, { recursive: true });
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${JSON.stringify(resolve(dir))}` };
}
