/**
 * Authors whose email an address has delivered: `first_seen` of expressions (D277). Only a hash of the
 * author is stored, and only of one whose domain is proven.
 */
import { createHash } from 'node:crypto';

import type { Recipient } from '../address/recipient.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { emailOf } from '../delivery/mail-event.ts';
import { authorOf } from '../mail/author.ts';

export type KnownAuthor = {
  /** Differs between addresses, so nobody sees that an author writes to two of them. */
  key: string;
  /** The same of all authors of an organization. */
  domain_key: string;
  address_id: string;
  account_id: string;
};

/** An address knows at most so many authors; the one whose last email is the oldest makes room. */
export const KNOWN_AUTHORS_MAX = 10_000;
/** The authors of one organization, which could otherwise make an address forget all others. */
export const KNOWN_AUTHORS_OF_DOMAIN_MAX = 1_000;
/** After its last email. */
export const KNOWN_AUTHOR_DAYS = 400;

/** When each of some authors was last seen, by key. Unknown authors are absent. */
export type Sightings = ReadonlyMap<string, Date>;
/** A sighting is written again after this time. A write for each email would cost more than reading it. */
export const SIGHTING_MS = 86_400_000;

/**
 * The last two labels of a domain, three under such as `co.uk`: the owner of a domain can make any number of
 * subdomains, each of which proves its authors.
 */
const OWNED = /[^.]+\.(?:(?:ac|co|com|edu|go|gov|ne|net|or|org)\.[a-z]{2}|[^.]+)$/;

/** @param author a normalized address */
export function knownAuthor(
  { id: address_id, account_id }: { id: string; account_id: string },
  author: string,
): KnownAuthor {
  const domain = author.slice(author.lastIndexOf('@') + 1);
  const [owned = domain] = OWNED.exec(domain) ?? [];
  return {
    key: hashOf(address_id, author),
    domain_key: hashOf(address_id, owned),
    address_id,
    account_id,
  };
}

const hashOf = (addressId: string, text: string): string =>
  createHash('sha256').update(`${addressId} ${text}`).digest('base64url');

/** Where records do not name authors, nothing else does. */
export const knowsAuthors = ({ redact = [] }: Pick<Recipient, 'redact'>): boolean =>
  !redact.includes('from');

type Recorded = Pick<
  Delivery,
  'event_id' | 'email' | 'address_id' | 'account_id' | 'from' | 'verdict' | 'ruling'
>;

/** The author in a record; undefined for a record without one. */
export function recordedAuthor(record: Recorded): KnownAuthor | undefined {
  const { from } = record;
  const { address } = authorOf({ from, all: [{ name: 'From', value: from ?? '' }] });
  const { address_id } = emailOf(record);
  if (address === '') return undefined;
  return knownAuthor({ id: address_id, account_id: record.account_id }, address);
}

/** As it was when the email arrived; undefined when no rule read it. */
export function firstSeenAt({ ruling }: Pick<Delivery, 'ruling'>): boolean | undefined {
  const value = ruling?.facts.find(({ name }) => name === 'first_seen')?.value;
  return value === undefined ? undefined : value === 'true';
}

/** Whom the release of this email makes known: an author whom DMARC proves and `first_seen` held. */
export const releasedAuthor = (record: Recorded): KnownAuthor | undefined =>
  record.verdict?.dmarc === 'pass' && firstSeenAt(record) === true
    ? recordedAuthor(record)
    : undefined;
