/**
 * A domain of an account. Any account can claim a domain; one that can write a TXT record into its
 * DNS zone can verify it. A verified domain stays verified: a DNS outage or a lost record must not
 * stop mail. A list of public suffixes is not needed, since only a registry could verify one.
 */
import { domainToUnicode } from 'node:url';
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { challengeName, challengeValue } from './challenge.ts';
import { DeliverabilityCheck, deliverabilityChecks } from '../deliverability/checks.ts';
import { DeliverabilityFacts } from '../deliverability/deliverability-facts.ts';
import { MTA_STS_MODES, MtaStsMode } from '../deliverability/mta-sts.ts';
import { ManagedBy, ManagedByView, managedByView } from '../resource/managed-by.ts';
import { domainsAbove } from '../address/resolution.ts';
import type { Owned } from '../address/scope.ts';
import { type Fields, shapeOf } from '../resource/field.ts';
import { IN_ENVIRONMENT, withDefaults } from '../resource/record.ts';
import type { Resource } from '../resource/resource.ts';
import { examplesOf, shownFields } from '../resource/view.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';

/** Why the last DNS lookup did not verify the domain. */
export const DomainProblem = z.enum(['txt_missing', 'txt_differs', 'dns_unavailable', 'taken']);
export type DomainProblem = z.infer<typeof DomainProblem>;
describeSchema(DomainProblem, 'DomainProblem');

const MailExchanger = z.object({ exchange: z.string(), priority: z.int() });
export type MailExchanger = z.infer<typeof MailExchanger>;

export const DOMAIN_STATUSES = ['pending', 'verified', 'failed'] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** Problems of a domain that may still be verified without a change of the DNS. */
export const PENDING_PROBLEMS = [null, 'dns_unavailable'] as const;

const nullableTime = { record: z.date().nullable(), default: null };

