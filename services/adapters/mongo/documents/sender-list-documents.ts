/** The documents of sender lists in MongoDB, and their indexes. */
import { SENDER_LIST, type SenderListRecord } from '../../../core/list/sender-list.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { managedIndex, slotNumbers } from './managed-records.ts';

export const SENDER_LISTS = 'sender_lists';

export const senderListIndexes: CollectionIndexes = {
  collection: SENDER_LISTS,
  indexes: [
    { key: { account_id: 1, name: 1 }, name: 'account_name', unique: true },
    // Each place of an account is held once, so there is a maximum.
    { key: { account_id: 1, place: 1 }, name: 'account_place', unique: true },
    managedIndex(),
  ],
};

export type StoredSenderList = Omit<SenderListRecord, 'id'> & { _id: string; place: number };

export const LIST_SLOTS: readonly number[] = slotNumbers(SENDER_LIST);
