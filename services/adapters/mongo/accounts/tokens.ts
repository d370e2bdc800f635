/**
 * API tokens in MongoDB: the SHA-256 and the prefix of each, never the token itself (spec 2.7,
 * 5.1).
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Binary, type Db } from 'mongodb';

import type { Environment } from '../../../core/environment.ts';
import { ID_RANDOM_BYTES, newId } from '../../../core/ids.ts';
import type { ManagedBy } from '../../../core/managed-by.ts';
import {
  type Permission,
  PERMISSIONS,
  permissionsOf,
  storedPermissions,
} from '../../../core/account/permission.ts';
import {
  formatToken,
  hashOf,
  isTokenShaped,
  notedBefore,
  prefixOf,
  TOKEN_RANDOM_BYTES,
  type TokenIdentity,
} from '../../../core/account/token.ts';
import type { Member } from '../../../core/account/member.ts';
import { type Role, withinRole } from '../../../core/account/role.ts';
import type { TokenLimit } from '../../../core/account/token-limit.ts';
import { ACCOUNTS, type StoredAccount, withMember } from '../documents/account-documents.ts';
import { createCredentialRevision } from './credential-revision.ts';
import { managedBy } from '../documents/managed-records.ts';
import { StoredToken, TOKENS } from '../documents/token-documents.ts';

export type NewToken = {
  accountId: string;
  name: string;
  environment: Environment;
  /** All permissions when absent (D10). */
  permissions?: Permission[];
  /** None when absent. */
  limit?: TokenLimit | null;
  /** Never when absent. */
  expires_at?: Date | null;
  /** The person whose token it is; none when absent. */
  memberId?: string | undefined;
  managed_by?: ManagedBy;
};

/** The only type that contains the token itself. */
export type IssuedToken = {
  id: string;
  name: string;
  token: string;
  prefix: string;
  environment: Environment;
  permissions: Permission[];
  limit: TokenLimit | null;
  member_id: string | null;
  created_at: Date;
  expires_at: Date | null;
};

/** A token in lists. */
export type TokenSummary = Omit<IssuedToken, 'token'> & { last_used_at: Date | null };

/** A token of a Kubernetes resource, with the permissions that its spec asked for. */
export type ManagedToken = TokenSummary & {
  account_id: string;
  managed_by: ManagedBy;
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

export type Tokens = {
  issue(token: NewToken): Promise<IssuedToken>;
  /** The identity of this token; `undefined` when it is not valid. */
  authenticate(token: string): Promise<TokenUse | undefined>;
  /** Updates `last_used_at`, unless another process did within the last minute. */
  noteUse(id: string, now: Date): Promise<void>;
  /** All tokens of an account, newest first (D30). */
  list(accountId: string): Promise<TokenSummary[]>;
  /**
   * Takes effect in every process within a second: see credential-cache.ts. False when the account
   * has no such token.
   */
  revoke(accountId: string, id: string): Promise<boolean>;
  /** The resource that owns this token; `undefined` when none does. */
  managerOf(accountId: string, id: string): Promise<ManagedBy | undefined>;
  /** The token that this resource, or an earlier one of the same name, owns. */
  findManaged(owner: ManagedBy): Promise<ManagedToken | undefined>;
  /** Replaces the text of this token; the old text stops working. Resolves with the new text. */
  replace(id: string, environment: Environment): Promise<string>;
  change(
    id: string,
    change: {
      name: string;
      permissions: Permission[];
      limit: TokenLimit | null;
      expires_at: Date | null;
    },
  ): Promise<void>;
};

/** With its present role. */
type Owners = { members: { _id: string; name: string; role: Role }[] };

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
  const tokens = db.collection<StoredToken>(TOKENS);
  const revision = createCredentialRevision(db);
  return {
    issue: async function issueToken({
      accountId,
      name,
      environment,
      permissions = [...PERMISSIONS],
      limit = null,
      expires_at = null,
      memberId,
      managed_by,
    }) {
      const created_at = new Date();
      const id = newId('token', created_at, randomBytes(ID_RANDOM_BYTES));
      const token = formatToken(environment, randomBytes(TOKEN_RANDOM_BYTES));
      const shown = { name, prefix: prefixOf(token), environment, created_at, expires_at };
      await tokens.insertOne({
        _id: id,
        account_id: accountId,
        ...shown,
        ...storedPermissions(permissions, limit !== null),
        ...(limit && { limit }),
        ...(memberId !== undefined && { member_id: memberId }),
        sha256: new Binary(hashOf(token)),
        last_used_at: null,
        ...(managed_by && { managed_by }),
      });
      return { id, token, ...shown, permissions, limit, member_id: memberId ?? null };
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
      const { _id: id, account_id, environment, last_used_at, limit = null } = stored;
      const { expires_at: ends = null, member_id } = stored;
      const [member] = found.members;
      if (member_id !== undefined && member === undefined) return undefined; // removed just now
      return {
        identity: {
          id,
          account_id,
          environment,
          permissions: permissionsNow(stored, member),
          limit,
          ...(member && { member: { id: member._id, name: member.name } }),
          ...(ends !== null && { token_expires_at: ends }),
        },
        accountIsSuspended: Boolean(found.account[0]?.suspended_at),
        lastUsedAt: last_used_at,
        expiresAt: ends,
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
      return found.map((one) => {
        const stored = StoredToken.parse(one);
        const { _id: id, name, prefix, environment, created_at, last_used_at } = stored;
        const { limit = null, expires_at = null, member_id = null } = stored;
        const permissions = permissionsNow(stored, one.members[0]);
        const times = { created_at, expires_at, last_used_at };
        return { id, name, prefix, environment, permissions, limit, member_id, ...times };
      });
    },
    revoke: async function revokeToken(accountId, id) {
      const { deletedCount } = await tokens.deleteOne({ _id: id, account_id: accountId });
      await revision.increment();
      return deletedCount === 1;
    },
    managerOf: async function managerOfToken(accountId, id) {
      return (
        await tokens.findOne({ _id: id, account_id: accountId }, { projection: { managed_by: 1 } })
      )?.managed_by;
    },
    findManaged: async function findManagedToken(owner) {
      const stored = await tokens.findOne(managedBy(owner));
      if (stored === null) return undefined;
      const token = StoredToken.parse(stored);
      const { _id: id, sha256, managed_by = owner, reads_secrets = false, ...kept } = token;
      const { limit = null, member_id = null } = token;
      return {
        id,
        ...kept,
        expires_at: token.expires_at ?? null,
        permissions: permissionsOf({ ...kept, reads_secrets }),
        limit,
        member_id,
        managed_by,
        is: (text) => isTokenShaped(text) && timingSafeEqual(sha256.value(), hashOf(text)),
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
    change: async function changeToken(id, { name, permissions, limit, expires_at }) {
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

const permissionsNow = (stored: StoredToken, member: Pick<Member, 'role'> | undefined) => {
  const permissions = permissionsOf(stored);
  return member === undefined ? permissions : withinRole(permissions, member.role);
};
