/** RCPT: what the tag of a recipient with reply addresses proves (D57). */
import type { Recipient } from '../../core/address/recipient.ts';
import { checkTag, looksSigned } from '../../core/reply/reply-address.ts';
import { acceptedReplyKeys } from '../../core/reply/reply-key.ts';

/**
 * The recipient with what its tag proves, if it has reply addresses.
 * @throws when it cannot be checked, because this gateway has no REPLY_KEYS
 */
export type CheckReply = (recipient: Recipient, now: Date) => Recipient;

export const createCheckReply = (installationKeys: readonly Uint8Array[]): CheckReply =>
  function checkReply(recipient, now) {
    const { id, replies, plus_tag: tag } = recipient;
    if (replies === undefined) return recipient;
    const isSigned = looksSigned(tag);
    if (isSigned && installationKeys.length === 0)
      throw new Error('REPLY_KEYS is not set, so no reply address can be checked');
    const keys = isSigned ? acceptedReplyKeys(installationKeys, id, replies, now) : [];
    return { ...recipient, reply: checkTag(tag, id, keys, now) };
  };
