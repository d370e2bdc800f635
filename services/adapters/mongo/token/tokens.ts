/**
 * API tokens in MongoDB: the SHA-256 and the prefix of each, never the token itself (spec 2.7,
 * 5.1).
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Binary, type Db } from 'mongodb';
import type { z } from 'zod';

import type { Owned } from '../../../core/address/scope.ts';
import type { Environment } from '../../../core/resource/environment.ts';
import { ID_RANDOM_BYTES, newId } from '../../../core/id/ids.ts';
import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import { permissionsOf, storedPermissions } from '../../../core/token/permission.ts';
import {
  formatToken,
  hashOf,
  isTokenShaped,
  notedBefore,
  prefixOf,
  TOKEN_RANDOM_BYTES,
  type TokenIdentity,
} from '../../../core/token/token.ts';
import {
  type IssuedToken,
  newToken,
  type NewToken,
  TOKEN,
  TokenRecord,
} from '../../../core/token/token-record.ts';
import type { Member } from '../../../core/member/member.ts';
import { withinRole } from '../../../core/member/role.ts';
import { ACCOUNTS, type StoredAccount, withMember } from '../documents/account-documents.ts';
import { createCredentialRevision } from './credential-revision.ts';
import { managedBy } from '../documents/managed-records.ts';
import { StoredToken, TOKENS } from '../documents/token-documents.ts';

/** A token of a Kubernetes resource, with the permissions that its spec asked for. */
export type ManagedToken = TokenRecord & {
  /** Whether this text is the token. */
  is(text: string): boolean;
};

export type TokenUse = {
  identity: TokenIdentity;
  accountIsSuspended: boolean;
  lastUsedAt: Date | null;
  /** It is not valid from then on, wherever it is cached; null for never. */
  expiresAt: Date | null;
};

type Scope = Pick<Owned, 'account_id'>;

export type Tokens = {
  insert(token: IssuedToken): Promise<'made'>;
  /** Inserts a new one, without an event. @param text of the token; random if absent */
  issue(
    requested: NewToken & { accountId: string; environment: Environment },
    text?: string,
  ): Promise<IssuedToken>;
  /** The identity of this token; `undefined` when it is not valid. */
  authenticate(token: string): Promise<TokenUse | undefined>;
  /** Updates `last_used_at`, unless another process did within the last minute. */
  noteUse(id: string, now: Date): Promise<void>;
  /** All tokens of an account with what they may do now, newest first (D30). */
  list(accountId: string): Promise<TokenRecord[]>;
  find(scope: Scope, id: string): Promise<TokenRecord | undefined>;
  /** Takes effect in every process within a second: see credential-cache.ts. */
  remove(scope: Scope, id: string): Promise<TokenRecord | undefined>;
  /** The token that this resource, or an earlier one of the same name, owns. */
  findManaged(owner: ManagedBy): Promise<ManagedToken | undefined>;
  /** Replaces the text of this token; the old text stops working. Resolves with the new text. */
  replace(id: string, environment: Environment): Promise<string>;
  /** Replaces what a change of it may change. */
  update(
    token: Pick<TokenRecord, 'id' | 'name' | 'permissions' | 'limit' | 'expires_at'>,
  ): Promise<void>;
};

/** With its present role. */
type Owners = { members: (Pick<Member, 'name' | 'role'> & { _id: string })[] };

const withAccount = {
  $lookup: {
    from: ACCOUNTS,
    localField: 'account_id',
    foreignField: '_id',
    as: 'account',
    pipeline: [{ $project: { suspended_at: 1 } }],
  },
};

