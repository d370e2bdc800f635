/** Lists of senders: named in rules and filters, changed here (D55, docs/rules.md). */
import { z } from 'zod';

import type { SenderLists } from '../../adapters/mongo/list/sender-lists.ts';
import type { AccountScope } from '../../core/address/scope.ts';
import { refuseManaged } from '../../core/managed-by.ts';
import { EXAMPLE } from '../../core/api-reference.ts';
import { notFound } from '../../core/app-error.ts';
import { shapeOf } from '../../core/resource/field.ts';
import {
  SENDER_LIST,
  type SenderListRecord,
  SenderListView,
  senderListView,
  summaryOf,
} from '../../core/list/sender-list.ts';
import type { SenderListOperations } from '../../platform/list/sender-list-operations.ts';
import { refuseTest } from '../http/authentication.ts';
import { defineEndpoint, Deleted, type Endpoint } from '../http/endpoint.ts';
import { ServedFile } from '../http/output/served-file.ts';

/** Room for the longest entries, and for the JSON around them. */
const BODY_MAX_BYTES = 4 * 1024 * 1024;

type ListEndpointDependencies = { lists: SenderLists; operations: SenderListOperations };

export function listEndpoints({ lists, operations }: ListEndpointDependencies): Endpoint[] {
  const existing = async (scope: AccountScope, id: string): Promise<SenderListRecord> => {
    const list = await lists.find(scope, id);
    if (list === undefined) throw notFound('list');
    return list;
  };
  /** @throws AppError `not_found`; `conflict` when a Kubernetes resource owns it */
  const requireChangeable = async (scope: AccountScope, id: string): Promise<void> =>
    refuseManaged('list', (await existing(scope, id)).managed_by);

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
        data: (await lists.list(caller)).map(senderListView),
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
      body: z.strictObject(shapeOf(SENDER_LIST.fields, 'create')),
      status: 201,
      response: SenderListView,
      handle: async ({ body, ...cause }) => {
        refuseTest(cause.caller, NOT_BY_TEST);
        return summary(await operations.create(cause, body));
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
      handle: async ({ caller, params }) => summary(await existing(caller, params.list_id)),
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
        const { name, entries } = await existing(caller, params.list_id);
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
      body: z.strictObject(shapeOf(SENDER_LIST.fields, 'change')),
      response: SenderListView,
      handle: async ({ params, body, ...cause }) => {
        refuseTest(cause.caller, NOT_BY_TEST);
        await requireChangeable(cause.caller, params.list_id);
        return summary(await operations.change(cause, params.list_id, body));
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
        await requireChangeable(cause.caller, params.list_id);
        await operations.remove(cause, params.list_id);
        return { id: params.list_id, deleted: true as const };
      },
    }),
  ];
}

const NOT_BY_TEST = 'change lists, which live email shares';

const summary = (list: SenderListRecord) => senderListView(summaryOf(list));
