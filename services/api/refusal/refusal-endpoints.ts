/** The refusals of an account: email that Inlet did not accept, and why (docs/refusals.md). */
import { z } from 'zod';

import type { RefusalFilter, Refusals } from '../../adapters/mongo/refusal/refusal-list.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { exampleOf } from '../../core/resource/api-reference.ts';
import { orNotFound } from '../../core/error/app-error.ts';
import { searchedTerms } from '../../core/delivery/search-terms.ts';
import { asciiDomain } from '../../core/mail/fields/email-address.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/resource/pagination.ts';
import { refusalView } from '../../core/refusal/refusal.ts';
import { RefusalView } from '../../core/refusal/refusal-view.ts';
import { textField } from '../../core/resource/text-field.ts';
import type { Audit, Cause } from '../../platform/audit.ts';
import { searchFields } from '../delivery/search-fields.ts';
import { Deleted, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { dateFields } from '../http/input/date-fields.ts';
import { RecordId } from '../http/input/record-id.ts';

const REASON = /^[a-z][a-z0-9_]{0,63}$/;

/** For the list, the count and the tool of agents. */
export const filterFields = {
  address_id: RecordId.optional().describe('only refusals of this address'),
  domain: textField({ minChars: 1, maxChars: 253 })
    .optional()
    .describe('only refusals of mailboxes of exactly this domain'),
  sender: searchFields.sender,
  recipient: searchFields.recipient,
  subject: searchFields.subject,
  reason: z
    .string()
    .regex(REASON, 'must be the name of a reason')
    .optional()
    .describe('only refusals for this reason'),
  ...dateFields,
};

const filterOf = ({
  address_id,
  domain,
  reason,
  start_date: start,
  end_date: end,
  ...search
}: z.output<z.ZodObject<typeof filterFields>>): RefusalFilter => ({
  address_id,
  domain: domain && (asciiDomain(domain) ?? domain),
  reason,
  start,
  end,
  terms: searchedTerms(search),
});

const of = { tag: 'refusals', reach: 'limited' } as const;
const reads = { ...of, permission: 'deliveries:read' } as const;
const erases = { ...of, permission: 'deliveries:erase' } as const;

/** Nothing of a refused email is stored, so these are all that there is to erase. */
export function refusalEndpoints({
  refusals,
  audit,
}: {
  refusals: Refusals;
  audit: Audit;
}): Endpoint[] {
  const existing = async (caller: AddressScope, id: string) =>
    orNotFound(await refusals.find(caller, id), 'refusal');
  const erased = (cause: Cause, address_id: string | null, count: number) =>
    audit(cause, { type: 'refusal.erased', address_id, data: { refusals: count } });
  return [
    defineEndpoint({
      call: 'GET /refusals',
      operationId: 'listRefusals',
      isSearch: true,
      summary: 'List refused email, the last one first; a refusal appears within five seconds',
      ...reads,
      query: z.strictObject({
        ...pageQuery({ maxLimit: 100, defaultLimit: 50 }),
        ...filterFields,
      }),
      response: envelopeOf(RefusalView),
      handle: async ({ caller, query: { limit, offset, ...query } }) => {
        const page = { limit, offset };
        const { items, total } = await refusals.page(caller, filterOf(query), page);
        return envelope(items.map(refusalView), total, page);
      },
    }),
    defineEndpoint({
      call: 'GET /refusals/count',
      operationId: 'countRefusals',
      isSearch: true,
      summary: 'Count refusals: all of the records whose last one is in the range',
      ...reads,
      example: { response: { count: 12 } },
      query: z.strictObject(filterFields),
      response: z.object({ count: z.int().describe('refused emails, each for one mailbox') }),
      handle: async ({ caller, query }) => ({
        count: await refusals.count(caller, filterOf(query)),
      }),
    }),
    defineEndpoint({
      call: 'GET /refusals/{refusal_id}',
      operationId: 'getRefusal',
      summary: 'Get a refusal',
      ...reads,
      response: RefusalView,
      handle: async ({ caller, params: { refusal_id } }) =>
        refusalView(await existing(caller, refusal_id)),
    }),
    defineEndpoint({
      call: 'DELETE /refusals/{refusal_id}',
      operationId: 'deleteRefusal',
      summary: 'Erase a refusal: nothing else is stored of the email',
      ...erases,
      example: { response: { id: exampleOf(RefusalView).id, deleted: true } },
      response: Deleted,
      handle: async ({ params: { refusal_id }, ...cause }) => {
        const { address_id } = await existing(cause.caller, refusal_id);
        await refusals.remove(cause.caller, { id: refusal_id });
        await erased(cause, address_id, 1);
        return { id: refusal_id, deleted: true as const };
      },
    }),
    defineEndpoint({
      call: 'DELETE /refusals',
      operationId: 'deleteRefusalsOfSender',
      isSearch: true,
      summary: 'Erase all refusals of a sender',
      ...erases,
      example: { response: { deleted: 3 } },
      query: z.strictObject({
        sender: searchFields.sender
          .unwrap()
          .describe('an address, or a domain such as @example.com'),
      }),
      response: z.object({ deleted: z.int().describe('number of records') }),
      handle: async ({ query: { sender }, ...cause }) => {
        const terms = searchedTerms({ sender });
        const deleted = await refusals.remove(cause.caller, { terms });
        if (deleted > 0) await erased(cause, null, deleted);
        return { deleted };
      },
    }),
  ];
}