/** In the order of the stored record. */
export const DOMAIN_FIELDS = {
  /** Requests check it: see the endpoints. */
  domain: {
    record: z.string(),
    view: z.string().describe('in A-labels, as addresses show it'),
    create: z.string(),
    spec: z.string().min(1).max(253).describe('domain to receive mail for, after its verification'),
    inEvents: 'every',
    example: 'mail.example.com',
  },
  unicode_domain: {
    record: z.string(),
    view: z.string().describe('the same for people; differs for internationalized names'),
    example: 'mail.example.com',
  },
  /** The TXT record must contain it. */
  token: { record: z.string() },
  is_verified: {
    record: z.boolean(),
    view: z
      .boolean()
      .describe(
        'true since the first verification; only then can addresses be created on the domain',
      ),
    default: false,
    example: true,
  },
  status: {
    view: z
      .enum(DOMAIN_STATUSES)
      .describe(
        'failed: the last DNS lookup did not verify the domain; verify again after the problem is solved',
      ),
    example: 'verified',
  },
  created_at: { record: z.date(), view: Timestamp, example: EXAMPLE.created_at },
  verified_at: { ...nullableTime, view: Timestamp.nullable(), example: EXAMPLE.created_at },
  checked_at: {
    ...nullableTime,
    view: Timestamp.nullable().describe('time of the last DNS lookup; null before the first'),
    example: EXAMPLE.now,
  },
  problem: {
    record: DomainProblem.nullable(),
    view: DomainProblem.nullable().describe(
      'why the last DNS lookup did not verify the domain: the record is missing, has another ' +
        'value, the DNS did not respond, or another account or environment has verified this ' +
        'domain, a parent domain or a subdomain; null after a success and before the first lookup',
    ),
    default: null,
    example: null,
  },
  /** The TXT records at the name of the challenge. Absent before the first lookup. */
  txt: { record: z.array(z.string()).optional() },
  verification: {
    view: z
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
    example: {
      type: 'TXT',
      name: '_inlet-challenge.mail.example.com',
      value: 'inlet-verification=h5w2k9d4',
      found: ['inlet-verification=h5w2k9d4'],
    },
  },
  mx: {
    record: z.array(MailExchanger),
    view: z
      .object({
        expected: z.array(z.string()),
        found: z.array(z.string()).describe('most preferred first'),
        is_ok: z.boolean(),
      })
      .describe('the MX records; needed to receive mail, not for the verification'),
    default: [],
    example: { expected: ['mx.in.example.com'], found: ['mx.in.example.com'], is_ok: true },
  },
  /** Since when the TXT record of a verified domain is missing; null while it is present. */
  missing_since: nullableTime,
  missing_noticed_at: nullableTime,
  /** Absent in records of earlier releases, and until it is set. */
  mta_sts: {
    record: MtaStsMode.optional(),
    view: MtaStsMode,
    change: MtaStsMode.optional(),
    spec: z
      .enum(MTA_STS_MODES)
      .default('none')
      .describe(
        'MTA-STS policy of the domain: `enforce` is refused while the certificate of the MX hosts ' +
          'does not cover each of them',
      ),
    example: 'testing',
  },
  /** Absent before the first check. */
  deliverability: {
    record: DeliverabilityFacts.optional(),
    view: z
      .object({
        checked_at: Timestamp.nullable().describe('null before the first check'),
        checks: z.array(DeliverabilityCheck),
      })
      .describe(
        'further records that make email to and from the domain safe, and the MX hosts; checked ' +
          'with the other records once the domain is verified, and then every day',
      ),
    example: {
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
  },
  managed_by: {
    record: ManagedBy.optional(),
    view: ManagedByView.nullable().describe(
      'the Kubernetes resource that owns this domain; null when none does',
    ),
    example: null,
  },
} as const satisfies Fields;

export const DOMAIN = {
  name: 'domain',
  plural: 'domains',
  idPrefix: 'dom',
  owner: 'environment of an account',
  maximum: Infinity,
  fields: DOMAIN_FIELDS,
} as const satisfies Resource;

export const DomainRecord = z.object({
  id: z.string(),
  ...IN_ENVIRONMENT,
  ...shapeOf(DOMAIN_FIELDS, 'record'),
});
export type DomainRecord = z.infer<typeof DomainRecord>;

export type DomainNoun = {
  Record: DomainRecord;
  New: Pick<DomainRecord, 'domain' | 'managed_by'>;
  Change: { mta_sts?: MtaStsMode | undefined };
  View: DomainView;
};

export type NewDomain = Owned & Pick<DomainRecord, 'id' | 'domain' | 'token' | 'managed_by'>;

/** A claim that was not looked up yet. */
export const newDomain = ({ id, account_id, environment, ...requested }: NewDomain, now: Date) => ({
  id,
  account_id,
  environment,
  ...withDefaults(DOMAIN_FIELDS, {
    ...requested,
    unicode_domain: domainToUnicode(requested.domain),
    created_at: now,
  }),
});

const statusOf = ({ is_verified, problem }: DomainRecord): DomainStatus => {
  if (is_verified) return 'verified';
  return PENDING_PROBLEMS.some((pending) => pending === problem) ? 'pending' : 'failed';
};

/** The domain object of the API. */
export const DomainView = z.object({ id: z.string(), ...shapeOf(DOMAIN_FIELDS, 'view') });
export type DomainView = z.infer<typeof DomainView>;
describeSchema(DomainView, 'Domain', { id: EXAMPLE.domain_id, ...examplesOf(DOMAIN_FIELDS) });

export const takenByAnother = (domain: string): string =>
  `${domain}, a parent domain or a subdomain of it is already verified by another account or in another environment`;

/** What the records of a domain lead to. */
export type DomainPlace = {
  /** Hosts that the MX records must name, in lower case. */
  mxHosts: readonly string[];
  /** Host name that `mta-sts.<domain>` is to be an alias of; undefined when not known. */
  aliasTarget?: string | undefined;
};

export const mtaStsModeOf = ({ mta_sts }: DomainRecord): MtaStsMode => mta_sts ?? 'none';

export function domainView(
  record: DomainRecord,
  { mxHosts, aliasTarget }: DomainPlace,
): DomainView {
  const { domain, is_verified: isVerified, mx, deliverability: found } = record;
  const mode = mtaStsModeOf(record);
  const best = Math.min(...mx.map(({ priority }) => priority));
  const value = challengeValue(record.token);
  const shown = shownFields(DOMAIN_FIELDS, {
    ...record,
    managed_by: managedByView(record.managed_by),
  });
  return {
    id: record.id,
    ...shown,
    status: statusOf(record),
    verification: { type: 'TXT', name: challengeName(domain), value, found: txtOf(record, value) },
    mx: {
      expected: [...mxHosts],
      found: mx.map(({ exchange }) => exchange),
      is_ok:
        mx.length > 0 &&
        mx.every(({ exchange, priority }) => priority > best || mxHosts.includes(exchange)),
    },
    mta_sts: mode,
    deliverability: {
      checked_at: found ? timestamp(found.checked_at) : null,
      checks: deliverabilityChecks({ domain, isVerified, mode, mxHosts, aliasTarget, found }),
    },
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
