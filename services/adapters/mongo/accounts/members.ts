/** The people of accounts in MongoDB (D75). */
import { randomBytes } from 'node:crypto';
import type { ClientSession, Db } from 'mongodb';

import type { ManagedBy } from '../../../core/address/managed-by.ts';
import { isLastOwner, Member, MEMBERS_MAX } from '../../../core/account/member.ts';
import { notedBefore } from '../../../core/account/token.ts';
import { ID_RANDOM_BYTES, newId } from '../../../core/ids.ts';
import type { CollectionIndexes } from '../connection.ts';
import { MEMBERS } from '../documents/account-documents.ts';
import { transaction } from '../transaction.ts';
import { createCredentialRevision } from './credential-revision.ts';
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

export type MemberChange = Partial<Pick<Member, 'name' | 'role' | 'group'>>;

type Unless = {
  /** Whether the last owner may go, because a Kubernetes resource says so. */
  mayBeLastOwner?: boolean;
};

export type Members = {
  /** `full` when the account has as many as it can have. */
  insert(member: NewMember, now: Date): Promise<Member | 'full'>;
  /** All of an account, newest first. */
  list(accountId: string): Promise<Member[]>;
  find(accountId: string, id: string): Promise<Member | undefined>;
  /** The member of the account who is this user at the OpenID provider, by one of these names. */
  findSubject(accountId: string, subjects: readonly string[]): Promise<Member | undefined>;
  /** Applies to open sessions immediately, and to tokens within a second: see credential-cache.ts. */
  change(
    accountId: string,
    id: string,
    change: MemberChange,
    unless?: Unless,
  ): Promise<Member | 'unknown' | 'last_owner'>;
  /** Removes the member and their tokens, whose ids it resolves with. Sessions end without them. */
  remove(
    accountId: string,
    id: string,
    unless?: Unless,
  ): Promise<{ tokenIds: string[] } | 'unknown' | 'last_owner'>;
  /** Updates `last_seen_at`, unless another process did within the last minute. */
  noteSeen(id: string, now: Date): Promise<void>;
};

export function createMembers(db: Db): Members {
  const members = db.collection<StoredMember>(MEMBERS);
  const tokens = db.collection<{ _id: string; account_id: string; member_id: string }>(TOKENS);
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
      inTurn(async (session) => {
        const count = await members.countDocuments({ account_id: member.account_id }, { session });
        if (count >= MEMBERS_MAX) return 'full';
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
    list: (accountId) => list(accountId),
    find: async function findMember(account_id, id) {
      const found = await members.findOne({ _id: id, account_id });
      return found === null ? undefined : memberOf(found);
    },
    findSubject: async function findMemberBySubject(account_id, subjects) {
      const found = await members.findOne({
        account_id,
        subject: { $in: [...subjects], $type: 'string' },
      });
      return found === null ? undefined : memberOf(found);
    },
    change: (account_id, id, change, { mayBeLastOwner = false } = {}) =>
      inTurn(async (session) => {
        const all = await list(account_id, session);
        const member = all.find((one) => one.id === id);
        if (member === undefined) return 'unknown';
        const losesOwner = change.role !== undefined && change.role !== member.role;
        if (losesOwner && !mayBeLastOwner && isLastOwner(member, all)) return 'last_owner';
        if (Object.keys(change).length > 0)
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
        const found = await tokens.find(theirs, { session, projection: { _id: 1 } }).toArray();
        await tokens.deleteMany(theirs, { session });
        return { tokenIds: found.map(({ _id }) => _id) };
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
