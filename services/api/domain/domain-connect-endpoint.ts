/** GET /domains/{domain_id}/connect: where the DNS host of a domain sets its records (D281). */
import { sign } from 'node:crypto';

import { z } from 'zod';

import type { DiscoverHost } from '../../adapters/domain-connect/discover.ts';
import type { Domains } from '../../adapters/mongo/domain/domains.ts';
import { describeSchema } from '../../core/api-reference.ts';
import type { DomainRecord } from '../../core/domain/domain.ts';
import { AppError, notFound } from '../../core/app-error.ts';
import { consentUrl } from '../../core/domain/domain-connect.ts';
import type { DomainConnectProvider } from '../../platform/settings/domain-connect.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';

type DomainConnectEndpointDependencies = {
  domains: Pick<Domains, 'find'>;
  /** undefined when this installation is not registered. */
  offer: { provider: DomainConnectProvider; discover: DiscoverHost } | undefined;
  mxHosts: readonly string[];
};

const DomainConnect = z.object({
  dns_host: z
    .string()
    .nullable()
    .describe('name of the DNS host; null when it does not offer this, or does not answer'),
  url: z
    .string()
    .nullable()
    .describe('where the owner of the domain consents; null like `dns_host`'),
  replaces: z
    .array(z.string())
    .describe(
      'present MX hosts that are not of this installation: the DNS host removes them, and email ' +
        'to the domain no longer arrives there',
    ),
});
describeSchema(DomainConnect, 'DomainConnect', {
  dns_host: 'Example DNS',
  url:
    'https://dns.example/v2/domainTemplates/providers/inlet.example.com/services/inbound/apply' +
    '?domain=example.com&host=mail&token=h5w2k9d4&sig=c2lnbmF0dXJl&key=_dck1',
  replaces: [],
});

export const domainConnectEndpoint = ({
  domains,
  offer,
  mxHosts,
}: DomainConnectEndpointDependencies): Endpoint =>
  defineEndpoint({
    method: 'GET',
    path: '/domains/{domain_id}/connect',
    operationId: 'connectDomain',
    summary: 'Ask the DNS host of a domain whether it sets the records after one consent',
    permission: 'domains:write',
    isSearch: true, // it waits for servers of others
    errors: ['conflict'],
    response: DomainConnect,
    handle: async ({ caller, params: { domain_id } }) => {
      const record = await domains.find(caller, domain_id);
      if (record === undefined) throw notFound('domain');
      if (offer === undefined)
        throw new AppError('conflict', 'This installation does not offer Domain Connect');
      const { provider, discover } = offer;
      const found = await discover(record.domain, provider.id);
      if (found === undefined) return { dns_host: null, url: null, replaces: [] };
      const { host, zone } = found;
      const { domain, token } = record;
      const requested = { provider: provider.id, zone, domain, token };
      return {
        dns_host: host.providerDisplayName ?? host.providerName,
        url: consentUrl(host.urlSyncUX, requested, (query) =>
          sign('RSA-SHA256', Buffer.from(query), provider.key).toString('base64'),
        ),
        replaces: otherHosts(record, mxHosts),
      };
    },
  });

const otherHosts = ({ mx }: DomainRecord, mxHosts: readonly string[]): string[] =>
  mx.map(({ exchange }) => exchange).filter((host) => !mxHosts.includes(host));
