/** Lists of senders: named in rules and filters, changed here (D55, docs/rules.md). */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

import { senderListKey, type SenderLists } from '../../adapters/mongo/addresses/sender-lists.ts';
import { EXAMPLE } from '../../core/api-reference.ts';
import { AppError, fieldConflict, notFound } from '../../core/app-error.ts';
import { ID_RANDOM_BYTES, newId } from '../../core/ids.ts';
import {
  changedEntries,
  type EntriesChange,
  LIST_ENTRIES_MAX,
  LIST_ENTRY_MAX_CHARS,
  ListName,
  LISTS_MAX,
  type SenderListRecord,
  SenderListView,
  senderListView,
} from '../../core/rules/sender-list-record.ts';
import { type Announcements, announcementLost } from '../../platform/address-directory.ts';
import type { Audit } from '../../platform/audit.ts';
import { refuseTest } from '../http/authentication.ts';
import { defineEndpoint, Deleted, type Endpoint } from '../http/endpoint.ts';
import { ServedFile } from '../http/output/served-file.ts';
import { Description } from './address-bodies.ts';

/** Room for the longest entries, and for the JSON around them. */
const BODY_MAX_BYTES = 4 * 1024 * 1024;
/** Another request may change the list between reading and writing. */
const CHANGE_TRIES = 5;

const Entries = z
  .array(z.string().min(1).max(LIST_ENTRY_MAX_CHARS).meta({ format: 'sender' }))
  .max(LIST_ENTRIES_MAX);
const WHAT = 'addresses, domains (partner.example) and their subdomains (*.partner.example)';

type Parts = { lists: SenderLists; announcements: Announcements; audit: Audit };

