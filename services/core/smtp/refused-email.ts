/**
 * What the log says of a refused email, so that its sender gets an answer (D297). Nothing of its
 * content, and nothing that its address redacts or that would be a secret.
 */
import { withoutReplySignatures, withoutReplyTags } from '../reply/reply-address.ts';
import type { RefusedRecipient } from '../refusal/decided-by.ts';
import { badAddress, noSuchAddress, type SmtpReply } from './smtp-reply.ts';

export type RefusedEmail = {
  command: 'mail' | 'rcpt' | 'data';
  reply: SmtpReply;
  /** The envelope sender; empty for a bounce. */
  sender: string;
  /** As the client named them: at MAIL none, at RCPT one. */
  mailboxes: readonly Mailbox[];
  /** Undefined before DATA, and without one. */
  messageId?: string | undefined;
  remoteIp: string;
};

/** The recipient is undefined when there is none, or nobody looked for it. */
type Mailbox = { named: string; recipient: RefusedRecipient | undefined };

const MAILBOX_MAX_CHARS = 320;
/** An email may have a hundred. */
const MAILBOXES_MAX = 5;

export function refusedEmail({
  command,
  reply,
  sender,
  mailboxes,
  messageId,
  remoteIp,
}: RefusedEmail): Record<string, unknown> {
  const names = mailboxes
    .slice(0, MAILBOXES_MAX)
    .map(({ named }) => shown(withoutReplyTags(named)));
  const isAnonymous = mailboxes.some(({ recipient }) => hidesSender(recipient, reply));
  const ids = new Set(mailboxes.map(({ recipient }) => recipient?.id));
  const only = ids.size === 1 ? mailboxes[0]?.recipient : undefined;
  return {
    command,
    reason: reply.name,
    reply_code: reply.code,
    enhanced_code: reply.enhanced,
    ...(!isAnonymous && { sender: shown(sender) }),
    ...(names.length > 0 && { mailbox: names[0] }),
    ...(names.length > 1 && { mailboxes: names }),
    ...(only && { address_id: only.id, account_id: only.account_id }),
    ...(!isAnonymous && messageId !== undefined && { message_id: messageId }),
    remote_ip: remoteIp,
  };
}

/** An address that nobody looked for may redact its senders. A Message-ID often names them. */
const hidesSender = (recipient: RefusedRecipient | undefined, { name }: SmtpReply): boolean =>
  recipient === undefined
    ? name !== noSuchAddress.name && name !== badAddress.name
    : (recipient.redact?.includes('from') ?? false);

const shown = (address: string): string =>
  withoutReplySignatures(address).slice(0, MAILBOX_MAX_CHARS).toWellFormed();
