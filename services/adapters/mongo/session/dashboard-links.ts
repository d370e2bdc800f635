/** Single-use links to the dashboard in MongoDB: the SHA-256 of each code, for a few minutes. */
import { randomBytes } from 'node:crypto';
import { Binary, type Db } from 'mongodb';

import type { Environment } from '../../../core/resource/environment.ts';
import type { Permission } from '../../../core/token/permission.ts';
import {
  formatSessionSecret,
  isSessionSecret,
  SESSION_RANDOM_BYTES,
  sessionHash,
} from '../../../core/member/session.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { TOKENS } from '../documents/token-documents.ts';

const COLLECTION = 'dashboard_links';

export const dashboardLinkIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [
    { key: { sha256: 1 }, name: 'sha256', unique: true },
    { key: { expires_at: 1 }, name: 'expired', expireAfterSeconds: 0 },
    {
      key: { account_id: 1, member_id: 1 },
      name: 'members',
      partialFilterExpression: { member_id: { $type: 'string' } },
    },
  ],
};

type DashboardLink = {
  account_id: string;
  environment: Environment;
  permissions: Permission[];
  /** The token that made it; null when the operator of the platform did. */
  token_id: string | null;
  /** The person who signs in with it, or whose session or token made it; null for none. */
  member_id: string | null;
  /** The session that made it; null when none did. */
  session_id: string | null;
  /** Who made it, as the OpenID provider names them. */
  user: string | null;
  /** The session ends then at the latest; null for the usual lifetime. */
  session_expires_at: Date | null;
  expires_at: Date;
};

type StoredLink = Omit<DashboardLink, 'member_id'> & {
  /** Absent in links of releases without members. */
  member_id?: string | null;
  sha256: Binary;
  token_sha256: Binary | null;
};

/** Links of members that sign in by themselves, not with a token or a session. */
const SIGN_IN = { token_id: null, session_id: null };

export type DashboardLinks = {
  /** Resolves with the code. */
  insert(link: DashboardLink): Promise<string>;
  /** When the link with which each member can sign in ends, by their ids. */
  ofMembers(accountId: string, now: Date): Promise<Map<string, Date>>;
  /** The links of this member stop working. */
  removeOfMember(accountId: string, memberId: string): Promise<void>;
  /** The account of this code, which remains valid. */
  accountOf(code: string, now: Date): Promise<string | undefined>;
  /** The link of this code, which then stops working. `tokenHash`: the hash of its token. */
  redeem(
    code: string,
    now: Date,
  ): Promise<(DashboardLink & { tokenHash: Uint8Array | null }) | undefined>;
};

export function createDashboardLinks(db: Db): DashboardLinks {
  const links = db.collection<StoredLink>(COLLECTION);
  const tokens = db.collection<{ _id: string; sha256: Binary }>(TOKENS);
  return {
    insert: async function insertDashboardLink(link) {
      const token =
        link.token_id === null
          ? null
          : await tokens.findOne({ _id: link.token_id }, { projection: { sha256: 1 } });
      const code = formatSessionSecret(randomBytes(SESSION_RANDOM_BYTES));
      await links.insertOne({
        ...link,
        sha256: new Binary(sessionHash(code)),
        token_sha256: token?.sha256 ?? null,
      });
      return code;
    },
    ofMembers: async function linksOfMembers(account_id, now) {
      const found = await links
        .find(
          { account_id, member_id: { $type: 'string' }, ...SIGN_IN, expires_at: { $gt: now } },
          { projection: { member_id: 1, expires_at: 1 } },
        )
        .toArray();
      return new Map(found.map(({ member_id, expires_at }) => [member_id ?? '', expires_at]));
    },
    removeOfMember: async function removeLinksOfMember(account_id, member_id) {
      await links.deleteMany({ account_id, member_id: { $eq: member_id, $type: 'string' } });
    },
    accountOf: async function accountOfLink(code, now) {
      if (!isSessionSecret(code)) return undefined;
      const found = await links.findOne(
        { sha256: new Binary(sessionHash(code)), expires_at: { $gt: now } },
        { projection: { account_id: 1 } },
      );
      return found?.account_id;
    },
    redeem: async function redeemDashboardLink(code, now) {
      if (!isSessionSecret(code)) return undefined;
      const found = await links.findOneAndDelete({
        sha256: new Binary(sessionHash(code)),
        expires_at: { $gt: now },
      });
      if (found === null) return undefined;
      const { token_sha256, sha256: _, _id, member_id = null, ...link } = found;
      return { ...link, member_id, tokenHash: token_sha256?.value() ?? null };
    },
  };
}
