/**
 * Sessions in MongoDB: the SHA-256 of each, never the secret itself. A session is joined to its
 * token by the token's hash, so that a replaced token ends it as well as a deleted one, to its member,
 * and to the session whose link opened it.
 */
import { randomBytes } from 'node:crypto';
import { Binary, type Db } from 'mongodb';

import { permissionsOf, type StoredPermissions } from '../../../core/token/permission.ts';
import {
  formatSessionSecret,
  isSessionSecret,
  type Session,
  type SessionFacts,
  type SessionMember,
  SESSION_RANDOM_BYTES,
  sessionHash,
} from '../../../core/member/session.ts';
import type { TokenLimit } from '../../../core/token/token-limit.ts';
import { notedBefore } from '../../../core/token/token.ts';
import { ID_RANDOM_BYTES, newId } from '../../../core/id/ids.ts';
import { ACCOUNTS, withMember } from '../documents/account-documents.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { TOKENS } from '../documents/token-documents.ts';

const COLLECTION = 'sessions';

export const sessionIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [
    { key: { sha256: 1 }, name: 'sha256', unique: true },
    { key: { account_id: 1, _id: -1 }, name: 'account_newest_first' },
  ],
};

type StoredSession = Omit<Session, 'id'> & {
  _id: string;
  sha256: Binary;
  /** The hash of the token that created it; null when no token did. */
  token_sha256: Binary | null;
};

type Joined = Omit<
  StoredSession,
  'sha256' | 'token_sha256' | 'user' | 'member_id' | 'parent_id'
> & {
  /** Absent in sessions of versions without single sign-on. */
  user?: string | null;
  /** Absent in sessions of releases without members. */
  member_id?: string | null;
  /** Absent in sessions up to 0.1.0. */
  parent_id?: string | null;
  parents: unknown[];
  members: (Omit<SessionMember, 'id'> & { _id: string })[];
  tokens: (StoredPermissions & { limit?: TokenLimit; expires_at?: Date | null })[];
  accounts: { suspended_at?: Date | null }[];
};

export type NewSession = Omit<Session, 'id' | 'last_used_at'> & {
  /** SHA-256 of the token that created it; null when no token did. */
  tokenHash: Uint8Array | null;
};

export type Sessions = {
  insert(session: NewSession): Promise<{ session: Session; secret: string }>;
  find(secret: string): Promise<SessionFacts | undefined>;
  /** All sessions of an account, newest first. Some may have just ended. */
  list(accountId: string): Promise<SessionFacts[]>;
  /** The sessions that links of this session opened. */
  childrenOf(session: Session): Promise<SessionFacts[]>;
  /** The sessions of all accounts, in the order of their ids. */
  all(): AsyncIterable<SessionFacts>;
  /** Updates `last_used_at`, unless another process did within the last minute. */
  noteUse(id: string, now: Date): Promise<void>;
  /** False when another process has removed it. */
  remove(id: string): Promise<boolean>;
};

const joined = [
  {
    $lookup: {
      from: COLLECTION,
      localField: 'parent_id',
      foreignField: '_id',
      as: 'parents',
      pipeline: [{ $project: { _id: 1 } }],
    },
  },
  withMember,
  {
    $lookup: {
      from: TOKENS,
      localField: 'token_sha256',
      foreignField: 'sha256',
      as: 'tokens',
      pipeline: [
        {
          $project: {
            permissions: 1,
            reads_secrets: 1,
            submits_mail: 1,
            delivery_permissions: 1,
            limited_permissions: 1,
            limit: 1,
            expires_at: 1,
          },
        },
      ],
    },
  },
  {
    $lookup: {
      from: ACCOUNTS,
      localField: 'account_id',
      foreignField: '_id',
      as: 'accounts',
      pipeline: [{ $project: { suspended_at: 1 } }],
    },
  },
  { $unset: ['sha256', 'token_sha256'] },
];

export function createSessions(db: Db): Sessions {
  const sessions = db.collection<StoredSession>(COLLECTION);
  return {
    insert: async function insertSession({ tokenHash, ...fields }) {
      const secret = formatSessionSecret(randomBytes(SESSION_RANDOM_BYTES));
      const id = newId('session', fields.created_at, randomBytes(ID_RANDOM_BYTES));
      const shown = { ...fields, last_used_at: fields.created_at };
      await sessions.insertOne({
        _id: id,
        ...shown,
        sha256: new Binary(sessionHash(secret)),
        token_sha256: tokenHash === null ? null : new Binary(tokenHash),
      });
      return { session: { id, ...shown }, secret };
    },
    find: async function findSession(secret) {
      if (!isSessionSecret(secret)) return undefined;
      const [found] = await sessions
        .aggregate<Joined>([{ $match: { sha256: new Binary(sessionHash(secret)) } }, ...joined])
        .toArray();
      return found && factsOf(found);
    },
    list: async function listSessions(account_id) {
      const found = await sessions
        .aggregate<Joined>([{ $match: { account_id } }, { $sort: { _id: -1 } }, ...joined])
        .toArray();
      return found.map(factsOf);
    },
    childrenOf: async function childrenOfSession({ account_id, id: parent_id }) {
      const found = await sessions
        .aggregate<Joined>([{ $match: { account_id, parent_id } }, ...joined], {
          hint: 'account_newest_first',
        })
        .toArray();
      return found.map(factsOf);
    },
    all: async function* allSessions() {
      for await (const found of sessions.aggregate<Joined>([{ $sort: { _id: 1 } }, ...joined], {
        hint: '_id_',
      }))
        yield factsOf(found);
    },
    noteUse: async function noteSessionUse(id, now) {
      await sessions.updateOne(
        { _id: id, last_used_at: { $lte: notedBefore(now) } },
        { $set: { last_used_at: now } },
      );
    },
    remove: async function removeSession(id) {
      return (await sessions.deleteOne({ _id: id })).deletedCount === 1;
    },
  };
}

const factsOf = ({
  _id: id,
  tokens,
  accounts,
  parents,
  members: [member],
  user = null,
  member_id = null,
  parent_id = null,
  ...session
}: Joined): SessionFacts => ({
  session: { id, user, member_id, parent_id, ...session },
  ...(member && { member: { id: member._id, name: member.name, role: member.role } }),
  hasParent: parent_id === null || parents.length > 0,
  tokenPermissions: tokens[0] && permissionsOf(tokens[0]),
  tokenLimit: tokens[0]?.limit ?? null,
  ...(tokens[0]?.expires_at && { tokenExpiresAt: tokens[0].expires_at }),
  accountIsSuspended: Boolean(accounts[0]?.suspended_at),
});
