/**
 * A JetStream cluster of three nats-servers on the loopback interface. Nodes can be killed and
 * restarted on the same port and data.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import {
  type NatsServer,
  startNatsServer,
} from '../../services/standalone/processes/nats-server.ts';
import type { Tls } from '../../services/standalone/keys.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { until } from './until.ts';

export type ClusterNode = {
  /** Also a tag of the node, for the placement of streams. */
  name: string;
  /** Of the monitoring endpoints, such as `/routez`. */
  monitorUrl: string;
  pid(): number;
  isUp(): boolean;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM: the node hands over its leaderships. */
  stop(): Promise<void>;
  start(): Promise<void>;
};

export type NatsCluster = AsyncDisposable & {
  /** URLs of all nodes, separated by commas. */
  url: string;
  nodes: readonly ClusterNode[];
  /**
   * Resolves when every node reports that JetStream and all streams and consumers have a leader and
   * are up to date.
   */
  healthy(giveUpMs?: number): Promise<void>;
};

const NODES = 3;
const HEALTHY_WITHIN_MS = 60_000;
const PROBE_MS = 2_000;

type Ports = { client: number; route: number; monitor: number };

/**
 * @param dir for data and logs; the caller removes it
 * @param tls for clients, and with the same certificate between the nodes
 */
export async function startNatsCluster({
  binary,
  dir,
  tls,
}: {
  binary: string;
  dir: string;
  tls?: Tls;
}): Promise<NatsCluster> {
  const ports: Ports[] = [];
  for (let i = 0; i < NODES; i++)
    ports.push({ client: await freePort(), route: await freePort(), monitor: await freePort() });
  const routes = ports.map(({ route }) => `"nats://127.0.0.1:${route}"`).join(', ');

  const clusterTls = tls ? `, tls: ${tlsBlock(tls)}` : '';

  const createNode = ({ client, route, monitor }: Ports, index: number): ClusterNode => {
    const name = `n${index + 1}`;
    let server: NatsServer | undefined;
    return {
      name,
      monitorUrl: `http://127.0.0.1:${monitor}`,
      pid: () => server?.pid ?? 0,
      isUp: () => server?.hasExited() === false,
      kill: async () => server?.kill(),
      stop: async () => server?.stop(),
      start: async () => {
        server = await startNatsServer({
          binary,
          port: client,
          dataDir: join(dir, name),
          logFile: join(dir, `${name}.log`),
          server: {
            server_name: name,
            server_tags: name,
            http: `"127.0.0.1:${monitor}"`,
            cluster: `{ name: inlet, listen: "127.0.0.1:${route}", routes: [${routes}]${clusterTls} }`,
            ...(tls && { tls: tlsBlock(tls) }),
          },
        });
      },
    };
  };

  await mkdir(dir, { recursive: true });
  const nodes = ports.map(createNode);
  const healthy = async (giveUpMs = HEALTHY_WITHIN_MS): Promise<void> => {
    for (const { monitor } of ports)
      await until(`the health of the node at ${monitor}`, () => isHealthy(monitor), giveUpMs);
  };
  const stop = async (): Promise<void> => {
    // its data is discarded, so there is no need to stop it gracefully
    await Promise.all(nodes.map((node) => node.kill()));
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    await healthy();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: ports.map(({ client }) => `nats://127.0.0.1:${client}`).join(','),
    nodes,
    healthy,
    [Symbol.asyncDispose]: stop,
  };
}

const tlsBlock = ({ certFile, keyFile, caFile }: Tls): string =>
  `{ cert_file: "${certFile}", key_file: "${keyFile}", ca_file: "${caFile}" }`;

/** The check of a NATS pod's readiness probe. */
async function isHealthy(monitor: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${monitor}/healthz`, {
    signal: AbortSignal.timeout(PROBE_MS),
  }).then(
    (response) => response.ok,
    () => false,
  );
}
