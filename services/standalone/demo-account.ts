/** The account, token and address that `npm start` works with: made at the first start, kept in the data folder, made anew when the database does not know them. */
import { join } from 'node:path';

import { z } from 'zod';

import { createAccounts } from '../adapters/mongo/accounts.ts';
import { createLog } from '../adapters/process/log.ts';
import { connectMongo } from '../adapters/mongo/connection.ts';
import { createTokens } from '../adapters/mongo/tokens.ts';
import { createApiClient, type ApiAnswer, type ApiClient } from './api-client.ts';
import { readIfThere, writeWhole } from './whole-file.ts';

const Address = z.object({
  id: z.string(),
  address: z.string(),
  webhook_url: z.string(),
  webhook_secret: z.string(),
});

const DemoAccount = z.object({ token: z.string(), address_id: z.string(), address: z.string() });
export type DemoAccount = z.infer<typeof DemoAccount>;

type Place = { dataDir: string; apiUrl: string; mongoUri: string; receiverUrl: string };

export async function ensureDemoAccount(place: Place): Promise<DemoAccount> {
  const file = join(place.dataDir, 'account.json');
  const text = await readIfThere(file);
  const kept = text === undefined ? undefined : DemoAccount.parse(JSON.parse(text));
  if (kept && (await stillWorks(kept, place))) return kept;

  const token = await newToken(place.mongoUri);
  const api = createApiClient(place.apiUrl, token);
  const { id, address } = Address.parse(
    bodyOf(
      await api('POST', '/addresses', {
        webhook_url: place.receiverUrl,
        description: 'made by npm start',
      }),
    ),
  );
  const account = { token, address_id: id, address };
  await writeWhole(file, `${JSON.stringify(account, undefined, 2)}\n`);
  return account;
}

/** Refuses no mail: whoever tries Inlet out may send as much as they like. */
const DEMO_PLAN = 'business';
const SECRET_KEPT_MS = 60_000;

/** The secret that signs an address's webhooks; undefined when the account has no such address. Kept a while: the API counts requests. A former secret signs on for longer. */
export function createSecretLookup(
  api: () => ApiClient,
): (addressId: string) => Promise<string | undefined> {
  const kept = new Map<string, { secret: string; until: number }>();

  return async function secretOf(addressId) {
    const found = kept.get(addressId);
    if (found !== undefined && found.until > Date.now()) return found.secret;
    const answer = await api()('GET', `/addresses/${encodeURIComponent(addressId)}`);
    if (answer.status !== 200) return undefined;
    const secret = Address.parse(answer.body).webhook_secret;
    kept.set(addressId, { secret, until: Date.now() + SECRET_KEPT_MS });
    return secret;
  };
}

/** The receiver may listen on another port than last time: its address follows. */
async function stillWorks(kept: DemoAccount, { apiUrl, receiverUrl }: Place): Promise<boolean> {
  const api = createApiClient(apiUrl, kept.token);
  const found = await api('GET', `/addresses/${kept.address_id}`);
  if (found.status === 401 || found.status === 404) return false;
  if (Address.parse(bodyOf(found)).webhook_url !== receiverUrl)
    bodyOf(await api('PATCH', `/addresses/${kept.address_id}`, { webhook_url: receiverUrl }));
  return true;
}

async function newToken(mongoUri: string): Promise<string> {
  await using mongo = await connectMongo(mongoUri, createLog('silent'));
  const accounts = createAccounts(mongo.db);
  const { id } = await accounts.create({ email: 'you@example.com', name: 'Standalone' });
  await accounts.setPlan(id, DEMO_PLAN);
  return (
    await createTokens(mongo.db).issue({ accountId: id, name: 'npm start', environment: 'live' })
  ).token;
}

function bodyOf({ status, body }: ApiAnswer): unknown {
  if (status < 200 || status > 299)
    throw new Error(`the API answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
