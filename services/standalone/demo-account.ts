/**
 * The account, token and address of `npm start`. The first start creates them and stores them in
 * the data folder. A later start creates new ones only if the database does not have them.
 */
import { join } from 'node:path';

import { z } from 'zod';

import { createAccounts } from '../adapters/mongo/account/accounts.ts';
import { createLog } from '../adapters/process/log.ts';
import { connectMongo } from '../adapters/mongo/database/connection.ts';
import { createTokens } from '../adapters/mongo/token/tokens.ts';
import { createApiClient, type ApiAnswer, type ApiClient } from './round-trip/api-client.ts';
import { readIfThere, writeWhole } from './state/whole-file.ts';

const Address = z.object({
  id: z.string(),
  address: z.string(),
  webhook_url: z.string(),
  webhook_secret: z.string(),
});

const DemoAccount = z.object({ token: z.string(), address_id: z.string(), address: z.string() });
type DemoAccount = z.infer<typeof DemoAccount>;

type DemoSystem = { dataDir: string; apiUrl: string; mongoUri: string; receiverUrl: string };

export async function ensureDemoAccount(system: DemoSystem): Promise<DemoAccount> {
  const file = join(system.dataDir, 'account.json');
  const text = await readIfThere(file);
  const stored = text === undefined ? undefined : DemoAccount.parse(JSON.parse(text));
  if (stored && (await stillWorks(stored, system))) return stored;

  const token = await newToken(system.mongoUri);
  const api = createApiClient(system.apiUrl, token);
  const { id, address } = Address.parse(
    bodyOf(
      await api('POST', '/addresses', {
        webhook_url: system.receiverUrl,
        description: 'created by npm start',
      }),
    ),
  );
  // an account of someone else decides for itself whether its texts are searched
  bodyOf(await api('PATCH', '/account', { settings: { search_bodies: true } }));
  const account = { token, address_id: id, address };
  await writeWhole(file, `${JSON.stringify(account, undefined, 2)}\n`);
  return account;
}

const SECRET_CACHE_MS = 60_000;

/**
 * Looks up the webhook secret of an address; undefined if the account has no such address. It is
 * cached, because the API limits requests. A rotated secret signs for longer than the cache keeps
 * it.
 */
export function createSecretLookup(
  api: () => ApiClient,
): (addressId: string) => Promise<string | undefined> {
  const cache = new Map<string, { secret: string; until: number }>();

  return async function secretOf(addressId) {
    const found = cache.get(addressId);
    if (found !== undefined && found.until > Date.now()) return found.secret;
    const answer = await api()('GET', `/addresses/${encodeURIComponent(addressId)}`);
    if (answer.status !== 200) return undefined;
    const secret = Address.parse(answer.body).webhook_secret;
    cache.set(addressId, { secret, until: Date.now() + SECRET_CACHE_MS });
    return secret;
  };
}

const Domains = z.object({
  data: z.array(z.object({ domain: z.string(), verification: z.object({ value: z.string() }) })),
});

/** The text of the record that proves this domain, if the account has claimed it. */
export async function challengeOf(api: ApiClient, name: string): Promise<string | undefined> {
  const { data } = Domains.parse(bodyOf(await api('GET', '/domains?limit=100')));
  return data.find(({ domain }) => domain === name)?.verification.value;
}

/**
 * Whether the database has them. Updates the webhook URL if the receiver now listens on another
 * port.
 */
async function stillWorks(
  stored: DemoAccount,
  { apiUrl, receiverUrl }: DemoSystem,
): Promise<boolean> {
  const api = createApiClient(apiUrl, stored.token);
  const found = await api('GET', `/addresses/${stored.address_id}`);
  if (found.status === 401 || found.status === 404) return false;
  if (Address.parse(bodyOf(found)).webhook_url !== receiverUrl)
    bodyOf(await api('PATCH', `/addresses/${stored.address_id}`, { webhook_url: receiverUrl }));
  return true;
}

async function newToken(mongoUri: string): Promise<string> {
  await using mongo = await connectMongo(mongoUri, createLog('silent'));
  const accounts = createAccounts(mongo.db);
  const email = 'you@example.com';
  const { id } =
    (await accounts.list()).find((account) => account.email === email && !account.closed_at) ??
    (await accounts.create({ email, name: 'Standalone' }));
  return (
    await createTokens(mongo.db).issue({ accountId: id, name: 'npm start', environment: 'live' })
  ).token;
}

function bodyOf({ status, body }: ApiAnswer): unknown {
  if (status < 200 || status > 299)
    throw new Error(`the API responded with ${status}: ${JSON.stringify(body)}`);
  return body;
}
