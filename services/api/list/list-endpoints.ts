/** Lists of senders: named in rules and filters, changed here (D55, docs/rules.md). */
import { z } from 'zod';

import type { SenderLists } from '../../adapters/mongo/list/sender-lists.ts';
import { shapeOf } from '../../core/resource/field.ts';
import {
  SENDER_LIST,
  type SenderListNoun,
  type SenderListRecord,
  SenderListView,
  senderListView,
  summaryOf,
} from '../../core/list/sender-list.ts';
import type { SenderListOperations } from '../../platform/list/sender-list-operations.ts';
import { refuseTest } from '../http/authentication.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { ServedFile } from '../http/output/served-file.ts';
import { ownedEndpoints } from '../http/owned-endpoints.ts';

/** Room for the longest entries, and for the JSON around them. */
const BODY_MAX_BYTES = 4 * 1024 * 1024;

const shown = (list: SenderListRecord) => senderListView(summaryOf(list));

type ListDependencies = { lists: SenderLists; operations: SenderListOperations };

export function listEndpoints({ lists, operations }: ListDependencies): Endpoint[] {
  const { list, create, get, change, remove, existing } = ownedEndpoints<SenderListNoun>({
    resource: SENDER_LIST,
    path: '/lists',
    tag: 'lists',
    read: 'addresses:read',
    write: 'addresses:write',
    find: ({ caller }, id) => lists.find(caller, id),
    operations,
    view: SenderListView,
    shown,
    refuse: (caller) => refuseTest(caller, 'change lists, which live email shares'),
  });
  const exported = defineEndpoint({
    call: 'GET /lists/{list_id}/entries',
    operationId: 'exportSenderList',
    summary: 'Get the entries of a sender list as text, one in each line',
    permission: 'addresses:read',
    tag: 'lists',
    example: { response: 'ann@supplier.example\npartner.example\n' },
    response: ServedFile,
    file: { mediaType: 'text/plain' },
    handle: async (call) => {
      const { name, entries } = await existing(call);
      const content = Buffer.from(entries.map((entry) => `${entry}\n`).join(''));
      const size = content.byteLength;
      return { content, size, contentType: 'text/plain', filename: `${name}.txt` };
    },
  });
  return [
    list(
      { operationId: 'listSenderLists', summary: 'List the sender lists of the account by name' },
      async ({ caller }) => (await lists.list(caller)).map(senderListView),
    ),
    create({
      operationId: 'createSenderList',
      summary: 'Create a list of senders for rules and filters',
      errors: ['conflict'],
      bodyMaxBytes: BODY_MAX_BYTES,
      example: {
        request: { name: 'partners', entries: ['partner.example', 'ann@supplier.example'] },
      },
      body: z.strictObject(shapeOf(SENDER_LIST.fields, 'create')),
    }),
    get({ operationId: 'getSenderList', summary: 'Get a sender list without its entries' }),
    exported,
    change({
      operationId: 'updateSenderList',
      summary:
        'Change the description or the entries of a sender list; the next email is judged by them',
      errors: ['conflict'],
      bodyMaxBytes: BODY_MAX_BYTES,
      example: { request: { add: ['*.partner.example'], remove: ['ann@supplier.example'] } },
      body: z.strictObject(shapeOf(SENDER_LIST.fields, 'change')),
    }),
    remove({
      operationId: 'deleteSenderList',
      summary: 'Delete a sender list; rules that name it then fail, and do nothing',
    }),
  ];
}
