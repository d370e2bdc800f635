/** `inlet admin token …`: API tokens of any account. */
import type { IssuedToken, TokenSummary } from '../../adapters/mongo/accounts/tokens.ts';
import type { Environment } from '../../core/environment.ts';
import type { Permission } from '../../core/account/permission.ts';
import { TOKEN_NAME_MAX_CHARS, tokenCreatedData } from '../../core/account/token.ts';
import { notFoundFault, usageFault } from '../failure.ts';
import { existingAccount } from './accounts.ts';
import type { Database } from './database.ts';

export async function createToken(
  database: Database,
  options: { account: string; name: string; environment: Environment; permissions: Permission[] },
): Promise<IssuedToken> {
  const { account, name, environment, permissions } = options;
  if (Array.from(name).length > TOKEN_NAME_MAX_CHARS)
    throw usageFault(`--name can have at most ${TOKEN_NAME_MAX_CHARS} characters`);
  const { id: accountId } = await existingAccount(database, account);
  const issued = await database.stores.tokens.issue({
    accountId,
    name,
    environment,
    permissions,
  });
  await database.audit(
    { caller: { account_id: accountId, environment }, now: issued.created_at },
    { type: 'token.created', address_id: null, data: tokenCreatedData(issued) },
  );
  return issued;
}

export async function listTokens(
  database: Database,
  { account }: { account: string },
): Promise<TokenSummary[]> {
  const { id } = await existingAccount(database, account);
  return database.stores.tokens.list(id);
}

export async function revokeToken(
  database: Database,
  id: string,
  { account }: { account: string },
): Promise<{ id: string; deleted: true }> {
  const { id: accountId } = await existingAccount(database, account);
  const tokens = database.stores.tokens;
  const token = (await tokens.list(accountId)).find((one) => one.id === id);
  if (token === undefined || !(await tokens.revoke(accountId, id)))
    throw notFoundFault(`token of this account: ${id}`);
  await database.audit(
    { caller: { account_id: accountId, environment: token.environment }, now: new Date() },
    { type: 'token.deleted', address_id: null, data: { deleted_token_id: id } },
  );
  return { id, deleted: true };
}
