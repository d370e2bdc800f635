/** The start that all services with NATS and MongoDB share: connections, metrics, /healthz and /readyz. */
import { type Mongo, openMongo } from '../../adapters/mongo/database/connection.ts';
import type { SecretBox } from '../../adapters/mongo/database/secrets.ts';
import { newestSecrets } from '../../adapters/mongo/newest-secrets.ts';
import { type Clock, startClock } from './clock.ts';
import { type Readiness, startReadiness } from './readiness.ts';
import { startSecretKeys } from './secret-keys.ts';
import type { Log } from '../../adapters/process/log.ts';
import { createMeter, type Meter } from '../../adapters/process/meter.ts';
import {
  type Connections,
  createRegistry,
  serveObservability,
} from '../../adapters/process/observe.ts';
import {
  connectNats,
  type Nats,
  type NatsConfig,
  natsOptions,
} from '../../adapters/stream/connection/connection.ts';
import { isOpenOnLoopback, mendedVersion } from '../../core/servers/server-versions.ts';

export type Serving = {
  /** Port of /metrics, /healthz and /readyz. */
  port: number;
  /** Whether the start is complete, and the stop has not begun. */
  isServing: () => boolean;
  /** The start is complete. Dispose it first, so that load balancers stop sending work. */
  begin: () => Disposable;
};

export type Backends = AsyncDisposable & {
  nats: Nats;
  mongo: Mongo;
  meter: Meter;
  clock: Clock;
  serving: Serving;
  readiness: Readiness;
};

type Config = NatsConfig &
  Parameters<typeof openMongo>[0] & { METRICS_HOST: string; METRICS_PORT: number };

type Options = {
  /** Whether the process can work now. By default while it is connected to NATS. */
  isReady?: (backends: Pick<Backends, 'nats' | 'mongo'>) => boolean | Promise<boolean>;
  /** Why the process should be restarted; undefined while it is healthy. */
  illness?: () => string | undefined;
  /** Absent for a process that decrypts nothing. */
  secrets?: SecretBox | undefined;
  /** Other servers that the process depends on. */
  others?: Connections;
};

export async function openBackends(
  config: Config,
  service: string,
  log: Log,
  { isReady = ({ nats }) => nats.isConnected(), illness, secrets, others }: Options = {},
): Promise<Backends> {
  await using parts = new AsyncDisposableStack();
  let nats: Nats | undefined;
  let mongo: Mongo | undefined;
  const registry = createRegistry(service, {
    nats: () => nats?.isConnected() ?? false,
    mongodb: () => mongo?.isConnected() ?? false,
    ...others,
  });
  const meter = createMeter(registry);
  let readiness: Readiness | undefined;
  let isServing = false;
  // first: while the process waits for the servers, it is alive, and not ready
  const { port } = parts.use(
    await serveObservability(
      {
        host: config.METRICS_HOST,
        port: config.METRICS_PORT,
        registry,
        isReady: () =>
          isServing &&
          nats !== undefined &&
          mongo !== undefined &&
          readiness?.canWork() === true &&
          isReady({ nats, mongo }),
        ...(illness && { illness }),
      },
      log,
    ),
  );
  nats = parts.use(await connectNats(natsOptions(config, `inlet-${service}`), log));
  mongo = parts.use(await openMongo(config, log));
  await reportOutdated(config, { nats, mongo }, log);
  const { db } = mongo;
  const clock = parts.use(
    await startClock({ mongodb: () => mongo.time(), nats: () => nats.time() }, meter, log),
  );
  const keys =
    secrets && parts.use(await startSecretKeys(secrets, () => newestSecrets(db), meter, log));
  readiness = parts.use(
    startReadiness({ clock: clock.isUsable, ...(keys && { SECRET_KEYS: keys.areUsable }) }, log),
  );
  const begin = () => {
    isServing = true;
    return {
      [Symbol.dispose]: () => {
        isServing = false;
      },
    };
  };
  const opened = parts.move();
  return {
    nats,
    mongo,
    meter,
    clock,
    serving: { port, isServing: () => isServing, begin },
    readiness,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Once for each server, and never a reason not to start. */
async function reportOutdated(
  config: Config,
  { nats, mongo }: Pick<Backends, 'nats' | 'mongo'>,
  log: Log,
): Promise<void> {
  const logsIn = config.NATS_USER !== undefined || config.NATS_CREDS_FILE !== undefined;
  const servers = [
    {
      server: 'nats',
      version: nats.connection.info?.version,
      isOpen: !logsIn && isOpenOnLoopback(config.NATS_URL),
    },
    {
      server: 'mongodb',
      version: await mongo.version().catch(() => undefined),
      isOpen: isOpenOnLoopback(config.MONGODB_URI),
    },
  ] as const;
  for (const { server, version, isOpen } of servers) {
    const lowest = mendedVersion(server, version);
    if (lowest !== undefined && !isOpen)
      log.warn('server.outdated', { server, version, lowest_mended: lowest });
  }
}
