/**
 * A domain of an account. Any account can claim a domain; one that can write a TXT record into its
 * DNS zone can verify it. A verified domain stays verified: a DNS outage or a lost record must not
 * stop mail. A list of public suffixes is not needed, since only a registry could verify one.
 */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../api-reference.ts';
import { challengeName, challengeValue } from './challenge.ts';
import { DeliverabilityCheck, deliverabilityChecks } from '../deliverability/checks.ts';
import { DeliverabilityFound } from '../deliverability/found.ts';
import { MtaStsMode } from '../deliverability/mta-sts.ts';
import { Environment } from '../environment.ts';
import { ManagedBy, ManagedByView, managedByView } from '../managed-by.ts';
import { domainsAbove } from '../address/resolution.ts';
import { Timestamp, timestamp } from '../timestamp.ts';

/** Why the last DNS lookup did not verify the domain. */
export const DomainProblem = z.enum(['txt_missing', 'txt_differs', 'dns_unavailable', 'taken']);
export type DomainProblem = z.infer<typeof DomainProblem>;
describeSchema(DomainProblem, 'DomainProblem');

const MailExchanger = z.object({ exchange: z.string(), priority: z.int() });
export type MailExchanger = z.infer<typeof MailExchanger>;

export const DomainRecord = z.object({
  id: z.string(),
  account_id: z.string(),
  environment: Environment,
  domain: z.string().describe('in A-labels'),
  unicode_domain: z.string(),
  token: z.string().describe('token that the TXT record must contain'),
  is_verified: z.boolean(),
  created_at: z.date(),
  verified_at: z.date().nullable(),
  checked_at: z.date().nullable().describe('time of the last DNS lookup'),
  problem: DomainProblem.nullable(),
  txt: z
    .array(z.string())
    .optional()
    .describe('TXT records at the name of the challenge; absent before the first lookup'),
  mx: z.array(MailExchanger),
  missing_since: z
    .date()
    .nullable()
    .describe(
      'since when the TXT record of a verified domain is missing; absent when it is present',
    ),
  missing_noticed_at: z.date().nullable(),
  mta_sts: MtaStsMode.optional().describe('absent in records of earlier releases'),
  deliverability: DeliverabilityFound.optional().describe('absent before the first check'),
  managed_by: ManagedBy.optional(),
});
export type DomainRecord = z.infer<typeof DomainRecord>;

export const DOMAIN_STATUSES = ['pending', 'verified', 'failed'] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** Problems of a domain that may still be verified without a change of the DNS. */
export const PENDING_PROBLEMS = [null, 'dns_unavailable'] as const;

const statusOf = ({ is_verified, problem }: DomainRecord): DomainStatus => {
  if (is_verified) return 'verified';
  return PENDING_PROBLEMS.some((pending) => pending === problem) ? 'pending' : 'failed';
};