export function listEndpoints({ lists, announcements, audit }: Parts): Endpoint[] {
  const existing = async (accountId: string, id: string): Promise<SenderListRecord> => {
    const list = await lists.find(accountId, id);
    if (list === undefined) throw notFound('list');
    return list;
  };
  const announce = ({ id, account_id, name }: SenderListRecord) =>
    announcements
      .announced({ id, address: senderListKey(account_id, name) })
      .catch(announcementLost);

  const change = async (
    list: SenderListRecord,
    asked: EntriesChange & { description?: string | null | undefined },
    now: Date,
  ): Promise<SenderListRecord> => {
    let before = list;
    for (let tries = 0; tries < CHANGE_TRIES; tries++) {
      const fields = {
        entries: entriesAfter(before.entries, asked),
        ...(asked.description !== undefined && { description: asked.description }),
      };
      const { account_id, id, updated_at } = before;
      const changed = await lists.update(account_id, id, fields, now, updated_at);
      if (changed !== undefined) return changed;
      before = await existing(account_id, id);
    }
    throw new AppError('conflict', 'Other requests change this list at the same time. Try again');
  };

  return [
    defineEndpoint({
      method: 'GET',
      path: '/lists',
      operationId: 'listSenderLists',
      summary: 'List the sender lists of the account by name',
      permission: 'addresses:read',
      tag: 'lists',
      response: z.object({ data: z.array(SenderListView) }),
      handle: async ({ caller }) => ({
        data: (await lists.list(caller.account_id)).map(senderListView),
      }),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/lists',
      operationId: 'createSenderList',
      summary: 'Create a list of senders for rules and filters',
      permission: 'addresses:write',
      tag: 'lists',
      errors: ['conflict'],
      bodyMaxBytes: BODY_MAX_BYTES,
      example: {
        request: { name: 'partners', entries: ['partner.example', 'ann@supplier.example'] },
      },
      body: z.strictObject({
        name: ListName.describe('unique in the account; expressions name it: lists.partners'),
        description: Description.optional(),
        entries: Entries.optional().describe(`${WHAT}; default: none`),
      }),
      status: 201,
      response: SenderListView,
      handle: async ({ body: { name, description = null, ...asked }, ...cause }) => {
        refuseTest(cause.caller, NOT_BY_TEST);
        announcements.require();
        const list: SenderListRecord = {
          id: newId('lst', cause.now, randomBytes(ID_RANDOM_BYTES)),
          account_id: cause.caller.account_id,
          name,
          description,
          entries: entriesAfter([], asked),
          created_at: cause.now,
          updated_at: cause.now,
        };
        const result = await lists.insert(list);
        if (result === 'taken') throw fieldConflict('name', `Another list has the name ${name}`);
        if (result === 'full')
          throw new AppError('conflict', `An account has at most ${LISTS_MAX} lists`);
        await announce(list);
        await audit(cause, { type: 'list.created', address_id: null, data: auditData(list) });
        return summary(list);
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/lists/{list_id}',
      operationId: 'getSenderList',
      summary: 'Get a sender list without its entries',
      permission: 'addresses:read',
      tag: 'lists',
      response: SenderListView,
      handle: async ({ caller, params }) =>
        summary(await existing(caller.account_id, params.list_id)),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/lists/{list_id}/entries',
      operationId: 'exportSenderList',
      summary: 'Get the entries of a sender list as text, one in each line',
      permission: 'addresses:read',
      tag: 'lists',
      example: { response: 'ann@supplier.example\npartner.example\n' },
      response: ServedFile,
      file: { mediaType: 'text/plain' },
      handle: async ({ caller, params }) => {
        const { name, entries } = await existing(caller.account_id, params.list_id);
        const content = Buffer.from(entries.map((entry) => `${entry}\n`).join(''));
        const size = content.byteLength;
        return { content, size, contentType: 'text/plain', filename: `${name}.txt` };
      },
    }),
    defineEndpoint({
      method: 'PATCH',
      path: '/lists/{list_id}',
      operationId: 'updateSenderList',
      summary:
        'Change the description or the entries of a sender list; the next email is judged by them',
      permission: 'addresses:write',
      tag: 'lists',
      errors: ['conflict'],
      bodyMaxBytes: BODY_MAX_BYTES,
      example: { request: { add: ['*.partner.example'], remove: ['ann@supplier.example'] } },
      body: z.strictObject({
        description: Description.nullable().optional().describe('free text; null for none'),
        entries: Entries.optional().describe(`replace all: ${WHAT}`),
        add: Entries.optional().describe('entries to add'),
        remove: Entries.optional().describe('entries to remove, after those to add'),
      }),
      response: SenderListView,
      handle: async ({ params, body, ...cause }) => {
        refuseTest(cause.caller, NOT_BY_TEST);
        announcements.require();
        const list = await existing(cause.caller.account_id, params.list_id);
        const changed = await change(list, body, cause.now);
        await announce(changed);
        await audit(cause, { type: 'list.updated', address_id: null, data: auditData(changed) });
        return summary(changed);
      },
    }),
    defineEndpoint({
      method: 'DELETE',
      path: '/lists/{list_id}',
      operationId: 'deleteSenderList',
      summary: 'Delete a sender list; rules that name it then fail, and do nothing',
      permission: 'addresses:write',
      tag: 'lists',
      example: { response: { id: EXAMPLE.list_id, deleted: true } },
      response: Deleted,
      handle: async ({ params, ...cause }) => {
        refuseTest(cause.caller, NOT_BY_TEST);
        announcements.require();
        const { account_id } = cause.caller;
        const removed = await lists.remove(account_id, params.list_id);
        if (removed === undefined) throw notFound('list');
        await announce(removed);
        await audit(cause, { type: 'list.deleted', address_id: null, data: auditData(removed) });
        return { id: removed.id, deleted: true as const };
      },
    }),
  ];
}

const NOT_BY_TEST = 'change lists, which live email shares';

const summary = ({ entries, ...list }: SenderListRecord) =>
  senderListView({ ...list, entry_count: entries.length });

const auditData = ({ id, name, entries }: SenderListRecord) => ({
  list_id: id,
  name,
  entry_count: entries.length,
});

/** @throws AppError `validation_failed` for a text that names no sender, and for too many entries */
function entriesAfter(before: readonly string[], asked: EntriesChange): string[] {
  const changed = changedEntries(before, asked);
  if ('invalid' in changed)
    throw new AppError(
      'validation_failed',
      `${changed.invalid} is not an address, a domain, or a domain after *.`,
      { details: { field: changed.invalid, code: 'invalid_value' } },
    );
  if (changed.entries.length > LIST_ENTRIES_MAX)
    throw new AppError('validation_failed', `A list has at most ${LIST_ENTRIES_MAX} entries`, {
      details: { field: asked.add ? 'add' : 'entries', code: 'too_long' },
    });
  return changed.entries;
}
