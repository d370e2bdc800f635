/** What an account has: addresses, domains and tokens. Counts them, and ends them all. */
import type { Db } from 'mongodb';

import { Environment } from '../../../core/environment.ts';
import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { createCredentialRevision } from './credential-revision.ts';
import { DOMAINS } from '../documents/domain-documents.ts';
import { NOTIFICATIONS } from '../documents/notification-documents.ts';
import { TOKENS } from './tokens.ts';

/** Numbers of records, in both environments. */
export type Holdings = { addresses: number; domains: number; tokens: number };

export async function countHoldings(db: Db, account_id: string): Promise<Holdings> {
  const [addresses, domains, tokens] = collectionsOf(db);
  const [addressCount, domainCount, tokenCount] = await Promise.all([
    addresses.countDocuments(currentAddresses(account_id)),
    domains.countDocuments({ account_id }),
    tokens.countDocuments({ account_id }),
  ]);
  return { addresses: addressCount, domains: domainCount, tokens: tokenCount };
}

/**
 * Removes tokens first, so that nothing is created meanwhile. Notifications are removed, too. Deleted
 * addresses keep their names (D8). Gateways follow within 30 seconds. Resolves with what was removed.
 */
export async function endHoldings(db: Db, account_id: string, now: Date): Promise<Holdings> {
  const [addresses, domains, tokens, notifications] = collectionsOf(db);
  const revoked = await tokens.deleteMany({ account_id });
  await createCredentialRevision(db).increment();
  const deleted = await addresses.updateMany(currentAddresses(account_id), {
    $set: { deleted_at: now },
  });
  await notifications.deleteMany({ account_id });
  const released = await domains.deleteMany({ account_id });
  return {
    addresses: deleted.modifiedCount,
    domains: released.deletedCount,
    tokens: revoked.deletedCount,
  };
}

const collectionsOf = (db: Db) =>
  [
    db.collection<StoredAddress>(ADDRESSES),
    db.collection<{ account_id: string }>(DOMAINS),
    db.collection<{ account_id: string }>(TOKENS),
    db.collection<{ account_id: string }>(NOTIFICATIONS),
  ] as const;

/** Names both environments, because the index begins with account and environment. */
const currentAddresses = (account_id: string) => ({
  account_id,
  environment: { $in: [...Environment.options] },
  deleted_at: null,
});
