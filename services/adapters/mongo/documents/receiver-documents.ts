/** The documents of further receivers in MongoDB, and their indexes. */
import {
  DELETED_RECEIVER_SECONDS,
  RECEIVER,
  type ReceiverRecord,
} from '../../../core/receiver/receiver.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { managedIndex, slotNumbers } from './managed-records.ts';
import type { SealedSecrets } from '../database/secrets.ts';

export const RECEIVERS = 'receivers';

export const BY_ADDRESS = 'address';

/** A timestamp as text, so its order is that of time. */
export const CERTIFICATE_EXPIRY = 'auth.client_certificate.expires_at';

export const receiverIndexes: CollectionIndexes = {
  collection: RECEIVERS,
  indexes: [
    // Each place of an address is held once, so there is a maximum.
    {
      key: { address_id: 1, place: 1 },
      name: 'address_place',
      unique: true,
      partialFilterExpression: { place: { $exists: true } },
    },
    { key: { address_id: 1, deleted_at: 1 }, name: BY_ADDRESS },
    { key: { account_id: 1, deleted_at: 1 }, name: 'account' },
    managedIndex(),
    {
      key: { failing_since: 1 },
      name: 'failing',
      partialFilterExpression: { failing_since: { $exists: true } },
    },
    {
      key: { [CERTIFICATE_EXPIRY]: 1 },
      name: 'certificate_expiry',
      partialFilterExpression: { [CERTIFICATE_EXPIRY]: { $exists: true } },
    },
    {
      key: { deleted_at: 1 },
      name: 'deleted_goes',
      expireAfterSeconds: DELETED_RECEIVER_SECONDS,
      partialFilterExpression: { deleted_at: { $type: 'date' } },
    },
  ],
};

type Added = 'mode' | 'format' | 'signing' | 'public_key' | 'auth' | 'service';

export type StoredReceiver = Omit<ReceiverRecord, 'id' | 'former_secrets' | Added> &
  // absent in documents of earlier versions
  Partial<Pick<ReceiverRecord, Added>> &
  SealedSecrets & {
    _id: string;
    /** Encrypted; null or absent without authentication. */
    sealed_auth?: string | null;
    /** From 0; absent when it is deleted. */
    place?: number;
  };

/** Its place and its resource are free; its waiting deliveries continue (D8). */
export const receiverDeletion = (now: Date) => ({
  $set: { deleted_at: now, updated_at: now },
  $unset: { place: '' as const, managed_by: '' as const },
});

export const RECEIVER_SLOTS: readonly number[] = slotNumbers(RECEIVER);
