/** Sender lists in MongoDB: one document for each, of at most 3.2 MB. */
import type { Db } from 'mongodb';

import type { ManagedBy } from '../../../core/managed-by.ts';
import {
  SenderListRecord,
  type SenderListSummary,
} from '../../../core/rules/sender-list-record.ts';
import { managedBy } from '../documents/managed-records.ts';
import {
  LIST_PLACES,
  SENDER_LISTS,
  type StoredSenderList,
} from '../documents/sender-list-documents.ts';
import { insertAtPlace } from '../places.ts';

type SenderListChange = Partial<Pick<SenderListRecord, 'description' | 'entries'>>;

export type SenderLists = {
  /** `taken`: another list of the account has the name. `full`: the account has the most it may. */
  insert(list: SenderListRecord): Promise<'made' | 'taken' | 'full'>;
  /** In the order of their names. */
  list(accountId: string): Promise<SenderListSummary[]>;
  find(accountId: string, id: string): Promise<SenderListRecord | undefined>;
  /**
   * Undefined when another change came first. Each change has a later `updated_at` than the one before,
   * also within a millisecond, so none is overwritten.
   * @param readAt the `updated_at` that the caller has read
   */
  update(
    accountId: string,
    id: string,
    change: SenderListChange,
    now: Date,
    readAt: Date,
  ): Promise<SenderListRecord | undefined>;
  remove(accountId: string, id: string): Promise<SenderListRecord | undefined>;
  /** The list that this resource, or an earlier one of the same name, owns. */
  findManaged(owner: ManagedBy): Promise<SenderListRecord | undefined>;
  /** The entries of a list, for a gateway. @param key see {@link senderListKey} */
  entriesOf: (key: string) => Promise<ReadonlySet<string> | undefined>;
};

/** Under which gateways cache a list, and its changes are announced. No address contains a space. */
export const senderListKey = (accountId: string, name: string): string => `${accountId} ${name}`;

export function createSenderLists(db: Db): SenderLists {
  const lists = db.collection<StoredSenderList>(SENDER_LISTS);

  return {
    insert: ({ id, ...fields }) =>
      insertAtPlace(LIST_PLACES, (place) => lists.insertOne({ ...fields, _id: id, place })),

    list: (accountId) =>
      lists
        .aggregate<SenderListSummary>([
          { $match: { account_id: accountId } },
          { $sort: { name: 1 } },
          { $set: { id: '$_id', entry_count: { $size: '$entries' } } },
          { $unset: ['entries', '_id', 'place'] },
        ])
        .toArray(),

    find: async (accountId, id) => ifFound(await lists.findOne({ _id: id, account_id: accountId })),

    update: async (accountId, id, change, now, readAt) =>
      ifFound(
        await lists.findOneAndUpdate(
          { _id: id, account_id: accountId, updated_at: readAt },
          { $set: { ...change, updated_at: new Date(Math.max(+now, +readAt + 1)) } },
          { returnDocument: 'after' },
        ),
      ),

    remove: async (accountId, id) =>
      ifFound(await lists.findOneAndDelete({ _id: id, account_id: accountId })),

    findManaged: async (owner) => ifFound(await lists.findOne(managedBy(owner))),

    entriesOf: async function entriesOfSenderList(key) {
      const [account_id = '', name = ''] = key.split(' ');
      const found = await lists.findOne({ account_id, name }, { projection: { entries: 1 } });
      return found === null ? undefined : new Set(found.entries);
    },
  };
}

function ifFound(stored: StoredSenderList | null): SenderListRecord | undefined {
  if (stored === null) return undefined;
  const { _id: id, ...record } = stored;
  return SenderListRecord.parse({ ...record, id });
}