export function createTokens(db: Db): Tokens {
  const tokens = db.collection<z.input<typeof StoredToken>>(TOKENS);
  const revision = createCredentialRevision(db);
  const insert = async (token: IssuedToken) => {
    await tokens.insertOne(storedOf(token));
    return 'made' as const;
  };
  return {
    insert,
    issue: async function issueToken({ accountId: account_id, environment, ...requested }, text) {
      const now = new Date();
      const id = newId(TOKEN.idPrefix, now, randomBytes(ID_RANDOM_BYTES));
      const stamp = { id, now, managed_by: requested.managed_by };
      const random = randomBytes(TOKEN_RANDOM_BYTES);
      const made = newToken(requested, { account_id, environment }, stamp, random);
      const token = text === undefined ? made : { ...made, token: text, prefix: prefixOf(text) };
      await insert(token);
      return token;
    },
    authenticate: async function authenticateToken(token) {
      if (!isTokenShaped(token)) return undefined;
      const hash = hashOf(token);
      const [found] = await tokens
        .aggregate<StoredToken & Owners & { account: Pick<StoredAccount, 'suspended_at'>[] }>([
          { $match: { sha256: new Binary(hash) } },
          withAccount,
          withMember,
        ])
        .toArray(); // token, account and member in one round trip, because every request waits for it
      if (found === undefined) return undefined;
      const stored = StoredToken.parse(found);
      if (!timingSafeEqual(stored.sha256.value(), hash)) return undefined;
      const [member] = found.members;
      const { id, account_id, environment, permissions, limit, ...kept } = tokenOf(stored, member);
      const { expires_at, member_id, last_used_at } = kept;
      if (member_id !== null && member === undefined) return undefined; // removed just now
      return {
        identity: {
          id,
          account_id,
          environment,
          permissions,
          limit,
          ...(member && { member: { id: member._id, name: member.name } }),
          ...(expires_at !== null && { token_expires_at: expires_at }),
        },
        accountIsSuspended: Boolean(found.account[0]?.suspended_at),
        lastUsedAt: last_used_at,
        expiresAt: expires_at,
      };
    },
    noteUse: async function noteTokenUse(id, now) {
      await tokens.updateOne(
        { _id: id, $or: [{ last_used_at: null }, { last_used_at: { $lte: notedBefore(now) } }] },
        { $set: { last_used_at: now } },
      );
    },
    list: async function listTokens(accountId) {
      const found = await tokens
        .aggregate<StoredToken & Owners>([
          { $match: { account_id: accountId } },
          { $sort: { created_at: -1, _id: -1 } },
          withMember,
        ])
        .toArray();
      return found.map((one) => tokenOf(StoredToken.parse(one), one.members[0]));
    },
    find: async function findToken({ account_id }, id) {
      const found = await tokens.findOne({ _id: id, account_id });
      return found === null ? undefined : tokenOf(StoredToken.parse(found));
    },
    remove: async function removeToken({ account_id }, id) {
      const removed = await tokens.findOneAndDelete({ _id: id, account_id });
      await revision.increment();
      return removed === null ? undefined : tokenOf(StoredToken.parse(removed));
    },
    findManaged: async function findManagedToken(owner) {
      const found = await tokens.findOne(managedBy(owner));
      if (found === null) return undefined;
      const { reads_secrets = false, ...stored } = StoredToken.parse(found);
      return {
        ...tokenOf({ ...stored, reads_secrets }),
        is: (text) => isTokenShaped(text) && timingSafeEqual(stored.sha256.value(), hashOf(text)),
      };
    },
    replace: async function replaceToken(id, environment) {
      const token = formatToken(environment, randomBytes(TOKEN_RANDOM_BYTES));
      await tokens.updateOne(
        { _id: id },
        { $set: { sha256: new Binary(hashOf(token)), prefix: prefixOf(token) } },
      );
      await revision.increment();
      return token;
    },
    update: async function updateToken({ id, name, permissions, limit, expires_at }) {
      const kept = { name, ...storedPermissions(permissions, limit !== null), expires_at };
      await tokens.updateOne(
        { _id: id },
        limit === null
          ? { $set: kept, $unset: { limit: '', limited_permissions: '' } }
          : { $set: { ...kept, limit } },
      );
      await revision.increment();
    },
  };
}

const storedOf = ({
  token,
  permissions,
  limit,
  ...issued
}: IssuedToken): z.input<typeof StoredToken> => ({
  _id: issued.id,
  account_id: issued.account_id,
  name: issued.name,
  prefix: issued.prefix,
  environment: issued.environment,
  created_at: issued.created_at,
  expires_at: issued.expires_at,
  ...storedPermissions(permissions, limit !== null),
  ...(limit && { limit }),
  ...(issued.member_id !== null && { member_id: issued.member_id }),
  sha256: new Binary(hashOf(token)),
  last_used_at: issued.last_used_at,
  ...(issued.managed_by && { managed_by: issued.managed_by }),
});

/** @param member whose role it does not exceed */
function tokenOf(stored: StoredToken, member?: Pick<Member, 'role'>): TokenRecord {
  const all = permissionsOf(stored);
  const permissions = member === undefined ? all : withinRole(all, member.role);
  return TokenRecord.parse({ ...stored, id: stored._id, permissions });
}
