/** The author of an email, if there is exactly one. */
import { type AddressField, domainOf, readAddressField } from './fields/address-field.ts';
import type { Authentication } from './authentication.ts';
import { normaliseAddress } from './fields/email-address.ts';

/** Both are empty when there is not exactly one. */
export type Author = { address: string; domain: string };

const FROM_MAX_CHARS = 1_000;

const NOBODY: Author = { address: '', domain: '' };

/**
 * Empty unless the email has exactly one From with one address: a name that looks like an address
 * is never taken for one.
 */
export function authorOf({
  from,
  all,
}: {
  from: string | null;
  all: readonly { name: string; value: string }[];
}): Author {
  if (from === null || from.length > FROM_MAX_CHARS) return NOBODY;
  const [field, another] = all.filter(({ name }) => name.toLowerCase() === 'from');
  if (field === undefined || another !== undefined) return NOBODY;
  const { entries, isUnclear } = readAddressField(from);
  const [entry, second] = entries;
  if (isUnclear || entry === undefined || second !== undefined || 'members' in entry) return NOBODY;
  if (readAddressField(field.value.slice(0, FROM_MAX_CHARS)).isUnclear) return NOBODY;
  const address = normaliseAddress(entry.address);
  if (address === undefined) return NOBODY;
  return { address, domain: address.slice(address.lastIndexOf('@') + 1) };
}

/** The authors in the values of From fields. */
export function authorsIn(fields: readonly Buffer[]): AddressField {
  const read = fields.map((field) => readAddressField(field.toString()));
  return {
    entries: read.flatMap(({ entries }) => entries),
    mailboxes: read.flatMap(({ mailboxes }) => mailboxes),
    isUnclear: read.some(({ isUnclear }) => isUnclear),
  };
}

/** A parse warning. */
export const UNCLEAR_AUTHOR = {
  code: 'unclear_author',
  message:
    'From does not name one author whom every program would read: nobody can be authenticated',
};

/**
 * DMARC passes for the author that is shown, or for nobody: if another domain was judged, the result
 * is permerror.
 */
export function judgedAuthor(
  authentication: Authentication | undefined,
  from: string | null,
): { authentication: Authentication | undefined; isUnclear: boolean } {
  if (authentication === undefined) return { authentication, isUnclear: false };
  const { dmarc, dkim } = authentication;
  if (dmarc.domain === null) return { authentication, isUnclear: dmarc.result === 'permerror' };
  const judged = domainOf(dmarc.domain);
  const { mailboxes, isUnclear } = readAddressField(from ?? '');
  const isShown =
    !isUnclear &&
    mailboxes.length > 0 &&
    mailboxes.every(({ address }) => domainOf(address) === judged);
  if (isShown) return { authentication, isUnclear: false };
  return {
    authentication: {
      ...authentication,
      dkim: dkim.map((signature) => ({ ...signature, aligned: false })),
      dmarc: {
        result: 'permerror',
        domain: null,
        policy: null,
        alignment: { spf: false, dkim: false },
        override: null,
        reason: UNCLEAR_AUTHOR_REASON,
      },
    },
    isUnclear: true,
  };
}

export const UNCLEAR_AUTHOR_REASON = 'programs read different authors in From';
