/** An API in this process with real servers, and an HTTP client for it. */
import { randomBytes } from 'node:crypto';

import { createAccounts } from '../../services/adapters/mongo/account/accounts.ts';
import {
  createRecipientLookup,
  createTargetLookup,
} from '../../services/adapters/mongo/address/address-lookup.ts';
import {
  createAddresses,
  type Addresses,
} from '../../services/adapters/mongo/address/addresses.ts';
import { readConfig } from '../../services/adapters/process/config.ts';
import { createLog, type Log } from '../../services/adapters/process/log.ts';
import { connectMongo, type Mongo } from '../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { createTokens, type Tokens } from '../../services/adapters/mongo/token/tokens.ts';
import type { IssuedToken } from '../../services/core/token/token-record.ts';
import type { Account } from '../../services/core/account/account.ts';
import type { Address } from '../../services/core/address/address.ts';
import { startApi } from '../../services/api/api.ts';
import { ApiConfig } from '../../services/api/process/config.ts';
import { API_CONSTANTS, type ApiConstants } from '../../services/api/process/constants.ts';
import type { OpenApi } from '../../services/api/documentation/document.ts';
import { newAddress } from './new-address.ts';
import { startTestNats, testMongo, type TestServer } from './servers.ts';
import { type CheckAnswer, createDocumentCheck } from './document-check.ts';

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> };

export type Ask = {
  token?: string | null;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
};

type NewToken = Partial<Parameters<Tokens['issue']>[0]>;

export type TestApi = AsyncDisposable & {
  url: string;
  port: number;
  metricsUrl: string;
  natsServer: TestServer;
  mongoUri: string;
  mongo: Mongo;
  /** Direct access to the collection, without the API. */
  addresses: Addresses;
  /** As gateways and dispatchers see them. */
  byRecipient: ReturnType<typeof createRecipientLookup>;
  target: ReturnType<typeof createTargetLookup>;
  account: Account;
  /** A live token of {@link account} with every permission: the default of requests. */
  token: string;
  newAccount(): Promise<Account>;
  issue(token?: NewToken): Promise<IssuedToken>;
  /**
   * Stores an address of {@link account} with a time, state or environment that a request cannot
   * set.
   */
  store(fields?: Partial<Address>): Promise<Address>;
  ask(method: string, path: string, ask?: Ask): Promise<Answer>;
  create(body?: object): Promise<Record<string, unknown> & { id: string; address: string }>;
};

export type TestApiOptions = {
  env?: Record<string, string>;
  /** Instead of those of the API. */
  constants?: Partial<ApiConstants>;
  log?: Log;
  mongoUri?: string;
  /** The caller stops it. */
  natsServer?: TestServer;
};

export const HOOK = 'https://hooks.example.com/inbound';

export async function startTestApi({
  env = {},
  constants = {},
  log = createLog('silent'),
  mongoUri,
  natsServer: given,
}: TestApiOptions = {}): Promise<TestApi> {
  await using parts = new AsyncDisposableStack();
  const natsServer = given ?? parts.use(await startTestNats());
  const uri = mongoUri ?? parts.use(await testMongo()).uri;
  const mongo = parts.use(await connectMongo(uri, log));
  const key = env.SECRET_KEYS ?? randomBytes(32).toString('base64');
  const settings = {
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '0',
    INBOUND_DOMAIN: 'in.example',
    NATS_URL: natsServer.url,
    MONGODB_URI: uri,
    SECRET_KEYS: key,
    RATE_LIMIT_PER_HOUR: '1000000',
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...env,
  };
  const api = parts.use(
    await startApi(readConfig(ApiConfig, settings), log, {
      ...API_CONSTANTS,
      dnsMs: 15_000, // far more than a slow machine needs
      authFailuresPerMinute: 1_000_000,
      ...constants,
    }),
  );
  const accounts = createAccounts(mongo.db);
  const tokens = createTokens(mongo.db);
  const secrets = createSecretBox([Buffer.from(key, 'base64')]);
  const addresses = createAddresses(mongo.db, secrets);
  // a database that several APIs share already has an owner
  const owner = mongoUri === undefined ? 'owner' : `owner-${randomBytes(4).toString('hex')}`;
  const account = await accounts.create({ email: `${owner}@example.com`, name: 'Owner' });
  let others = 0;
  const newAccount = () =>
    accounts.create({ email: `other${(others += 1)}@example.com`, name: 'Other' });
  const issue = (token: NewToken = {}) =>
    tokens.issue({ accountId: account.id, name: 'test', environment: 'live', ...token });
  const { token } = await issue();
  const url = `${env.API_TLS_CERT_FILE ? 'https' : 'http'}://127.0.0.1:${String(api.announce.api_port)}`;

  let check: CheckAnswer | undefined;
  async function ask(
    method: string,
    path: string,
    { token: as = token, body, text, headers = {} }: Ask = {},
  ): Promise<Answer> {
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(as !== null && { authorization: `Bearer ${as}` }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    });
    const answer = await response.text();
    const parsed = (answer === '' ? {} : JSON.parse(answer)) as Record<string, unknown>;
    check?.(method, path, {
      status: response.status,
      contentType: response.headers.get('content-type'),
      body: parsed,
    });
    return { status: response.status, headers: response.headers, body: parsed };
  }

  async function create(body: object = {}): ReturnType<TestApi['create']> {
    const answer = await ask('POST', '/v1/addresses', { body: { webhook_url: HOOK, ...body } });
    if (answer.status !== 201) throw new Error(`create: ${JSON.stringify(answer.body)}`);
    return answer.body as Awaited<ReturnType<TestApi['create']>>;
  }

  async function store(fields: Partial<Address> = {}): Promise<Address> {
    const address = newAddress(HOOK, { account_id: account.id, ...fields });
    if (!(await addresses.insert(address))) throw new Error('taken');
    return address;
  }

  const described = url.startsWith('http:')
    ? await ask('GET', '/v1/openapi.json', {
        token: null,
        headers: { 'x-forwarded-proto': 'https' },
      })
    : undefined;
  if (described?.status === 200) check = createDocumentCheck(described.body as unknown as OpenApi);
  const running = parts.move();
  return {
    url,
    port: Number(api.announce.api_port),
    metricsUrl: `http://127.0.0.1:${String(api.announce.metrics_port)}`,
    natsServer,
    mongoUri: uri,
    mongo,
    addresses,
    account,
    token,
    byRecipient: createRecipientLookup(mongo.db),
    target: createTargetLookup(mongo.db, secrets),
    newAccount,
    issue,
    store,
    ask,
    create,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
