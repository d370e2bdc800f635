/** Everything about the domains of accounts: operations, endpoints, and policies for senders. */
import type { Middleware } from 'koa';

import {
  createDeliverabilityLookup,
  createDomainLookup,
} from '../../adapters/dns/domain-records.ts';
import { createDns } from '../../adapters/dns/resolver.ts';
import type { Domains } from '../../adapters/mongo/domain/domains.ts';
import { createMxProbe, unprobedMx } from '../../adapters/smtp/mx-probe.ts';
import { createReadMxCertificate } from '../../adapters/tls/mx-certificate.ts';
import { aliasTarget } from '../../core/deliverability/mta-sts.ts';
import type { Audit } from '../../platform/audit.ts';
import {
  createDomainOperations,
  type DomainOperations,
} from '../../platform/domain/domain-operations.ts';
import type { ApiConfig } from '../process/config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { ForwardingProxies } from '../http/source-address.ts';
import type { ApiState } from '../http/state/state.ts';
import { servePolicies } from './mta-sts-policy.ts';
import { domainEndpoints } from './domain-endpoints.ts';

type DomainDependencies = {
  domains: Domains;
  audit: Audit;
  proxies: ForwardingProxies;
};

type OwnDomains = Disposable & {
  operations: DomainOperations;
  endpoints: Endpoint[];
  policies: Middleware<ApiState>;
};

export function assembleDomains(
  config: ApiConfig,
  { domains, audit, proxies }: DomainDependencies,
  dnsTimeoutMs: number,
): OwnDomains {
  const dns = createDns({
    servers: config.DNS_SERVERS,
    timeoutMs: dnsTimeoutMs,
    cacheTtlMs: 0, // a customer who has just set a record expects it to be found
  });
  const mxHosts = config.MX_HOSTS ?? [config.INBOUND_DOMAIN];
  const probing = {
    dns,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    ownName: config.INBOUND_DOMAIN,
  };
  const operations = createDomainOperations({
    domains,
    look: createDomainLookup(dns),
    deliverability: {
      look: createDeliverabilityLookup(dns),
      probeMx: config.MX_CHECK ? createMxProbe(probing) : unprobedMx,
    },
    mxHosts,
    readMxCertificate: createReadMxCertificate(config.MX_TLS_CERT_FILE),
    audit,
    inboundDomain: config.INBOUND_DOMAIN,
  });
  return {
    operations,
    endpoints: domainEndpoints({
      operations,
      domains,
      mxHosts,
      policyAlias: aliasTarget(config.PUBLIC_API_URL),
    }),
    policies: servePolicies({ domains, mxHosts, proxies }),
    [Symbol.dispose]: () => dns[Symbol.dispose](),
  };
}
