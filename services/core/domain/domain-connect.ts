/**
 * Domain Connect (draft-kowalik-domainconnect, Domain Connect 2.3): a DNS host that supports it sets
 * the records of a domain after one consent. Here is what Inlet says to it: the template of the
 * records, and the URL that asks for them. docs/domain-connect.md
 */
import { z } from 'zod';

import { domainsAbove } from '../address/resolution.ts';
import { CHALLENGE_LABEL, challengeValue } from './challenge.ts';

export const SERVICE_ID = 'inbound';
/** The name of the TXT record with the public key, below the provider id. */
export const KEY_NAME = '_dck1';
/** What a DNS host may answer. */
export const SETTINGS_MAX_BYTES = 16 * 1024;
const HOST_MAX_CHARS = 300;
const TTL_SECONDS = 3_600;

/** A zone of a domain, with the name of the TXT record that leads to its DNS host. */
type Zone = { zone: string; name: string };

/** The places where the zone of a domain can begin, nearest first. */
export const zonesOf = (domain: string): Zone[] =>
  [domain, ...domainsAbove(domain)].map((zone) => ({ zone, name: `_domainconnect.${zone}` }));

/** Where a DNS host describes itself; undefined for a text that names no host. */
export function settingsUrl(text: string, zone: string): string | undefined {
  const named = text.trim();
  if (named.length > HOST_MAX_CHARS || !/^[a-z\d.-]+\.[a-z\d-]+(\/[\w.~-]+)*\/?$/i.test(named))
    return undefined;
  return `https://${named.replace(/\/$/, '')}/v2/${zone}/settings`;
}

const HttpsUrl = z.url({ protocol: /^https$/ }).transform((url) => url.replace(/\/+$/, ''));

/** The settings of a DNS host for a zone (§4.2). */
export const DnsHost = z.object({
  providerId: z.string().max(200),
  providerName: z.string().max(200),
  providerDisplayName: z.string().max(200).optional(),
  urlSyncUX: HttpsUrl.optional(),
  urlAPI: HttpsUrl,
});
export type DnsHost = z.infer<typeof DnsHost>;

const templatePath = (provider: string): string =>
  `/v2/domainTemplates/providers/${encodeURIComponent(provider)}/services/${SERVICE_ID}`;

/** Where a DNS host tells whether it knows the template: 200 if it does (§4.3). */
export const templateUrl = ({ urlAPI }: DnsHost, provider: string): string =>
  urlAPI + templatePath(provider);

type SetupRequest = { provider: string; zone: string; domain: string; token: string };

/**
 * The URL at which the owner of the zone consents (§5.2). The signature is over the query without
 * itself (§5.4), so that nobody else can lead the owner to other values.
 * @param sign RSA with SHA-256 (PKCS #1 v1.5), as base64
 */
export function consentUrl(
  urlSyncUX: string,
  { provider, zone, domain, token }: SetupRequest,
  sign: (query: string) => string,
): string {
  const host = domain === zone ? '' : domain.slice(0, -zone.length - 1);
  const query = new URLSearchParams({ domain: zone, ...(host !== '' && { host }), token });
  const signed = new URLSearchParams({ sig: sign(query.toString()), key: KEY_NAME });
  return `${urlSyncUX}${templatePath(provider)}/apply?${query.toString()}&${signed.toString()}`;
}

/** The template, as github.com/Domain-Connect/Templates takes it (§6). */
export const templateOf = (provider: string, mxHosts: readonly string[]) => ({
  providerId: provider,
  providerName: provider,
  serviceId: SERVICE_ID,
  serviceName: 'Inbound email',
  version: 1,
  syncPubKeyDomain: provider,
  syncRedirectDomain: provider,
  description: 'Email to this domain arrives at Inlet, which sends it to webhooks',
  variableDescription: 'token: proves that the domain belongs to the account',
  records: [
    {
      type: 'TXT',
      host: CHALLENGE_LABEL,
      data: challengeValue('%token%'),
      ttl: TTL_SECONDS,
      txtConflictMatchingMode: 'Prefix',
      txtConflictMatchingPrefix: challengeValue(''),
    },
    ...mxHosts.map((pointsTo) => ({
      type: 'MX',
      host: '@',
      pointsTo,
      priority: 10,
      ttl: TTL_SECONDS,
    })),
  ],
});
