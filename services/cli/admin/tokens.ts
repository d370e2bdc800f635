/** `inlet admin token …`: API tokens of any account. */
import type { Environment } from '../../core/resource/environment.ts';
import type { Permission } from '../../core/token/permission.ts';
import {
  type IssuedToken,
  TOKEN_NAME_MAX_CHARS,
  type TokenRecord,
} from '../../core/token/token-record.ts';
import { createTokenOperations } from '../../platform/token/token-operations.ts';
import { notFoundFault, usageFault } from '../terminal/failure.ts';
import { existingAccount } from './accounts.ts';
import type { Database } from './database.ts';

/** A token as these commands print it. */
type Summary = Omit<TokenRecord, 'account_id' | 'managed_by'>;

export async function createToken(
  database: Database,
  options: { account: string; name: string; environment: Environment; permissions: Permission[] },
): Promise<Omit<Summary, 'last_used_at'> & Pick<IssuedToken, 'token'>> {
  const { account, name, environment, permissions } = options;
  if (Array.from(name).length > TOKEN_NAME_MAX_CHARS)
    throw usageFault(`--name can have at most ${TOKEN_NAME_MAX_CHARS} characters`);
  const { id: account_id } = await existingAccount(database, account);
  const cause = { caller: { account_id, environment }, now: new Date() };
  const issued = await operationsOf(database).create(cause, { name, permissions });
  const { last_used_at: _unused, ...summary } = summaryOf(issued);
  return { ...summary, token: issued.token };
}

export async function listTokens(
  database: Database,
  { account }: { account: string },
): Promise<Summary[]> {
  const { id } = await existingAccount(database, account);
  return (await database.stores.tokens.list(id)).map(summaryOf);
}

export async function revokeToken(
  database: Database,
  id: string,
  { account }: { account: string },
): Promise<{ id: string; deleted: true }> {
  const { id: account_id } = await existingAccount(database, account);
  const token = await database.stores.tokens.find({ account_id }, id);
  if (token === undefined) throw notFoundFault(`token of this account: ${id}`);
  await operationsOf(database).remove({ caller: token, now: new Date() }, id);
  return { id, deleted: true };
}

const operationsOf = ({ stores: { tokens }, audit }: Database) =>
  createTokenOperations({ tokens, audit });

const summaryOf = ({ account_id: _account, managed_by: _owner, ...token }: TokenRecord): Summary =>
  token;
