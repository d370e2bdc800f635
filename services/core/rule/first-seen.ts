/**
 * Whether each recipient has delivered email of this author before. Asked only for recipients whose
 * expressions name `first_seen`; whose author is not proven, everybody could be (D277).
 */
import { expressionsOf, type Recipient } from '../address/recipient.ts';
import type { FirstSeen } from '../expression/variables.ts';
import { type AuthorFacts, proofOf } from '../mail/allowed-senders.ts';
import { authorOf } from '../mail/author.ts';
import { authorKey, type KnownAuthor, knowsAuthors } from './known-author.ts';
import { namesOneOf } from './rules.ts';

/** The author of an email, as one recipient knows it. */
export type AuthorAt = {
  /** Undefined when no expression asks. */
  firstSeen: FirstSeen | undefined;
  /** Whom a delivery makes known; undefined for nobody. */
  author?: KnownAuthor;
};

const NOT_ASKED: AuthorAt = { firstSeen: undefined };

/** For each recipient, as long as nobody has looked whether the author is known. */
export function authorsAt(
  recipients: readonly Recipient[],
  { headers, authentication }: AuthorFacts,
): AuthorAt[] {
  const asking = recipients.map((one) => namesOneOf(expressionsOf(one), ['first_seen']));
  if (!asking.includes(true)) return recipients.map(() => NOT_ASKED);
  const author = authorOf(headers);
  const proof = proofOf(author, authentication);
  return recipients.map((recipient, at): AuthorAt => {
    if (!asking[at]) return NOT_ASKED;
    if (!knowsAuthors(recipient) || proof === 'unproven') return { firstSeen: true };
    if (proof === 'later') return { firstSeen: 'unknown' };
    const { id: address_id, account_id } = recipient;
    const key = authorKey(address_id, author.address);
    return { firstSeen: 'unknown', author: { key, address_id, account_id } };
  });
}

export const authorKeys = (authors: readonly AuthorAt[]): string[] =>
  authors.flatMap(({ author }) => author?.key ?? []);

/** @param known those of the keys that are known; null when nobody could look */
export const withKnown = (
  authors: readonly AuthorAt[],
  known: readonly string[] | null,
): readonly AuthorAt[] =>
  known === null
    ? authors
    : authors.map((one) =>
        one.author ? { ...one, firstSeen: !known.includes(one.author.key) } : one,
      );
