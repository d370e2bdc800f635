/** Domains of an account: claim, verification by a TXT record, MTA-STS, list, deletion. */
import { z } from 'zod';

import { exampleOf } from '../../core/resource/api-reference.ts';
import type { DomainOperations } from '../../platform/domain/domain-operations.ts';
import type { Domains } from '../../adapters/mongo/domain/domains.ts';
import {
  DOMAIN,
  DOMAIN_STATUSES,
  type DomainNoun,
  type DomainRecord,
  DomainView,
  domainView,
} from '../../core/domain/domain.ts';
import { shapeOf } from '../../core/resource/field.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/resource/pagination.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { ownedEndpoints } from '../http/owned-endpoints.ts';
import { DomainName } from '../address/name-fields.ts';

type DomainEndpointDependencies = {
  operations: DomainOperations;
  domains: Pick<Domains, 'page' | 'find'>;
  /** Host names that the MX records of a domain must point to. */
  mxHosts: readonly string[];
  /** Host name that `mta-sts.<domain>` is to be an alias of; undefined when not known. */
  policyAlias: string | undefined;
};

const verified = exampleOf(DomainView);

export function domainEndpoints({
  operations,
  domains,
  mxHosts,
  policyAlias,
}: DomainEndpointDependencies): Endpoint[] {
  const view = (record: DomainRecord) => domainView(record, { mxHosts, aliasTarget: policyAlias });

  const { create, get, change, remove } = ownedEndpoints<DomainNoun>({
    resource: DOMAIN,
    path: '/domains',
    read: 'domains:read',
    write: 'domains:write',
    find: ({ caller }, id) => domains.find(caller, id),
    operations,
    view: DomainView,
    shown: (record) => view(record),
  });

  return [
    create({
      operationId: 'createDomain',
      summary: 'Claim a domain; the response contains the DNS records to create',
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
      body: z.strictObject({ ...shapeOf(DOMAIN.fields, 'create'), domain: DomainName }),
    }),
    defineEndpoint({
      call: 'GET /domains',
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
    get({ operationId: 'getDomain', summary: 'Get a domain with its required DNS records' }),
    defineEndpoint({
      call: 'POST /domains/{domain_id}/verify',
      operationId: 'verifyDomain',
      summary:
        'Check the DNS now: the TXT record verifies the domain permanently; the response also ' +
        'reports its MX records',
      permission: 'domains:write',
      response: DomainView,
      handle: async ({ params, ...cause }) =>
        view(await operations.verify(cause, params.domain_id)),
    }),
    change({
      operationId: 'updateDomain',
      summary:
        'Change the MTA-STS policy of a domain; `enforce` is refused while the certificate of the ' +
        'MX hosts does not cover each of them',
      example: { request: { mta_sts: 'testing' } },
      body: z.strictObject(shapeOf(DOMAIN.fields, 'change')),
    }),
    remove({ operationId: 'deleteDomain', summary: 'Delete a domain that has no addresses' }),
  ];
}
