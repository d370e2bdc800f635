/** The people of accounts in MongoDB (D75). */
import { randomBytes } from 'node:crypto';
import type { ClientSession, Db } from 'mongodb';

import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import { isLastOwner, Member, MEMBER, type MemberChange } from '../../../core/member/member.ts';
import { notedBefore } from '../../../core/token/token.ts';
import { ID_RANDOM_BYTES, newId } from '../../../core/id/ids.ts';
import { type CollectionIndexes } from '../database/connection.ts';
import { isDuplicateKey } from '../database/errors.ts';
import { MEMBERS } from '../documents/account-documents.ts';
import { transaction } from '../database/transaction.ts';
import { createCredentialRevision } from '../token/credential-revision.ts';
import { TOKENS } from '../documents/token-documents.ts';

export const memberIndexes: CollectionIndexes = {
  collection: MEMBERS,
  indexes: [
    { key: { account_id: 1, _id: -1 }, name: 'account_newest_first' },
    {
      key: { account_id: 1, subject: 1 },
      name: 'subject_once',
      unique: true,
      partialFilterExpression: { subject: { $type: 'string' } },
    },
  ],
};

type StoredMember = Omit<Member, 'id'> & { _id: string };

export type NewMember = Pick<Member, 'account_id' | 'name' | 'role'> &
  Partial<Pick<Member, 'subject' | 'group'>> & { managed_by?: ManagedBy };

type Unless = {
  /** Whether the last owner may go, because a Kubernetes resource says so. */
  mayBeLastOwner?: boolean;
};

export type Members = {
  /** `full` when the account has as many as it can have, `taken` when it has this subject. */
  insert(member: NewMember, now: Date): Promise<Member | 'full' | 'taken'>;
  /** All of an account, newest first. */
  list(accountId: string): Promise<Member[]>;
  find(accountId: string, id: string): Promise<Member | undefined>;
  /** The members of the account with these names at the OpenID provider. */
  findSubjects(accountId: string, subjects: readonly string[]): Promise<Member[]>;
  /** Makes this user a member with this role, whom the resource then owns. */
  putManaged(
    accountId: string,
    wanted: Pick<Member, 'role'> & { subject: string },
    owner: ManagedBy,
    now: Date,
  ): Promise<Member>;
  /** Removes the owner of all that a resource owns. */
  release(accountId: string): Promise<void>;
  /** Applies to open sessions immediately, and to tokens within a second: see credential-cache.ts. */
  change(
    accountId: string,
    id: string,
    change: MemberChange,
    unless?: Unless,
  ): Promise<Member | 'unknown' | 'last_owner'>;
  /** Removes the member and their tokens, with which it resolves. Sessions end without them. */
  remove(
    accountId: string,
    id: string,
    unless?: Unless,
  ): Promise<{ tokens: { id: string; name: string }[] } | 'unknown' | 'last_owner'>;
  /** Updates `last_seen_at`, unless another process did within the last minute. */
  noteSeen(id: string, now: Date): Promise<void>;
};

export function createMembers(db: Db): Members {
  const members = db.collection<StoredMember>(MEMBERS);
  const tokens = db.collection<{
    _id: string;
    account_id: string;
    member_id: string;
    name: string;
  }>(TOKENS);
  const revision = createCredentialRevision(db);

  const list = async (account_id: string, session?: ClientSession): Promise<Member[]> =>
    (
      await members
        .find({ account_id }, { ...(session && { session }) })
        .sort({ _id: -1 })
        .toArray()
    ).map(memberOf);

  /** One such change at a time, so that the last two owners cannot remove each other. */
  const inTurn = <T>(work: (session: ClientSession) => Promise<T>): Promise<T> =>
    transaction(db, async (session) => {
      await revision.increment(session);
      return work(session);
    });

  return {
    insert: (member, now) =>
      unlessTaken(
        inTurn(async (session) => {
          const count = await members.countDocuments(
            { account_id: member.account_id },
            { session },
          );
          if (count >= MEMBER.maximum) return 'full';
          const stored: StoredMember = {
            _id: newId('member', now, randomBytes(ID_RANDOM_BYTES)),
            subject: null,
            group: null,
            ...member,
            created_at: now,
            last_seen_at: null,
          };
          await members.insertOne(stored, { session });
          return memberOf(stored);
        }),
      ),
    list: (accountId) => list(accountId),
    find: async function findMember(account_id, id) {
      const found = await members.findOne({ _id: id, account_id });
      return found === null ? undefined : memberOf(found);
    },
    findSubjects: async function findMembersBySubject(account_id, subjects) {
      const found = await members
        .find({ account_id, subject: { $in: [...subjects], $type: 'string' } })
        .toArray();
      return found.map(memberOf);
    },
    putManaged: (account_id, { subject, role }, owner, now) =>
      inTurn(async (session) => {
        const _id = newId('member', now, randomBytes(ID_RANDOM_BYTES));
        const stored = await members.findOneAndUpdate(
          { account_id, subject: { $eq: subject, $type: 'string' } },
          {
            $set: { role, group: null, managed_by: owner },
            $setOnInsert: { _id, name: subject, created_at: now, last_seen_at: null },
          },
          { upsert: true, returnDocument: 'after', session },
        );
        if (stored === null) throw new Error('an upsert has no document');
        return memberOf(stored);
      }),
    release: async function releaseMembers(account_id) {
      await members.updateMany({ account_id }, { $unset: { managed_by: '' } });
    },
    change: (account_id, id, change, { mayBeLastOwner = false } = {}) =>
      inTurn(async (session) => {
        const all = await list(account_id, session);
        const member = all.find((one) => one.id === id);
        if (member === undefined) return 'unknown';
        const losesOwner = change.role !== undefined && change.role !== member.role;
        if (losesOwner && !mayBeLastOwner && isLastOwner(member, all)) return 'last_owner';
        await members.updateOne({ _id: id }, { $set: change }, { session });
        return { ...member, ...change };
      }),
    remove: (account_id, id, { mayBeLastOwner = false } = {}) =>
      inTurn(async (session) => {
        const all = await list(account_id, session);
        const member = all.find((one) => one.id === id);
        if (member === undefined) return 'unknown';
        if (!mayBeLastOwner && isLastOwner(member, all)) return 'last_owner';
        await members.deleteOne({ _id: id }, { session });
        const theirs = { account_id, member_id: { $eq: id, $type: 'string' as const } };
        const found = await tokens.find(theirs, { session, projection: { name: 1 } }).toArray();
        await tokens.deleteMany(theirs, { session });
        return { tokens: found.map(({ _id, name }) => ({ id: _id, name })) };
      }),
    noteSeen: async function noteMemberSeen(id, now) {
      await members.updateOne(
        { _id: id, $or: [{ last_seen_at: null }, { last_seen_at: { $lte: notedBefore(now) } }] },
        { $set: { last_seen_at: now } },
      );
    },
  };
}

const memberOf = ({ _id: id, ...stored }: StoredMember): Member => Member.parse({ id, ...stored });

/** Two sign-ins of one user may find none; the unique index then decides. */
async function unlessTaken<T>(insertion: Promise<T>): Promise<T | 'taken'> {
  try {
    return await insertion;
  } catch (error) {
    if (isDuplicateKey(error)) return 'taken';
    throw error;
  }
}
