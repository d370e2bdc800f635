/**
 * One of several releases that share a MongoDB: a nats-server, a gateway, a dispatcher and an API,
 * each as a process. All of them can be killed together and started again, as when a region fails.
 */
import { join } from 'node:path';
import { createTransport } from 'nodemailer';

import {
  type ServiceChild,
  startServiceChild,
} from '../../services/standalone/processes/service-child.ts';
import { startTestNats } from './servers.ts';

export type Region = AsyncDisposable & {
  name: string;
  natsUrl: string;
  /** SIGKILL of every process. */
  kill(): Promise<void>;
  /** The same servers and data; the ports of SMTP and of the API may differ. */
  start(): Promise<void>;
  /** Calls its API; the body of the response is parsed. */
  call(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }>;
  /** One try of a mail server. @throws when there is no 250 */
  send(to: string, raw: string): Promise<void>;
};

const SERVICES = ['gateway', 'dispatcher', 'api'] as const;
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 15_000 };

/**
 * @param dir for logs
 * @param env settings that all regions have in common, among them `MONGODB_URI`
 * @param token of the account that `call` works for
 */
export async function startRegion(
  name: string,
  dir: string,
  env: Readonly<Record<string, string>>,
  token: string,
): Promise<Region> {
  await using parts = new AsyncDisposableStack();
  const nats = parts.use(await startTestNats());
  let children: ServiceChild[] = [];
  const killServices = async () => void (await Promise.all(children.map((child) => child.kill())));
  parts.defer(killServices);
  const startServices = async () => {
    children = await Promise.all(
      SERVICES.map((service) =>
        startServiceChild(
          service,
          {
            ...env,
            REGION: name,
            NATS_URL: nats.url,
            METRICS_HOST: '127.0.0.1',
            METRICS_PORT: '0',
            SMTP_HOST: '127.0.0.1',
            SMTP_PORT: '0',
            API_HOST: '127.0.0.1',
            API_PORT: '0',
          },
          join(dir, `${name}-${service}.log`),
        ),
      ),
    );
  };
  await startServices();
  const [gateway, , api] = [0, 1, 2].map((i) => () => children[i]?.ports);
  const running = parts.move();
  return {
    name,
    natsUrl: nats.url,
    kill: async () => void (await Promise.all([nats.kill(), killServices()])),
    start: async () => {
      await nats.restart();
      await startServices();
    },
    call: async (method, path, body) => {
      const response = await fetch(`http://127.0.0.1:${api?.()?.api_port}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    send: async (to, raw) => {
      const port = gateway?.()?.smtp_port ?? 0;
      const mailer = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, ...TIMEOUTS });
      try {
        await mailer.sendMail({ envelope: { from: 'a@sender.example', to }, raw });
      } finally {
        mailer.close();
      }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
