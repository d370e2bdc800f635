/** Sender lists in MongoDB: one document for each, of at most 3.2 MB. */
import type { Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import { SenderListRecord, type SenderListSummary } from '../../../core/list/sender-list.ts';
import { managedBy } from '../documents/managed-records.ts';
import { LIST_SLOTS, SENDER_LISTS, type StoredSenderList } from '../documents/owned-documents.ts';
import { insertWithinMaximum } from '../database/numbered-slots.ts';

/** Both environments share the lists of an account. */
type Owner = Pick<Owned, 'account_id'>;

export type SenderLists = {
  /** `taken`: another list of the account has the name. `full`: the account has the most it may. */
  insert(list: SenderListRecord): Promise<'made' | 'taken' | 'full'>;
  /** In the order of their names. */
  list(owner: Owner): Promise<SenderListSummary[]>;
  find(owner: Owner, id: string): Promise<SenderListRecord | undefined>;
  /**
   * Undefined when another change came first. Each change has a later `updated_at` than the one before,
   * also within a millisecond, so none is overwritten.
   * @param before the list that the caller has read
   */
  update(
    before: SenderListRecord,
    change: Partial<Pick<SenderListRecord, 'description' | 'entries'>>,
    now: Date,
  ): Promise<SenderListRecord | undefined>;
  remove(owner: Owner, id: string): Promise<SenderListRecord | undefined>;
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
      insertWithinMaximum(LIST_SLOTS, (slot) =>
        lists.insertOne({ ...fields, _id: id, place: slot }),
      ),

    list: ({ account_id }) =>
      lists
        .aggregate<SenderListSummary>([
          { $match: { account_id } },
          { $sort: { name: 1 } },
          { $set: { id: '$_id', entry_count: { $size: '$entries' } } },
          { $unset: ['entries', '_id', 'place'] },
        ])
        .toArray(),

    find: async ({ account_id }, id) => ifFound(await lists.findOne({ _id: id, account_id })),

    update: async ({ id, account_id, updated_at }, change, now) =>
      ifFound(
        await lists.findOneAndUpdate(
          { _id: id, account_id, updated_at },
          { $set: { ...change, updated_at: new Date(Math.max(+now, +updated_at + 1)) } },
          { returnDocument: 'after' },
        ),
      ),

    remove: async ({ account_id }, id) =>
      ifFound(await lists.findOneAndDelete({ _id: id, account_id })),

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
