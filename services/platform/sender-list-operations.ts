/**
 * Creates, changes and deletes lists of senders: first in MongoDB, then announced to gateways, and
 * recorded in the audit trail. For the API and the operator.
 */
import { randomBytes } from 'node:crypto';

import { senderListKey, type SenderLists } from '../adapters/mongo/addresses/sender-lists.ts';
import { AppError, fieldConflict, notFound, tooMany } from '../core/app-error.ts';
import { changedFields, isEmpty } from '../core/changed-fields.ts';
import { ID_RANDOM_BYTES, newId } from '../core/ids.ts';
import {
  changedEntries,
  type EntriesChange,
  LIST_ENTRIES_MAX,
  LISTS_MAX,
  type NewSenderList,
  type SenderListRecord,
} from '../core/rules/sender-list-record.ts';
import { type Announcements, announcementLost } from './address-directory.ts';
import { type Audit, auditUpdate, type Cause } from './audit.ts';

type AskedChange = EntriesChange & { description?: string | null | undefined };

export type SenderListOperations = {
  /**
   * @throws AppError `conflict` when another list of the account has the name, or it has as many as it
   * may have; `validation_failed` for entries
   */
  create(cause: Cause, asked: NewSenderList): Promise<SenderListRecord>;
  /** @throws AppError `not_found`, `conflict`, `validation_failed` for entries */
  change(cause: Cause, list: SenderListRecord, asked: AskedChange): Promise<SenderListRecord>;
  /** Rules that name the list then fail, and do nothing. @throws AppError `not_found` */
  remove(cause: Cause, id: string): Promise<void>;
};

/** Another request may change the list between reading and writing. */
const CHANGE_TRIES = 5;

type Parts = {
  lists: Pick<SenderLists, 'insert' | 'find' | 'update' | 'remove'>;
  announcements: Announcements;
  audit: Audit;
};

export function createSenderListOperations({
  lists,
  announcements,
  audit,
}: Parts): SenderListOperations {
  const announce = ({ id, account_id, name }: SenderListRecord) =>
    announcements
      .announced({ id, address: senderListKey(account_id, name) })
      .catch(announcementLost);

  /** The list before and after the change, which are the same when nothing differs. */
  const changed = async (
    list: SenderListRecord,
    asked: AskedChange,
    now: Date,
  ): Promise<{ before: SenderListRecord; after: SenderListRecord }> => {
    let before = list;
    for (let tries = 0; tries < CHANGE_TRIES; tries++) {
      const fields = changedFields(before, {
        entries: entriesAfter(before.entries, asked),
        description: asked.description,
      });
      if (isEmpty(fields)) return { before, after: before };
      const { account_id, id, updated_at } = before;
      const after = await lists.update(account_id, id, fields, now, updated_at);
      if (after !== undefined) return { before, after };
      const found = await lists.find(account_id, id);
      if (found === undefined) throw notFound('list');
      before = found;
    }
    throw new AppError('conflict', 'Other requests change this list at the same time. Try again');
  };

  return {
    create: async function createSenderList(cause, { name, description, managed_by, ...asked }) {
      announcements.require();
      const list: SenderListRecord = {
        id: newId('lst', cause.now, randomBytes(ID_RANDOM_BYTES)),
        account_id: cause.caller.account_id,
        name,
        description: description ?? null,
        entries: entriesAfter([], asked),
        ...(managed_by && { managed_by }),
        created_at: cause.now,
        updated_at: cause.now,
      };
      const result = await lists.insert(list);
      if (result === 'taken') throw fieldConflict('name', `Another list has the name ${name}`);
      if (result === 'full') throw tooMany('lists', LISTS_MAX, 'account');
      await announce(list);
      await audit(cause, eventOf('list.created', list));
      return list;
    },

    change: async function changeSenderList(cause, list, asked) {
      announcements.require();
      const { before, after } = await changed(list, asked, cause.now);
      await announce(after);
      await auditUpdate(audit, cause, eventOf('list.updated', after), changesOf(before, after));
      return after;
    },

    remove: async function removeSenderList(cause, id) {
      announcements.require();
      const removed = await lists.remove(cause.caller.account_id, id);
      if (removed === undefined) throw notFound('list');
      await announce(removed);
      await audit(cause, eventOf('list.deleted', removed));
    },
  };
}

const eventOf = (
  type: 'list.created' | 'list.updated' | 'list.deleted',
  { id, name, entries }: SenderListRecord,
) => ({
  type,
  address_id: null,
  data: { list_id: id, name, entry_count: entries.length },
});

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
function entriesAfter(before: readonly string[], asked: EntriesChange): string[] {
  const after = changedEntries(before, asked);
  if ('invalid' in after)
    throw new AppError(
      'validation_failed',
      `${after.invalid} is not an address, a domain, or a domain after *.`,
      { details: { field: after.invalid, code: 'invalid_value' } },
    );
  if (after.entries.length > LIST_ENTRIES_MAX)
    throw new AppError('validation_failed', `A list has at most ${LIST_ENTRIES_MAX} entries`, {
      details: { field: asked.add ? 'add' : 'entries', code: 'too_long' },
    });
  return after.entries;
}
