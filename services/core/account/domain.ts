/**
 * A domain of an account's own: claimed by anybody, verified by whoever can write to its DNS zone. What a TXT record has proved once stays proved:
 * a zone that is silent or loses the record for a while must not stop mail. Nobody who could not write there is kept out by a list of public suffixes:
 * only a registry could prove one.
 */
import { z } from 'zod';

import { Environment } from './address.ts';
import { ManagedBy, ManagedByView, managedByView } from './managed-by.ts';
import { domainsAbove } from './resolution.ts';
import { Timestamp, timestamp } from '../timestamp.ts';

/** Why the last look at the DNS did not find the proof, or why the proof did not help. */
export const DomainProblem = z.enum(['txt_missing', 'txt_differs', 'dns_unavailable', 'taken']);
export type DomainProblem = z.infer<typeof DomainProblem>;

const MailExchanger = z.object({ exchange: z.string(), priority: z.int() });
export type MailExchanger = z.infer<typeof MailExchanger>;

export const DomainRecord = z.object({
  id: z.string(),
  account_id: z.string(),
  environment: Environment,
  domain: z.string().describe('in A-labels'),
  unicode_domain: z.string(),
  token: z.string().describe('what the TXT record must hold'),
  is_verified: z.boolean(),
  created_at: z.date(),
  verified_at: z.date().nullable(),
  checked_at: z.date().nullable().describe('last look at the DNS'),
  problem: DomainProblem.nullable(),
  mx: z.array(MailExchanger),
  missing_since: z
    .date()
    .nullable()
    .describe('when the TXT record of a verified domain was first found missing, if it still is'),
  missing_noticed_at: z.date().nullable(),
  managed_by: ManagedBy.optional(),
});
export type DomainRecord = z.infer<typeof DomainRecord>;

/** Domain object, as every call returns it. */
export const DomainView = z.object({
  id: z.string(),
  domain: z.string().describe('in A-labels, as addresses show it'),
  unicode_domain: z.string().describe('the same for people: differs for internationalised names'),
  is_verified: z
    .boolean()
    .describe('true from the first proof on; only then addresses can be made there'),
  status: z
    .enum(['pending', 'verified', 'failed'])
    .describe('failed: the last look did not prove it; look again when its problem is solved'),
  problem: DomainProblem.nullable().describe(
    'why the last look did not prove it: no such record, one with another value, no answer, or it is taken by who has proved it, a domain above it or one within it before; null when it did, and before the first',
  ),
  verification: z
    .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
    .describe('the DNS record that proves the domain; keep it'),
  mx: z
    .object({
      expected: z.array(z.string()),
      found: z.array(z.string()).describe('best first'),
      is_ok: z.boolean(),
    })
    .describe('where mail goes; needed to receive, not to verify'),
  created_at: Timestamp,
  verified_at: Timestamp.nullable(),
  checked_at: Timestamp.nullable().describe('last look at the DNS; null before the first'),
  managed_by: ManagedByView.nullable().describe(
    'the Kubernetes resource that owns this domain; null when none does',
  ),
});
export type DomainView = z.infer<typeof DomainView>;

export const takenByAnother = (domain: string): string =>
  `${domain}, a domain above it or one within it is verified already by another account, or in another environment`;

export const challengeName = (domain: string): string => `_inlet-challenge.${domain}`;
export const challengeValue = (token: string): string => `inlet-verification=${token}`;

/** @param mxHosts where the MX records of own domains are to point, in lower case */
export function domainView(record: DomainRecord, mxHosts: readonly string[]): DomainView {
  const { id, domain, unicode_domain, is_verified, problem, mx, managed_by } = record;
  const best = Math.min(...mx.map(({ priority }) => priority));
  return {
    id,
    domain,
    unicode_domain,
    is_verified,
    status: is_verified
      ? 'verified'
      : problem === null || problem === 'dns_unavailable'
        ? 'pending'
        : 'failed',
    problem,
    verification: { type: 'TXT', name: challengeName(domain), value: challengeValue(record.token) },
    mx: {
      expected: [...mxHosts],
      found: mx.map(({ exchange }) => exchange),
      is_ok:
        mx.length > 0 &&
        mx.every(({ exchange, priority }) => priority > best || mxHosts.includes(exchange)),
    },
    created_at: timestamp(record.created_at),
    verified_at: record.verified_at && timestamp(record.verified_at),
    checked_at: record.checked_at && timestamp(record.checked_at),
    managed_by: managedByView(managed_by),
  };
}

/** What the DNS said; `undefined` where it did not answer. */
export type DnsFacts = { txt: readonly string[] | undefined; mx: MailExchanger[] | undefined };

/** What a look at the DNS changes, beside whether the domain is verified. */
export type DomainFindings = Pick<
  DomainRecord,
  'checked_at' | 'problem' | 'mx' | 'missing_since' | 'missing_noticed_at'
>;

/** The proof of a verified domain is missed for so long before its account is told. */
export const MISSING_TOLD_AFTER_MS = 7 * 86_400_000;
/** So many MX records are kept, the best: whoever owns a zone can make thousands, of which each look would store a megabyte. */
const MX_KEPT = 20;
/** Verified domains are looked at so often. */
export const LOOK_AGAIN_MS = 86_400_000;

export function findings(
  record: DomainRecord,
  { txt, mx }: DnsFacts,
  now: Date,
): DomainFindings & { isProved: boolean; isToBeTold: boolean } {
  const isProved = txt?.includes(challengeValue(record.token)) ?? false;
  const problem = isProved
    ? null
    : txt === undefined
      ? 'dns_unavailable'
      : txt.some((text) => text.startsWith(challengeValue('')))
        ? 'txt_differs'
        : 'txt_missing';
  const missing_since =
    isProved || !record.is_verified
      ? null
      : txt === undefined
        ? record.missing_since
        : (record.missing_since ?? now);
  const isLong =
    missing_since !== null && now.getTime() - missing_since.getTime() >= MISSING_TOLD_AFTER_MS;
  const isToBeTold = isLong && record.missing_noticed_at === null;
  return {
    checked_at: now,
    problem,
    missing_since,
    isProved,
    isToBeTold,
    mx:
      mx
        ?.toSorted(
          (one, other) => one.priority - other.priority || (one.exchange < other.exchange ? -1 : 1),
        )
        .slice(0, MX_KEPT) ?? record.mx,
    missing_noticed_at:
      missing_since === null ? null : isToBeTold ? now : record.missing_noticed_at,
  };
}

/** Whether it is the other or lies within it. */
export const isDomainWithin = (domain: string, other: string): boolean =>
  domain === other || domainsAbove(domain).includes(other);

/** Whether addresses at this place, a domain or all within one, could take mail to the domain that all share: who owns a domain above that one has addresses beside it only. */
export function meetsShared(place: string, shared: string): boolean {
  const domain = place.replace(/^\*\./, '');
  return isDomainWithin(domain, shared) || (place !== domain && isDomainWithin(shared, domain));
}
