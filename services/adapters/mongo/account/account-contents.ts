/** Counts, and on closure removes, an account's addresses, domains and tokens. */
import type { Db } from 'mongodb';

import { Environment } from '../../../core/resource/environment.ts';
import { MEMBERS } from '../documents/account-documents.ts';
import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { KNOWN_AUTHORS } from '../address/known-authors.ts';
import { BUCKETS, NOTIFICATIONS, SENDER_LISTS } from '../documents/owned-documents.ts';
import { eraseAccountKeys } from './account-keys.ts';
import { createCredentialRevision } from '../token/credential-revision.ts';
import { DOMAINS } from '../documents/domain-documents.ts';
import {
  receiverDeletion,
  RECEIVERS,
  type StoredReceiver,
} from '../documents/receiver-documents.ts';
import { REFUSALS } from '../refusal/refusals.ts';
import { TOKENS } from '../documents/token-documents.ts';

/** Numbers of records, in both environments. */
export type AccountContents = { addresses: number; domains: number; tokens: number };

type Owned = { account_id: string };

export function createAccountContents(db: Db) {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const domains = db.collection<Owned>(DOMAINS);
  const tokens = db.collection<Owned>(TOKENS);
  return {
    count: async function countContents(account_id: string): Promise<AccountContents> {
      const [addressCount, domainCount, tokenCount] = await Promise.all([
        addresses.countDocuments(currentAddresses(account_id)),
        domains.countDocuments({ account_id }),
        tokens.countDocuments({ account_id }),
      ]);
      return { addresses: addressCount, domains: domainCount, tokens: tokenCount };
    },

    /**
     * Removes members and tokens first, so that nothing is created at the same time, then receivers,
     * lists, known authors, buckets, notifications and refusals as well. Deleted addresses keep their names (D8).
     * At last its content keys: then nothing can read what is stored of its emails, if that is encrypted.
     * Gateways follow within 30 seconds. Resolves with the numbers of removed records.
     */
    remove: async function removeContents(account_id: string, now: Date): Promise<AccountContents> {
      await db.collection<Owned>(MEMBERS).deleteMany({ account_id });
      const revoked = await tokens.deleteMany({ account_id });
      await createCredentialRevision(db).increment();
      const deleted = await addresses.updateMany(currentAddresses(account_id), {
        $set: { deleted_at: now },
      });
      await db
        .collection<StoredReceiver>(RECEIVERS)
        .updateMany({ account_id, deleted_at: null }, receiverDeletion(now));
      for (const collection of [BUCKETS, KNOWN_AUTHORS, NOTIFICATIONS, REFUSALS, SENDER_LISTS])
        await db.collection<Owned>(collection).deleteMany({ account_id });
      const released = await domains.deleteMany({ account_id });
      await eraseAccountKeys(db, account_id, now);
      return {
        addresses: deleted.modifiedCount,
        domains: released.deletedCount,
        tokens: revoked.deletedCount,
      };
    },
  };
}

/** Names both environments, because the index begins with account and environment. */
const currentAddresses = (account_id: string) => ({
  account_id,
  environment: { $in: [...Environment.options] },
  deleted_at: null,
});
