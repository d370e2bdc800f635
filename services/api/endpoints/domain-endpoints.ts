/** Own domains of an account: claimed, proved by a TXT record, listed and deleted. */
import { z } from 'zod';

import type { Cause } from '../../platform/audit.ts';
import type { DomainOperations } from '../../platform/domain-operations.ts';
import type { Domains } from '../../adapters/mongo/domains.ts';
import { notFound } from '../../core/app-error.ts';
import { type DomainRecord, DomainView, domainView } from '../../core/account/domain.ts';
import { refuseManaged } from '../../core/account/managed-by.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/pagination.ts';
import { defineEndpoint, type Endpoint, nothing } from '../http/endpoint.ts';
import { DomainName } from './name-fields.ts';

type Parts = {
  operations: DomainOperations;
  domains: Pick<Domains, 'page' | 'find'>;
  /** Where the MX records of own domains are to point. */
  mxHosts: readonly string[];
};

export function domainEndpoints({ operations, domains, mxHosts }: Parts): Endpoint[] {
  const view = (record: DomainRecord) => domainView(record, mxHosts);

  const existing = async (scope: Cause['caller'], id: string): Promise<DomainRecord> => {
    const record = await domains.find(scope, id);
    if (record === undefined) throw notFound('domain');
    return record;
  };

  return [
    defineEndpoint({
      method: 'POST',
      path: '/domains',
      summary: 'Claim a domain; the answer tells the DNS records to set',
      permission: 'domains:write',
      query: nothing,
      body: z.strictObject({ domain: DomainName }),
      status: 201,
      response: DomainView,
      handle: async ({ body: { domain }, ...cause }) => view(await operations.claim(cause, domain)),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/domains',
      summary: 'List the domains of the account, newest first',
      permission: 'domains:read',
      query: z.strictObject(pageQuery({ maxLimit: 100, defaultLimit: 50 })),
      body: nothing,
      status: 200,
      response: envelopeOf(DomainView),
      handle: async ({ caller, query }) => {
        const { items, total } = await domains.page(caller, query);
        return envelope(items.map(view), total, query);
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/domains/{domain_id}',
      summary: 'Get a domain with the DNS records that it needs',
      permission: 'domains:read',
      query: nothing,
      body: nothing,
      status: 200,
      response: DomainView,
      handle: async ({ caller, params }) => view(await existing(caller, params.domain_id)),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/domains/{domain_id}/verify',
      summary:
        'Look at the DNS now: the TXT record proves the domain, once for good; where its MX records point is told beside',
      permission: 'domains:write',
      query: nothing,
      body: nothing,
      status: 200,
      response: DomainView,
      handle: async ({ params, ...cause }) =>
        view(await operations.verify(cause, params.domain_id)),
    }),
    defineEndpoint({
      method: 'DELETE',
      path: '/domains/{domain_id}',
      summary: 'Give up a domain that has no addresses any more',
      permission: 'domains:write',
      query: nothing,
      body: nothing,
      status: 200,
      response: z.object({ id: z.string(), deleted: z.literal(true) }),
      handle: async ({ params, ...cause }) => {
        refuseManaged('domain', (await existing(cause.caller, params.domain_id)).managed_by);
        await operations.remove(cause, params.domain_id);
        return { id: params.domain_id, deleted: true as const };
      },
    }),
  ];
}
