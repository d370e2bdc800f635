/** Single-use links to the dashboard in MongoDB: the SHA-256 of each code, for a few minutes. */
import { randomBytes } from 'node:crypto';
import { Binary, type Db } from 'mongodb';

import type { Environment } from '../../../core/environment.ts';
import type { Permission } from '../../../core/account/permission.ts';
import {
  formatSessionSecret,
  isSessionSecret,
  SESSION_RANDOM_BYTES,
  sessionHash,
} from '../../../core/account/session.ts';
import type { CollectionIndexes } from '../connection.ts';
import { TOKENS } from '../accounts/tokens.ts';

const COLLECTION = 'dashboard_links';

export const dashboardLinkIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [
    { key: { sha256: 1 }, name: 'sha256', unique: true },
    { key: { expires_at: 1 }, name: 'expired', expireAfterSeconds: 0 },
  ],
};

export type DashboardLink = {
  account_id: string;
  environment: Environment;
  permissions: Permission[];
  /** The token that made it; null when the operator of the platform did. */
  token_id: string | null;
  /** The session that made it; null when none did. */
  session_id: string | null;
  /** Who made it, as the OpenID provider names them. */
  user: string | null;
  /** The session ends then at the latest; null for the usual lifetime. */
  session_expires_at: Date | null;
  expires_at: Date;
};

type StoredLink = DashboardLink & { sha256: Binary; token_sha256: Binary | null };

export type DashboardLinks = {
  /** Resolves with the code. */
  insert(link: DashboardLink): Promise<string>;
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
      const { token_sha256, sha256: _, _id, ...link } = found;
      return { ...link, tokenHash: token_sha256?.value() ?? null };
    },
  };
}
