/** Creates, changes and deletes lists of senders. */
import { senderListKey, type SenderLists } from '../../adapters/mongo/list/sender-lists.ts';
import { AppError } from '../../core/error/app-error.ts';
import { changedFields, isEmpty } from '../../core/resource/changed-fields.ts';
import { newRecord } from '../../core/resource/record.ts';
import {
  changedEntries,
  type EntriesChange,
  LIST_ENTRIES_MAX,
  SENDER_LIST,
  type SenderListNoun,
  type SenderListRecord,
  summaryOf,
} from '../../core/list/sender-list.ts';
import type { Announcements } from '../address-directory.ts';
import type { Audit } from '../audit.ts';
import { createOwnedOperations, type OwnedOperations, type Updated } from '../owned-operations.ts';

/** Rules that name a removed list then fail, and do nothing. */
export type SenderListOperations = OwnedOperations<SenderListNoun>;

/** Another request may change the list between reading and writing. */
const CHANGE_TRIES = 5;

type SenderListOperationDependencies = {
  lists: Pick<SenderLists, 'insert' | 'find' | 'update' | 'remove'>;
  announcements: Announcements;
  audit: Audit;
};

export function createSenderListOperations({
  lists,
  announcements,
  audit,
}: SenderListOperationDependencies): SenderListOperations {
  const update = async (
    now: Date,
    list: SenderListRecord,
    requested: SenderListNoun['Change'],
  ): Promise<Updated<SenderListRecord> | undefined> => {
    let before = list;
    for (let tries = 0; tries < CHANGE_TRIES; tries++) {
      const fields = changedFields(before, {
        entries: entriesAfter(before.entries, requested),
        description: requested.description,
      });
      if (isEmpty(fields)) return { record: before, changed: {} };
      const record = await lists.update(before, fields, now);
      if (record !== undefined) return { record, changed: changesOf(before, record) };
      const found = await lists.find(before, before.id);
      if (found === undefined) return undefined;
      before = found;
    }
    throw new AppError('conflict', 'Other requests change this list at the same time. Try again');
  };

  return createOwnedOperations<SenderListNoun>(
    {
      resource: SENDER_LIST,
      store: lists,
      newRecord: (requested, { account_id }, stamp) => ({
        ...newRecord(SENDER_LIST.fields, requested, { account_id }, stamp),
        entries: entriesAfter([], requested),
      }),
      update: ({ now }, before, requested) => update(now, before, requested),
      cacheKey: ({ account_id, name }) => senderListKey(account_id, name),
      isCachedBefore: true,
      shown: summaryOf,
    },
    announcements,
    audit,
  );
}

/** Entries that an event names; the rest is counted. A list may have tens of thousands. */
const NAMED_ENTRIES_MAX = 20;

const changesOf = (before: SenderListRecord, after: SenderListRecord) => ({
  ...changedFields(before, { description: after.description }),
  ...namedEntries('added', entriesWithout(after.entries, before.entries)),
  ...namedEntries('removed', entriesWithout(before.entries, after.entries)),
});

function entriesWithout(entries: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return entries.filter((entry) => !known.has(entry));
}

const namedEntries = (name: 'added' | 'removed', entries: readonly string[]) =>
  entries.length > 0 && {
    [`${name}_count`]: entries.length,
    [name]: entries.slice(0, NAMED_ENTRIES_MAX),
  };

/** @throws AppError `validation_failed` for a text that names no sender, and for too many entries */
function entriesAfter(before: readonly string[], requested: EntriesChange): string[] {
  const after = changedEntries(before, requested);
  if ('invalid' in after)
    throw new AppError(
      'validation_failed',
      `${after.invalid} is not an address, a domain, a domain after *., or a network`,
      { details: { field: after.invalid, code: 'invalid_value' } },
    );
  if (after.entries.length > LIST_ENTRIES_MAX)
    throw new AppError('validation_failed', `A list has at most ${LIST_ENTRIES_MAX} entries`, {
      details: { field: requested.add ? 'add' : 'entries', code: 'too_long' },
    });
  return after.entries;
}
