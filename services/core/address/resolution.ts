/**
 * Which address receives the mail of a mailbox. Addresses are stored as patterns: `box@d`, `*@d`
 * (catch-all), `box@*.d` and `*@*.d` (every subdomain of d). The exact address has precedence, then
 * the name before a plus, then the catch-all; then the same for wildcards, the longest domain
 * first. Deleted and expired addresses are ignored. A disabled address refuses the mail, and
 * addresses after it do not receive it.
 */
import { type AddressRecord, isExpired } from './address.ts';
import { normaliseAddress, withoutQuotes } from '../mail/fields/email-address.ts';

/** An address that may receive the mail of a mailbox. */
export type Candidate = {
  key: string;
  /** The text after the plus; absent for the exact address, where it is part of the name. */
  plusTag?: string;
};

export const CATCH_ALL = '*';
/** Domains with more labels have no addresses. This limits the size of a lookup. */
export const DOMAIN_MAX_LABELS = 8;
export const DOMAIN_MIN_LABELS = 2;

/** In order of precedence. `undefined` when the text is not a mailbox. */
export function candidatesFor(text: string): Candidate[] | undefined {
  const mailbox = normaliseAddress(text);
  if (mailbox === undefined) return undefined;
  const at = mailbox.lastIndexOf('@');
  const [local, domain] = [mailbox.slice(0, at), mailbox.slice(at + 1)];
  const plus = local.indexOf('+');
  const sent = withoutQuotes(text);
  const tag = plus < 0 ? {} : { plusTag: sent.slice(sent.indexOf('+') + 1, sent.lastIndexOf('@')) };
  const names: Candidate[] = [
    { key: local },
    ...(plus > 0 ? [{ key: local.slice(0, plus), ...tag }] : []),
    { key: CATCH_ALL, ...tag },
  ];
  return [domain, ...domainsAbove(domain).map((above) => `*.${above}`)].flatMap((domainPart) =>
    names.map(({ key, ...rest }) => ({ key: `${key}@${domainPart}`, ...rest })),
  );
}

/** `a.b.example.com` → `b.example.com`, `example.com`: the domains that can have addresses. */
export function domainsAbove(domain: string): string[] {
  const labels = domain.split('.');
  const above = labels.map((_, i) => labels.slice(i)).slice(1);
  return above
    .filter(({ length }) => length >= DOMAIN_MIN_LABELS && length <= DOMAIN_MAX_LABELS)
    .map((of) => of.join('.'));
}

/**
 * One mailbox of an address: its own, or the named one of a catch-all or wildcard. Undefined when there
 * is none, or when email to it has another address or a tag.
 */
export function mailboxAt(address: string, named?: string): string | undefined {
  if (named === undefined) return address.includes(CATCH_ALL) ? undefined : address;
  const candidates = named.includes('+') ? [] : (candidatesFor(named) ?? []);
  return candidates.some(({ key }) => key === address) ? candidates[0]?.key : undefined;
}

/** Whether it hides the addresses after it. */
export const takesPart = (
  { deleted_at, expires_at }: Pick<AddressRecord, 'deleted_at' | 'expires_at'>,
  now: Date,
): boolean => deleted_at === null && !isExpired({ expires_at }, now);
