/** What records may show of an email: no signature of a reply address, which is a secret. */
import type { Ruling } from '../../core/delivery/ruling.ts';
import { withoutReplySignatures, withoutReplyTags } from '../../core/reply/reply-address.ts';
import { impersonal } from '../../core/decision/rules.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import type { AcceptedRecipient } from './received-mail.ts';

/** The names of a recipient, as records and other programs may know them. */
export const recordedNames = ({ recipient, named }: AcceptedRecipient): string[] =>
  [...named.values()].map((name) => (recipient.replies ? withoutReplyTags(name) : name));

export function recordedRuling({ replies, redact }: Recipient, ruling: Ruling): Ruling {
  const shown = redact ? impersonal(ruling) : ruling;
  const facts = shown.facts.map(({ name, value }) => ({
    name,
    value:
      name === 'plus_tag'
        ? withoutReplyTags(`+${value}`).slice(1)
        : withoutReplySignatures(withoutReplyTags(value)),
  }));
  return replies ? { ...shown, facts } : shown;
}
