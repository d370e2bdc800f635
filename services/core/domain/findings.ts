/** What a lookup in the DNS says about a domain of an account. */
import { challengeValue } from './challenge.ts';
import type { DomainRecord, MailExchanger } from './domain.ts';
import { cutText } from '../text/text.ts';

/** Records found in the DNS; `undefined` when it did not respond. */
export type DnsFacts = { txt: readonly string[] | undefined; mx: MailExchanger[] | undefined };

/** The changes by a DNS lookup, except whether the domain is verified. */
export type DomainFindings = Pick<
  DomainRecord,
  'checked_at' | 'problem' | 'txt' | 'mx' | 'missing_since' | 'missing_noticed_at'
>;

/** How long the TXT record of a verified domain is missing before Inlet reports it. */
const MISSING_REPORTED_AFTER_MS = 7 * 86_400_000;
/**
 * Only the most preferred MX records are stored: a zone can have thousands, a megabyte for each
 * lookup.
 */
const MX_KEPT = 20;
const TXT_KEPT = 20;
const TXT_MAX_CHARS = 255;
/** Interval of DNS lookups for verified domains. */
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
    missing_since !== null && now.getTime() - missing_since.getTime() >= MISSING_REPORTED_AFTER_MS;
  const isToBeTold = isLong && record.missing_noticed_at === null;
  return {
    checked_at: now,
    problem,
    missing_since,
    isProved,
    isToBeTold,
    txt: txt === undefined ? (record.txt ?? []) : shownTxt(txt, challengeValue(record.token)),
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

/** The expected value first, then other challenges, then the rest. */
function shownTxt(found: readonly string[], value: string): string[] {
  const rankOf = (text: string): number =>
    text === value ? 0 : text.startsWith(challengeValue('')) ? 1 : 2;
  return found
    .toSorted((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1))
    .slice(0, TXT_KEPT)
    .map((text) => cutText(text, TXT_MAX_CHARS));
}
