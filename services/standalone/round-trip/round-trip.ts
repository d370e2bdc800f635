/**
 * Sends an email through a running installation and waits for its webhook, or for the record of its
 * first attempt.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

import { accountIndexes, createAccounts } from '../../adapters/mongo/account/accounts.ts';
import { Flag, Port } from '../../adapters/process/config.ts';
import { createLog } from '../../adapters/process/log.ts';
import {
  openMongo,
  ensureIndexes,
  type Mongo,
  MongoConfig,
} from '../../adapters/mongo/database/connection.ts';
import { createTokens } from '../../adapters/mongo/token/tokens.ts';
import { tokenIndexes } from '../../adapters/mongo/documents/token-documents.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { sendMail } from '../../adapters/smtp/mail-client.ts';
import { startReceiver } from './receiver.ts';

export const RoundTripConfig = z.object({
  ...MongoConfig,
  API_URL: z.url().describe('root of the API, such as http://inlet-api/v1'),
  SMTP_HOST: z.string().describe('host name of the gateway'),
  SMTP_PORT: Port.default(25).describe('port of the gateway'),
  SMTP_PROXY_PROTOCOL: Flag.prefault('false').describe(
    'whether the gateway expects a PROXY protocol header, and trusts this host with it',
  ),
  WEBHOOK_URL: z.url().describe('where the webhook is sent'),
  RECEIVER_TLS: z
    .string()
    .optional()
    .describe(
      'folder with tls.crt and tls.key for a receiver at WEBHOOK_URL; without it, only the first attempt is awaited',
    ),
  RECEIVER_PORT: Port.default(8443).describe('port of that receiver'),
  ROUND_TRIP_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .default(60)
    .describe('seconds until the test fails'),
});
export type RoundTripConfig = z.output<typeof RoundTripConfig>;

const ACCOUNT = { email: 'helm-test@inlet.invalid', name: 'helm test' };
/** After a failed test, its email is given up within minutes. */
const SETTINGS = { webhook_retry_attempts: 2 };
const POLL_MS = 250;

const Address = z.object({ id: z.string(), address: z.string(), webhook_secret: z.string() });
const Deliveries = z.object({
  data: z.array(z.object({ event_id: z.string(), status: z.string() })),
});

/** @throws if a step fails, with the name of that step */
export async function roundTrip(
  config: RoundTripConfig,
  say: (line: string) => void,
): Promise<void> {
  const started = Date.now();
  const report = (what: string) => say(`${String(Date.now() - started).padStart(6)} ms  ${what}`);
  const deadline = started + config.ROUND_TRIP_TIMEOUT_SECONDS * 1000;

  await using parts = new AsyncDisposableStack();
  const mongo = parts.use(await openMongo(config, createLog('silent')));
  const { id: tokenId, accountId, token } = await testToken(mongo);
  parts.defer(async () => {
    await createTokens(mongo.db).remove({ account_id: accountId }, tokenId);
  });
  // it calls the API directly, as a proxy that terminates TLS does
  const api = createApiClient(config.API_URL, token, { 'x-forwarded-proto': 'https' });
  const address = Address.parse(
    await answered(201, api, 'POST', '/addresses', {
      webhook_url: config.WEBHOOK_URL,
      description: 'helm test',
    }),
  );
  parts.defer(async () => {
    await api('DELETE', `/addresses/${address.id}`).catch(() =>
      report('cannot delete the address'),
    );
  });
  report(`created address ${address.address} through the API`);
  let arrived: string | undefined;
  const receiver =
    config.RECEIVER_TLS === undefined
      ? undefined
      : parts.use(
          await startReceiver({
            host: '0.0.0.0',
            port: config.RECEIVER_PORT,
            certFile: join(config.RECEIVER_TLS, 'tls.crt'),
            keyFile: join(config.RECEIVER_TLS, 'tls.key'),
            secretOf: async (addressId) =>
              addressId === address.id ? address.webhook_secret : undefined,
            onWebhook: ({ event_id }) => void (arrived = event_id),
            onRefused: (reason) => report(`rejected a webhook: ${reason}`),
          }),
        );
  const reply = await sendMail(
    {
      host: config.SMTP_HOST,
      port: config.SMTP_PORT,
      expectsProxyHeader: config.SMTP_PROXY_PROTOCOL,
    },
    {
      messageId: `<${randomUUID()}@inlet.invalid>`,
      from: 'helm test <helm-test@example.com>',
      to: address.address,
      subject: 'helm test',
      text: 'Sent by helm test.',
    },
  );
  report(`gateway replied ${reply}`);
  if (receiver !== undefined) {
    await within(deadline, 'the webhook did not arrive', async () => arrived !== undefined);
    report(`received webhook ${arrived}, signature verified`);
  }
  await within(deadline, 'no delivery was recorded', async () => {
    const {
      data: [delivery],
    } = Deliveries.parse(await answered(200, api, 'GET', `/deliveries?address_id=${address.id}`));
    if (delivery !== undefined) report(`delivery ${delivery.event_id} is ${delivery.status}`);
    return delivery !== undefined;
  });
}

/** A test token: test mail is never billed (D11). */
async function testToken(mongo: Mongo): Promise<{ id: string; accountId: string; token: string }> {
  await ensureIndexes(mongo.db, [accountIndexes, tokenIndexes]);
  const accounts = createAccounts(mongo.db);
  const { id: accountId } =
    (await accounts.list()).find(({ email }) => email === ACCOUNT.email) ??
    (await accounts.create(ACCOUNT));
  await accounts.update(accountId, { settings: SETTINGS });
  const { id, token } = await createTokens(mongo.db).issue({
    accountId,
    name: 'helm test',
    environment: 'test',
  });
  return { id, accountId, token };
}

async function answered(
  expected: number,
  api: ApiClient,
  ...[method, path, body]: Parameters<ApiClient>
): Promise<unknown> {
  const answer = await api(method, path, body);
  if (answer.status !== expected)
    throw new Error(
      `${method} ${path}: the API responded with ${answer.status} ${JSON.stringify(answer.body)}`,
    );
  return answer.body;
}

async function within(
  deadline: number,
  fault: string,
  isTrue: () => Promise<boolean>,
): Promise<void> {
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`${fault} in time`);
    await sleep(POLL_MS);
  }
}
