/**
 * The whole system of `npm start`, every service as a process, with a scripted receiver and a
 * client of the API.
 */
import { randomBytes } from 'node:crypto';

import { createTransport, type Transporter } from 'nodemailer';

import { createAccounts } from '../../services/adapters/mongo/account/accounts.ts';
import { createTokens } from '../../services/adapters/mongo/token/tokens.ts';
import { connectMongo } from '../../services/adapters/mongo/database/connection.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import type { AddressWithSecret } from '../../services/core/address/address-view.ts';
import { readConfig } from '../../services/adapters/process/config.ts';
import { StandaloneConfig } from '../../services/standalone/settings/config.ts';
import { type Standalone, startStandalone } from '../../services/standalone/standalone.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { testDir } from './servers.ts';

export type WholeSystem = AsyncDisposable & {
  /** Its token is that of the account which the calls belong to. */
  standalone: Standalone;
  receiver: Receiver;
  mailer: Transporter;
  /** Calls the API; the body of the response is parsed. */
  call(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }>;
  /** Creates an address whose webhooks are sent to this path of the receiver. */
  address(path: string, fields?: object): Promise<AddressWithSecret & { webhook_secret: string }>;
};

/** A test uses one token for all requests. */
const MANY_REQUESTS = { RATE_LIMIT_PER_HOUR: '1000000', RATE_LIMIT_PER_MINUTE: '1000000' };

/** Of `npm start` on free ports, with its data in this folder. */
export const standaloneConfig = (dir: string): StandaloneConfig =>
  readConfig(StandaloneConfig, {
    INLET_DIR: dir,
    INLET_CACHE: process.env.INLET_CACHE,
    SMTP_PORT: '0',
    API_PORT: '0',
    RECEIVER_PORT: '0',
  });

/** @param serviceEnv settings of the services, such as a schedule in milliseconds */
export async function startWholeSystem(
  serviceEnv: Record<string, string> = {},
): Promise<WholeSystem> {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const config = standaloneConfig(dir.path);
  const standalone = parts.use(
    await startStandalone(config, {
      env: process.env,
      serviceEnv: { ...MANY_REQUESTS, MAIL_AUTH: 'false', ...serviceEnv },
      report: () => undefined,
    }),
  );
  const use = parts.use(await useStandalone(standalone));
  const running = parts.move();
  return { ...use, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** The same system with a new account and a receiver of its own. Disposing leaves the system. */
export async function withNewAccount(system: WholeSystem): Promise<WholeSystem> {
  const { mongodb_uri } = system.standalone.state();
  await using mongo = await connectMongo(mongodb_uri, createLog('silent'));
  const email = `${randomBytes(8).toString('hex')}@example.com`;
  return withAccount(
    system,
    (await createAccounts(mongo.db).create({ email, name: 'Standalone' })).id,
  );
}

/** The same with an account that exists. */
export async function withAccount(
  { standalone }: WholeSystem,
  accountId: string,
): Promise<WholeSystem> {
  await using mongo = await connectMongo(standalone.state().mongodb_uri, createLog('silent'));
  const { token } = await createTokens(mongo.db).issue({
    accountId,
    name: 'npm start',
    environment: 'live',
  });
  return useStandalone({ ...standalone, state: () => ({ ...standalone.state(), token }) });
}

async function useStandalone(standalone: Standalone): Promise<WholeSystem> {
  await using parts = new AsyncDisposableStack();
  // the same folder: the dispatcher trusts its certificate
  const receiver = parts.use(await startReceiver(standalone.dataDir));
  const mailer = createTransport({
    host: '127.0.0.1',
    port: standalone.state().smtp_port,
    tls: { rejectUnauthorized: false },
  });
  parts.defer(() => mailer.close());

  const call: WholeSystem['call'] = async (method, path, body) => {
    const { api_url, token } = standalone.state();
    const response = await fetch(`${api_url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const using = parts.move();
  return {
    standalone,
    receiver,
    mailer,
    call,
    address: async (path, fields) =>
      (await call('POST', '/addresses', { webhook_url: receiver.url(path), ...fields }))
        .body as AddressWithSecret & { webhook_secret: string },
    [Symbol.asyncDispose]: () => using.disposeAsync(),
  };
}
