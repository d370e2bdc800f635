/**
 * Everything that a benchmark needs on this machine, each in its own process: Inlet as `npm start`
 * runs it, the two yardsticks, the load generator and the receiver.
 */
import { rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { readConfig } from '../../services/adapters/process/config.ts';
import { createApiClient } from '../../services/standalone/round-trip/api-client.ts';
import { StandaloneConfig } from '../../services/standalone/settings/config.ts';
import { ensureTls, type Tls } from '../../services/standalone/keys.ts';
import { type Finder, findBinary, NATS_SERVER } from '../../services/standalone/fetch/binaries.ts';
import { startNatsServer } from '../../services/standalone/processes/nats-server.ts';
import { startStandalone, type Standalone } from '../../services/standalone/standalone.ts';
import { fsyncMs } from './disk.ts';
import { type Helper, startHelper } from './helper-process.ts';
import type { LoadRequest, LoadResult } from './load-process.ts';
import type { Options, SystemName } from './options.ts';
import { startPeer } from './peer.ts';
import type { ReceiverRequest } from './receiver-process.ts';

/** A system that accepts mail on a port. */
export type System = {
  name: SystemName | 'single' | 'cluster';
  title: string;
  port: number;
  /** When it listens on several. */
  ports?: readonly number[];
  recipients: readonly string[];
  /** Pids by name, of the processes whose cost counts for the system. */
  processes: Readonly<Record<string, number>>;
};

export type Bed = AsyncDisposable & {
  systems: readonly System[];
  load(request: LoadRequest): Promise<LoadResult>;
  receiver: Pick<Helper<ReceiverRequest>, 'ask'>;
  /** Pids by name, of the processes that measure. */
  instruments: Readonly<Record<string, number>>;
  dataDir: string;
  fsyncMs: number;
  /** Adds addresses to Inlet's account, for scenarios that need their own receivers. */
  addAddresses(webhookUrls: readonly string[]): Promise<Address[]>;
  /** Of the receiver; the path is free. */
  receiverUrl: string;
  /** Of the receiver, and of servers that a scenario starts. */
  tls: Tls;
  /** For servers that a scenario starts. */
  finder: Finder;
};

type Address = { id: string; address: string; webhook_secret: string };

const CHECKOUT = resolve(import.meta.dirname, '..', '..');
const INLET_CACHE = join(CHECKOUT, '.inlet', 'cache');
const INLET_PROCESSES = ['gateway', 'dispatcher', 'nats-server', 'mongod'];

export async function startBed(
  options: Options,
  env: NodeJS.ProcessEnv,
  report: (line: string) => void,
): Promise<Bed> {
  await using parts = new AsyncDisposableStack();
  const dataDir = resolve(options.dir ?? join(CHECKOUT, '.inlet'), `bench-${process.pid}`);
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const diskMs = await fsyncMs(dataDir);
  const profiling = await profileEnv(options.profile);
  const tls = await ensureTls(dataDir);
  const load = parts.use(startHelper<LoadRequest>(new URL('load-process.ts', import.meta.url)));
  const receiver = parts.use(
    startHelper<ReceiverRequest>(new URL('receiver-process.ts', import.meta.url)),
  );
  const url = `https://localhost:${await receiver.ask<number>({ kind: 'start', ...tls })}/`;
  const finder = { env, cacheDir: INLET_CACHE, report };

  const startInlet = async (
    name: SystemName,
    title: string,
    start: typeof startStandalone,
  ): Promise<InletSystem> => {
    const ports = { SMTP_PORT: '0', API_PORT: '0', RECEIVER_PORT: '0' };
    const config = readConfig(StandaloneConfig, {
      INLET_CACHE,
      ...env,
      ...ports,
      INLET_DIR: join(dataDir, name),
    });
    const standalone = parts.use(
      await start(config, {
        env,
        serviceEnv: {
          RATE_LIMIT_PER_HOUR: '1000000000',
          RATE_LIMIT_PER_MINUTE: '1000000000',
          MAX_CONNECTIONS: '20000',
          SOURCE_UNKNOWN_PER_MINUTE: '0',
          SEARCH_BODIES: '0s', // the default of the services
          ...profiling,
          WEBHOOK_CA_FILE: tls.caFile,
        },
        report,
      }),
    );
    const addAddresses = creation(standalone);
    const addresses = await addAddresses(Array.from({ length: options.addresses }, () => url));
    const { pids, smtp_port: port } = standalone.state();
    const processes = Object.fromEntries(
      INLET_PROCESSES.map((process) => [process, pids[process] ?? 0]),
    );
    return {
      name,
      title,
      port,
      recipients: addresses.map(({ address }) => address),
      processes,
      addAddresses,
    };
  };
  const startYardstick = async (
    name: SystemName,
    title: string,
    file: string,
    args: readonly string[],
  ): Promise<System> => {
    const helper = parts.use(
      startHelper<object>(new URL(`yardsticks/${file}`, import.meta.url), {
        args,
        env: { ...env, ...profiling, NODE_EXTRA_CA_CERTS: tls.caFile },
      }),
    );
    return {
      name,
      title,
      port: await helper.ask<number>({}),
      recipients: inlet.recipients,
      processes: { [name]: helper.pid },
    };
  };

  const startFloor = async (): Promise<System> => {
    const { path: binary } = await findBinary(NATS_SERVER, finder);
    const dir = join(dataDir, 'floor');
    const nats = await startNatsServer({ binary, dataDir: dir, logFile: join(dir, 'nats.log') });
    parts.defer(() => nats.stop());
    const half = (file: string, args: readonly string[]) =>
      parts.use(
        startHelper<object>(new URL(`yardsticks/${file}`, import.meta.url), {
          args,
          env: { ...env, ...profiling },
        }),
      );
    const gateway = half('floor-gateway.ts', [nats.url]);
    const port = await gateway.ask<number>({});
    const dispatcher = half('floor-dispatcher.ts', [nats.url, url, tls.caFile]);
    await dispatcher.ask({});
    return {
      name: 'floor',
      title: 'floor',
      port,
      recipients: inlet.recipients,
      processes: { gateway: gateway.pid, dispatcher: dispatcher.pid, 'nats-server': nats.pid },
    };
  };

  const startPeerSystem = async (command: string): Promise<System> => {
    const peer = await startPeer({ command, url, caFile: tls.caFile, dir: dataDir, env });
    parts.defer(() => peer.stop());
    const { port, processes } = peer;
    return {
      name: 'peer',
      title: 'peer',
      port,
      recipients: inlet.recipients,
      processes,
    };
  };

  const inlet = await startInlet('inlet', 'Inlet', startStandalone);
  const other =
    options.other === undefined
      ? []
      : [await startInlet('other', 'other Inlet', await standaloneOf(options.other))];
  const peer = options.peer === undefined ? [] : [await startPeerSystem(options.peer)];
  const client = options['script-client'];
  const script = await startYardstick('script', `script (${client})`, 'script.ts', [url, client]);
  const floor = options.only.includes('floor') ? [await startFloor()] : [];

  // for Ctrl-C; runs after the exit hooks that kill the servers
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const running = parts.move();
  return {
    systems: [inlet, ...other, ...peer, script, ...floor].filter(({ name }) =>
      options.only.some((one) => one === name),
    ),
    load: (request) => load.ask<LoadResult>(request),
    receiver,
    instruments: { load: load.pid, receiver: receiver.pid },
    dataDir,
    fsyncMs: diskMs,
    addAddresses: inlet.addAddresses,
    receiverUrl: url,
    tls,
    finder,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type InletSystem = System & Pick<Bed, 'addAddresses'>;

/** `startStandalone` of another checkout, which starts the services of that checkout. */
async function standaloneOf(checkout: string): Promise<typeof startStandalone> {
  const file = pathToFileURL(resolve(checkout, 'services/standalone/standalone.ts'));
  return ((await import(file.href)) as { startStandalone: typeof startStandalone }).startStandalone;
}

function creation(standalone: Standalone): Bed['addAddresses'] {
  const { api_url, token } = standalone.state();
  const api = createApiClient(api_url, token);
  return (webhookUrls) =>
    oneByOne(webhookUrls, async (webhook_url) => {
      const { status, body } = await api('POST', '/addresses', { webhook_url });
      if (status !== 201) throw new Error(`POST /addresses: ${status} ${JSON.stringify(body)}`);
      return body as Address;
    });
}

async function oneByOne<T>(urls: readonly string[], create: (url: string) => Promise<T>) {
  const made: T[] = [];
  for (const url of urls) made.push(await create(url));
  return made;
}

/** Node writes a profile when the process exits. */
async function profileEnv(dir: string | undefined): Promise<NodeJS.ProcessEnv> {
  if (dir === undefined) return {};
  await mkdir(dir, { recursive: true });
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${JSON.stringify(resolve(dir))}` };
}
