/**
 * Which addresses a mailbox may belong to, and to which it does. Addresses are stored under the text that they answer to: `box@d`, `*@d` (catch-all),
 * `box@*.d` and `*@*.d` (every sub-domain of d). The exact text comes first, then the name before a plus, then the catch-all; then the same
 * for the wildcards, the longest domain first. What is deleted or has expired is as if it had never been; what is disabled refuses, and hides what comes after it.
 */
import { isExpired } from './address.ts';
import type { Recipient } from '../smtp/admission.ts';
import { normaliseAddress, withoutQuotes } from '../mail/email-address.ts';

/** An address that a mailbox may belong to. */
export type Candidate = {
  key: string;
  /** What the sender wrote after the plus; of the exact address it is part of the name. */ plusTag?: string;
};

export const CATCH_ALL = '*';
/** No longer domain has addresses of its own: it bounds what a look-up asks for, however long a domain a sender names. */
export const DOMAIN_MAX_LABELS = 8;
export const DOMAIN_MIN_LABELS = 2;

/** First to last. `undefined` when the text is no mailbox. */
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
  return [domain, ...domainsAbove(domain).map((above) => `*.${above}`)].flatMap((place) =>
    names.map(({ key, ...rest }) => ({ key: `${key}@${place}`, ...rest })),
  );
}

/** `a.b.example.com` → `b.example.com`, `example.com`: those that can have addresses. */
export function domainsAbove(domain: string): string[] {
  const labels = domain.split('.');
  const above = labels.map((_, i) => labels.slice(i)).slice(1);
  return above
    .filter(({ length }) => length >= DOMAIN_MIN_LABELS && length <= DOMAIN_MAX_LABELS)
    .map((of) => of.join('.'));
}

/** Whether it stands in the way of those that come after it. */
export const takesPart = ({ deleted_at, expires_at }: Recipient, now: Date): boolean =>
  deleted_at === null && !isExpired({ expires_at }, now);
