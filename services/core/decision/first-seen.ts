/**
 * Whether each recipient has delivered email of this author before. Asked only for recipients whose
 * expressions name `first_seen`; whose author is not proven, everybody could be (D277).
 */
import { expressionsOf, type Recipient } from '../address/recipient.ts';
import type { FirstSeen } from '../expression/variables.ts';
import { type AuthorFacts, proofOf } from '../mail/allowed-senders.ts';
import { authorOf } from '../mail/author.ts';
import {
  type KnownAuthor,
  knownAuthor,
  knowsAuthors,
  SIGHTING_MS,
  type Sightings,
} from './known-author.ts';
import { namesOneOf } from './rules.ts';

/** The author of an email, as one recipient knows it. */
export type RecipientAuthor = {
  /** Undefined when no expression asks. */
  firstSeen: FirstSeen | undefined;
  /** Whose sighting a delivery writes; undefined for nobody. */
  author?: KnownAuthor;
};

const NOT_ASKED: RecipientAuthor = { firstSeen: undefined };

/** For each recipient, as long as nobody has looked whether the author is known. */
export function authorsAt(
  recipients: readonly Recipient[],
  { headers, authentication }: AuthorFacts,
): RecipientAuthor[] {
  const asking = recipients.map((one) => namesOneOf(expressionsOf(one), ['first_seen']));
  if (!asking.includes(true)) return recipients.map(() => NOT_ASKED);
  const author = authorOf(headers);
  const proof = proofOf(author, authentication);
  return recipients.map((recipient, at): RecipientAuthor => {
    if (!asking[at]) return NOT_ASKED;
    if (!knowsAuthors(recipient) || proof === 'unproven') return { firstSeen: true };
    if (proof === 'later') return { firstSeen: 'unknown' };
    return { firstSeen: 'unknown', author: knownAuthor(recipient, author.address) };
  });
}

export const authorKeys = (authors: readonly RecipientAuthor[]): string[] =>
  authors.flatMap(({ author }) => author?.key ?? []);

/** @param seen those of the keys that are known; null when nobody could look */
export const withKnown = (
  authors: readonly RecipientAuthor[],
  seen: Sightings | null,
  now: Date,
): readonly RecipientAuthor[] =>
  seen === null
    ? authors
    : authors.map((one) => (one.author ? seenAt(one.author, seen, now) : one));

function seenAt(author: KnownAuthor, seen: Sightings, now: Date): RecipientAuthor {
  const last = seen.get(author.key);
  if (last === undefined) return { firstSeen: true, author };
  const isRecent = now.getTime() - last.getTime() < SIGHTING_MS;
  return { firstSeen: false, ...(!isRecent && { author }) };
}
