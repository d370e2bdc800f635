/**
 * The account, token and address that the first start creates and stores in the data folder. A later
 * start of a trial creates new ones only if the database does not have them; in production, who deletes
 * the token or the address wants that.
 */
import { join } from 'node:path';

import { z } from 'zod';

import { createAccounts } from '../adapters/mongo/account/accounts.ts';
import { createLog } from '../adapters/process/log.ts';
import { openMongo } from '../adapters/mongo/database/connection.ts';
import { createTokens } from '../adapters/mongo/token/tokens.ts';
import { createApiClient, type ApiAnswer, type ApiClient } from './round-trip/api-client.ts';
import { readIfThere, writeWhole } from './state/whole-file.ts';

const Created = z.object({ id: z.string(), address: z.string() });
const Address = Created.extend({ webhook_url: z.string(), webhook_secret: z.string() });

const FirstAccount = z.object({ token: z.string(), address_id: z.string(), address: z.string() });
type FirstAccount = z.infer<typeof FirstAccount>;

type System = {
  dataDir: string;
  apiUrl: string;
  mongo: Parameters<typeof openMongo>[0];
  /** The demo receiver of a trial. */
  receiverUrl: string | undefined;
  /** The token to create, instead of a random one. */
  token: string | undefined;
};

export async function ensureFirstAccount(
  system: System,
): Promise<FirstAccount & { isFirst: boolean }> {
  const file = join(system.dataDir, 'account.json');
  const text = await readIfThere(file);
  const stored = text === undefined ? undefined : FirstAccount.parse(JSON.parse(text));
  const isTrial = system.receiverUrl !== undefined;
  const isKept = stored && (!isTrial || (await stillWorks(stored, system)));
  if (isKept && [undefined, stored.token].includes(system.token))
    return { ...stored, isFirst: false };

  const by = isTrial ? 'npm start' : 'the first start';
  const token = await newToken(system, by);
  const account = isKept ? { ...stored, token } : await newAddress(system, token, by);
  await writeWhole(file, `${JSON.stringify(account, undefined, 2)}\n`);
  return { ...account, isFirst: !isKept };
}

async function newAddress(
  { apiUrl, receiverUrl }: System,
  token: string,
  by: string,
): Promise<FirstAccount> {
  const api = createApiClient(apiUrl, token);
  const wanted = { webhook_url: receiverUrl ?? null, description: `created by ${by}` };
  const { id, address } = Created.parse(bodyOf(await api('POST', '/addresses', wanted)));
  // an account of someone else decides for itself whether its texts are searched
  if (receiverUrl !== undefined)
    bodyOf(await api('PATCH', '/account', { settings: { search_bodies: true } }));
  return { token, address_id: id, address };
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
async function stillWorks(stored: FirstAccount, { apiUrl, receiverUrl }: System): Promise<boolean> {
  const api = createApiClient(apiUrl, stored.token);
  const found = await api('GET', `/addresses/${stored.address_id}`);
  if (found.status === 401 || found.status === 404) return false;
  if (Address.parse(bodyOf(found)).webhook_url !== receiverUrl)
    bodyOf(await api('PATCH', `/addresses/${stored.address_id}`, { webhook_url: receiverUrl }));
  return true;
}

async function newToken({ mongo: config, token: wanted }: System, name: string): Promise<string> {
  await using mongo = await openMongo(config, createLog('silent'));
  const tokens = createTokens(mongo.db);
  if (wanted !== undefined && (await tokens.authenticate(wanted))) return wanted;
  const accounts = createAccounts(mongo.db);
  const email = 'you@example.com';
  const { id: accountId } =
    (await accounts.list()).find((account) => account.email === email && !account.closed_at) ??
    (await accounts.create({ email, name: 'Standalone' }));
  return (await tokens.issue({ accountId, name, environment: 'live' }, wanted)).token;
}

function bodyOf({ status, body }: ApiAnswer): unknown {
  if (status < 200 || status > 299)
    throw new Error(`the API responded with ${status}: ${JSON.stringify(body)}`);
  return body;
}
