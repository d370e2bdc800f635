/** The recipients that the RCPT commands of one transaction name. */
import type { SMTPServerSession } from 'smtp-server';

import { normaliseAddress } from '../../core/mail/fields/email-address.ts';
import { tlsNumber } from '../../core/mail/received-headers.ts';
import { provesMore } from '../../core/reply/reply-address.ts';
import type { KnownAtRcpt } from '../../core/decision/at-rcpt.ts';
import { SmtpRefusal, type SmtpReply, tooManyRecipients } from '../../core/smtp/smtp-reply.ts';
import type { RulesAtRcpt } from '../content/rules-at-rcpt.ts';
import type { ConnectionPolicy } from '../policy/connection-check.ts';
import type { AcceptedRecipient } from '../receive/received-mail.ts';
import { senderOf } from './envelope.ts';

export type NamedRecipients = {
  /** RCPT commands, whatever their reply. */
  commands: number;
  /** The accepted recipients, by id. */
  accepted: Map<string, AcceptedRecipient>;
  /** The ids of the accepted ones, one for each command, in their order. */
  ids: string[];
  /** What rules reply to a mailbox, as the client wrote it; undefined when they accept it. */
  ruled: Map<string, SmtpReply | undefined>;
};

export const nobodyNamed = (): NamedRecipients => ({
  commands: 0,
  accepted: new Map(),
  ids: [],
  ruled: new Map(),
});

type RecipientLimits = {
  maxRecipients: number;
  /** RCPT commands, those that repeat a recipient, or are refused, too. */
  maxCommands: number;
  rulesAtRcpt: RulesAtRcpt;
};

/** @throws SmtpRefusal, or any other error when the recipient cannot be checked now */
export async function addRecipient(
  named: string,
  { commands, accepted, ids, ruled }: NamedRecipients,
  session: SMTPServerSession,
  policy: ConnectionPolicy,
  { maxRecipients, maxCommands, rulesAtRcpt }: RecipientLimits,
): Promise<void> {
  if (session.envelope.rcptTo.length >= maxRecipients || commands > maxCommands)
    throw new SmtpRefusal(tooManyRecipients);
  const recipient = await policy.checkRecipient(named);
  if (!ruled.has(named)) ruled.set(named, await rulesAtRcpt(recipient, knownOf(session, named)));
  const refusal = ruled.get(named);
  if (refusal) throw new SmtpRefusal(refusal, { recipient });
  ids.push(recipient.id);
  const known = accepted.get(recipient.id) ?? { recipient, named: new Map<string, string>() };
  // a reply often goes to the address itself, too
  const isBetter = provesMore(recipient.reply, known.recipient.reply);
  accepted.set(recipient.id, isBetter ? { ...known, recipient } : known);
  const spelling = normaliseAddress(named) ?? named;
  if (!known.named.has(spelling)) known.named.set(spelling, named);
}

const knownOf = (session: SMTPServerSession, named: string): KnownAtRcpt => ({
  mailFrom: senderOf(session),
  heloDomain: session.hostNameAppearsAs,
  remoteIp: session.remoteAddress,
  tlsVersion: session.secure && session.tlsOptions ? tlsNumber(session.tlsOptions.version) : '',
  named,
});
