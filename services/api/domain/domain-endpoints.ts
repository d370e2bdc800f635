/** Domains of an account: claim, verification by a TXT record, MTA-STS, list, deletion. */
import { z } from 'zod';

import { EXAMPLE, exampleOf } from '../../core/resource/api-reference.ts';
import type { Cause } from '../../platform/audit.ts';
import type { DomainOperations } from '../../platform/domain/domain-operations.ts';
import type { Domains } from '../../adapters/mongo/domain/domains.ts';
import { notFound } from '../../core/error/app-error.ts';
import {
  DOMAIN_FIELDS,
  DOMAIN_STATUSES,
  type DomainRecord,
  DomainView,
  domainView,
} from '../../core/domain/domain.ts';
import { refuseManaged } from '../../core/resource/managed-by.ts';
import { shapeOf } from '../../core/resource/field.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/resource/pagination.ts';
import { defineEndpoint, Deleted, type Endpoint } from '../http/endpoint.ts';
import { DomainName } from '../address/name-fields.ts';

type DomainEndpointDependencies = {
  operations: DomainOperations;
  domains: Pick<Domains, 'page' | 'find'>;
  /** Host names that the MX records of a domain must point to. */
  mxHosts: readonly string[];
  /** Host name that `mta-sts.<domain>` is to be an alias of; undefined when not known. */
  policyAlias: string | undefined;
  /** Whether DNS hosts may be asked to set the records. */
};

const verified = exampleOf(DomainView);

export function domainEndpoints({
  operations,
  domains,
  mxHosts,
  policyAlias,
}: DomainEndpointDependencies): Endpoint[] {
  const view = (record: DomainRecord) => domainView(record, { mxHosts, aliasTarget: policyAlias });

  const existing = async (scope: Cause['caller'], id: string): Promise<DomainRecord> => {
    const record = await domains.find(scope, id);
    if (record === undefined) throw notFound('domain');
    return record;
  };

  return [
    defineEndpoint({
      method: 'POST',
      path: '/domains',
      operationId: 'createDomain',
      summary: 'Claim a domain; the response contains the DNS records to create',
      permission: 'domains:write',
      example: {
        request: { domain: verified.domain },
        response: {
          ...verified,
          is_verified: false,
          status: 'pending',
          verification: { ...verified.verification, found: [] },
          mx: { ...verified.mx, found: [], is_ok: false },
          verified_at: null,
          checked_at: null,
        },
      },
      body: z.strictObject({ ...shapeOf(DOMAIN_FIELDS, 'create'), domain: DomainName }),
      status: 201,
      response: DomainView,
      handle: async ({ body: { domain }, ...cause }) => view(await operations.claim(cause, domain)),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/domains',
      operationId: 'listDomains',
      summary: 'List the domains of the account, newest first',
      permission: 'domains:read',
      query: z.strictObject({
        ...pageQuery({ maxLimit: 100, defaultLimit: 50 }),
        status: z.enum(DOMAIN_STATUSES).optional().describe('only domains with this status'),
      }),
      response: envelopeOf(DomainView),
      handle: async ({ caller, query: { status, ...page } }) => {
        const { items, total } = await domains.page(caller, status, page);
        return envelope(items.map(view), total, page);
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/domains/{domain_id}',
      operationId: 'getDomain',
      summary: 'Get a domain with its required DNS records',
      permission: 'domains:read',
      response: DomainView,
      handle: async ({ caller, params }) => view(await existing(caller, params.domain_id)),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/domains/{domain_id}/verify',
      operationId: 'verifyDomain',
      summary:
        'Check the DNS now: the TXT record verifies the domain permanently; the response also ' +
        'reports its MX records',
      permission: 'domains:write',
      response: DomainView,
      handle: async ({ params, ...cause }) =>
        view(await operations.verify(cause, params.domain_id)),
    }),
    defineEndpoint({
      method: 'PATCH',
      path: '/domains/{domain_id}',
      operationId: 'updateDomain',
      summary:
        'Change the MTA-STS policy of a domain; `enforce` is refused while the certificate of the ' +
        'MX hosts does not cover each of them',
      permission: 'domains:write',
      example: { request: { mta_sts: 'testing' } },
      body: z.strictObject(shapeOf(DOMAIN_FIELDS, 'change')),
      response: DomainView,
      handle: async ({ params: { domain_id }, body: { mta_sts }, ...cause }) => {
        const record = await existing(cause.caller, domain_id);
        if (mta_sts === undefined) return view(record);
        refuseManaged('domain', record.managed_by);
        return view(await operations.setMtaSts(cause, domain_id, mta_sts));
      },
    }),
    defineEndpoint({
      method: 'DELETE',
      path: '/domains/{domain_id}',
      operationId: 'deleteDomain',
      summary: 'Delete a domain that has no addresses',
      permission: 'domains:write',
      example: { response: { id: EXAMPLE.domain_id, deleted: true } },
      response: Deleted,
      handle: async ({ params, ...cause }) => {
        refuseManaged('domain', (await existing(cause.caller, params.domain_id)).managed_by);
        await operations.remove(cause, params.domain_id);
        return { id: params.domain_id, deleted: true as const };
      },
    }),
  ];
}
