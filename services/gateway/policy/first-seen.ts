/**
 * Whether each recipient has delivered email of this author before. Asked only for recipients whose
 * expressions name `first_seen`; whose author is not proven, everybody could be (D277).
 */
import { expressionsOf } from '../../core/address/recipient.ts';
import { proofOf } from '../../core/mail/allowed-senders.ts';
import { authorOf } from '../../core/mail/author.ts';
import { authorKey, knowsAuthors } from '../../core/mail/known-author.ts';
import { namesOneOf } from '../../core/rules/rules.ts';
import type { KnownEmail } from '../receive/read-email.ts';
import type { AuthorAt, ReceivedMail } from '../receive/received-mail.ts';

/** Those of the keys that are known; null when MongoDB does not answer in time. */
export type AskAuthors = (
  transactionId: string,
  keys: readonly string[],
) => Promise<readonly string[] | null>;

/** For each recipient, in their order. */
export async function authorsAt(
  { recipients, transactionId }: Pick<ReceivedMail, 'recipients' | 'transactionId'>,
  { mail, sender }: Pick<KnownEmail, 'mail' | 'sender'>,
  ask: AskAuthors,
): Promise<readonly AuthorAt[]> {
  const asking = recipients.map(({ recipient }) =>
    namesOneOf(expressionsOf(recipient), ['first_seen']),
  );
  if (!asking.includes(true)) return recipients.map(() => NOT_ASKED);
  const author = authorOf(mail.headers);
  const proof = proofOf(author, sender.authentication);
  const at = recipients.map(({ recipient }, index): AuthorAt => {
    if (!asking[index]) return NOT_ASKED;
    if (!knowsAuthors(recipient) || proof === 'unproven') return { firstSeen: true };
    if (proof === 'later') return { firstSeen: 'unknown' };
    const { id: address_id, account_id } = recipient;
    const key = authorKey(address_id, author.address);
    return { firstSeen: 'unknown', author: { key, address_id, account_id } };
  });
  const keys = at.flatMap(({ author: one }) => one?.key ?? []);
  const known = keys.length === 0 ? [] : await ask(transactionId, keys);
  if (known === null) return at;
  return at.map((one) =>
    one.author ? { ...one, firstSeen: !known.includes(one.author.key) } : one,
  );
}

const NOT_ASKED: AuthorAt = { firstSeen: undefined };