/** The domain object of the API. */
export const DomainView = z.object({
  id: z.string(),
  domain: z.string().describe('in A-labels, as addresses show it'),
  unicode_domain: z.string().describe('the same for people; differs for internationalized names'),
  is_verified: z
    .boolean()
    .describe(
      'true since the first verification; only then can addresses be created on the domain',
    ),
  status: z
    .enum(DOMAIN_STATUSES)
    .describe(
      'failed: the last DNS lookup did not verify the domain; verify again after the problem is solved',
    ),
  problem: DomainProblem.nullable().describe(
    'why the last DNS lookup did not verify the domain: the record is missing, has another ' +
      'value, the DNS did not respond, or another account or environment has verified this ' +
      'domain, a parent domain or a subdomain; null after a success and before the first lookup',
  ),
  verification: z
    .object({
      type: z.literal('TXT'),
      name: z.string(),
      value: z.string(),
      found: z
        .array(z.string())
        .describe(
          'values of the TXT records with this name; at most 20, each cut at 255 characters',
        ),
    })
    .describe('the DNS record that verifies the domain; do not remove it'),
  mx: z
    .object({
      expected: z.array(z.string()),
      found: z.array(z.string()).describe('most preferred first'),
      is_ok: z.boolean(),
    })
    .describe('the MX records; needed to receive mail, not for the verification'),
  can_connect: z
    .boolean()
    .describe('whether GET …/connect asks the DNS host to set these records (Domain Connect)'),
  mta_sts: MtaStsMode,
  deliverability: z
    .object({
      checked_at: Timestamp.nullable().describe('null before the first check'),
      checks: z.array(DeliverabilityCheck),
    })
    .describe(
      'further records that make email to and from the domain safe, and the MX hosts; checked ' +
        'with the other records once the domain is verified, and then every day',
    ),
  created_at: Timestamp,
  verified_at: Timestamp.nullable(),
  checked_at: Timestamp.nullable().describe('time of the last DNS lookup; null before the first'),
  managed_by: ManagedByView.nullable().describe(
    'the Kubernetes resource that owns this domain; null when none does',
  ),
});
export type DomainView = z.infer<typeof DomainView>;
describeSchema(DomainView, 'Domain', {
  id: EXAMPLE.domain_id,
  domain: 'mail.example.com',
  unicode_domain: 'mail.example.com',
  is_verified: true,
  status: 'verified',
  problem: null,
  verification: {
    type: 'TXT',
    name: '_inlet-challenge.mail.example.com',
    value: 'inlet-verification=h5w2k9d4',
    found: ['inlet-verification=h5w2k9d4'],
  },
  mx: { expected: ['mx.in.example.com'], found: ['mx.in.example.com'], is_ok: true },
  can_connect: false,
  mta_sts: 'testing',
  deliverability: {
    checked_at: EXAMPLE.now,
    checks: [
      {
        kind: 'tls_rpt',
        status: 'ok',
        message: 'Senders report failed TLS connections',
        record: null,
        found: ['v=TLSRPTv1; rua=mailto:reports@mail.example.com'],
      },
    ],
  },
  created_at: EXAMPLE.created_at,
  verified_at: EXAMPLE.created_at,
  checked_at: EXAMPLE.now,
  managed_by: null,
});

export const takenByAnother = (domain: string): string =>
  `${domain}, a parent domain or a subdomain of it is already verified by another account or in another environment`;

/** What the records of a domain lead to. */
export type DomainPlace = {
  /** Hosts that the MX records must name, in lower case. */
  mxHosts: readonly string[];
  /** Host name that `mta-sts.<domain>` is to be an alias of; undefined when not known. */
  aliasTarget?: string | undefined;
  /** Whether DNS hosts may be asked to set the records. */
  offersConnect?: boolean;
};

export const mtaStsModeOf = ({ mta_sts }: DomainRecord): MtaStsMode => mta_sts ?? 'none';

export function domainView(
  record: DomainRecord,
  { mxHosts, aliasTarget, offersConnect = false }: DomainPlace,
): DomainView {
  const { id, domain, unicode_domain, is_verified, problem, mx, managed_by } = record;
  const mode = mtaStsModeOf(record);
  const found = record.deliverability;
  const best = Math.min(...mx.map(({ priority }) => priority));
  const value = challengeValue(record.token);
  return {
    id,
    domain,
    unicode_domain,
    is_verified,
    status: statusOf(record),
    problem,
    verification: { type: 'TXT', name: challengeName(domain), value, found: txtOf(record, value) },
    mx: {
      expected: [...mxHosts],
      found: mx.map(({ exchange }) => exchange),
      is_ok:
        mx.length > 0 &&
        mx.every(({ exchange, priority }) => priority > best || mxHosts.includes(exchange)),
    },
    can_connect: offersConnect,
    mta_sts: mode,
    deliverability: {
      checked_at: found ? timestamp(found.checked_at) : null,
      checks: deliverabilityChecks({
        domain,
        isVerified: is_verified,
        mode,
        mxHosts,
        aliasTarget,
        found,
      }),
    },
    created_at: timestamp(record.created_at),
    verified_at: record.verified_at && timestamp(record.verified_at),
    checked_at: record.checked_at && timestamp(record.checked_at),
    managed_by: managedByView(managed_by),
  };
}

/** Releases before this field stored only whether the last lookup found the value. */
const txtOf = ({ txt, checked_at, problem }: DomainRecord, value: string): string[] =>
  txt ?? (checked_at !== null && problem === null ? [value] : []);

/** Whether `domain` is `other` or a subdomain of it. */
export const isDomainWithin = (domain: string, other: string): boolean =>
  domain === other || domainsAbove(domain).includes(other);

/**
 * Whether addresses at this place (a domain, or `*.` and a domain) could receive mail to the shared
 * domain.
 */
export function meetsShared(place: string, shared: string): boolean {
  const domain = place.replace(/^\*\./, '');
  return isDomainWithin(domain, shared) || (place !== domain && isDomainWithin(shared, domain));
}
