/**
 * Refusals of MAIL, RCPT and DATA. Each is counted, logged in the words of
 * core/smtp/refused-email.ts, recorded for its account, and replied to.
 */
import { isAscii } from 'node:buffer';
import type { SMTPServerAddress, SMTPServerDataResult, SMTPServerSession } from 'smtp-server';

import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import { type RefusedEmail, refusedEmail } from '../../core/smtp/refused-email.ts';
import { messageTooBig, replyFor, SmtpRefusal, tryLater } from '../../core/smtp/smtp-reply.ts';
import { repliesByRcpt, storedText } from '../../core/smtp/stored-reply.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import type { RecordRefusal } from '../refusals/refusal-records.ts';
import { ClientGone } from '../receive/received-mail.ts';
import { replyError } from './connection.ts';
import { asSent, pathIn } from './envelope.ts';
import { isDisconnect } from './library.ts';
import type { DataReplies, Sender, Transactions } from './transaction.ts';

/** What smtp-server replies to DATA: one reply, or over LMTP one for each accepted RCPT, in their order. */
type ToData = string | SMTPServerDataResult[];

export type Refusals = Disposable & {
  /** These return what makes smtp-server send the reply. */
  ofMail(error: unknown, address: SMTPServerAddress, session: SMTPServerSession): Error;
  ofRcpt(error: unknown, address: SMTPServerAddress, session: SMTPServerSession): Error;
  ofData(error: unknown, session: SMTPServerSession): Error | SMTPServerDataResult[];
  /** Counts the email as accepted, if any recipient did. Over LMTP, each refuses for itself. */
  repliesTo(replies: DataReplies, session: SMTPServerSession): ToData;
  /** MAIL declares a size above the limit: smtp-server has replied. */
  ofSize(line: Buffer, remoteIp: string): void;
};

/** @param senderAt finds the client of a session */
export function createRefusals(
  isLmtp: boolean,
  transactions: Pick<Transactions, 'acceptedRcpts' | 'known'>,
  senderAt: (session: SMTPServerSession) => Sender,
  metrics: Pick<GatewayMetrics, 'refused'>,
  record: RecordRefusal,
  log: Log,
): Refusals {
  const interruptions = createInterruptionLog(log);

  const refuse = (error: unknown, email: Omit<RefusedEmail, 'reply'>): Error => {
    const reply = replyFor(error);
    metrics.refused(email.command, reply);
    const fields = refusedEmail({ ...email, reply });
    const isPlanned = error instanceof SmtpRefusal && error.cause === undefined;
    if (isPlanned || !interruptions.report('error', 'mail.refused', { ...fields, error }))
      log.info('mail.refused', fields);
    return replyError(reply);
  };
  const refuseIn = (
    session: SMTPServerSession,
    error: unknown,
    facts: Pick<RefusedEmail, 'command'> & Partial<RefusedEmail>,
  ): Error => {
    // it has left and does not see the reply; its connection has a record
    if (isDisconnect(error) || error instanceof ClientGone) return replyError(tryLater);
    senderAt(session).client.emails.refused += 1;
    const known = transactions.known(session);
    const email = { ...known, remoteIp: session.remoteAddress, ...facts };
    record(error, email, session.hostNameAppearsAs);
    return refuse(error, email);
  };

  return {
    ofMail: (error, { address }, session) => {
      const sender = asSent(address, !session.envelope.smtpUtf8);
      return refuseIn(session, error, { command: 'mail', sender });
    },
    ofRcpt: (error, { address }, session) => {
      const named = asSent(address, isAscii(senderAt(session).client.command()));
      const recipient = error instanceof SmtpRefusal ? error.recipient : undefined;
      return refuseIn(session, error, { command: 'rcpt', mailboxes: [{ named, recipient }] });
    },
    ofData: (error, session) => {
      const refusal = refuseIn(session, error, { command: 'data' });
      return isLmtp ? transactions.acceptedRcpts(session).map(() => refusal) : refusal;
    },
    repliesTo: ({ events, refused }, session) => {
      if (events.length > 0) senderAt(session).client.emails.accepted += 1;
      if (!isLmtp) return storedText(events);
      const { mailboxes } = transactions.known(session);
      for (const at of refused) {
        const own = mailboxes.filter(({ recipient }) => recipient?.id === at.addressId);
        const error = new SmtpRefusal(at.reply, { at: [at] });
        refuseIn(session, error, { command: 'data', mailboxes: own });
      }
      return repliesByRcpt(events, refused, transactions.acceptedRcpts(session)).map((one) =>
        typeof one === 'string' ? one : replyError(one),
      );
    },
    ofSize: (line, remoteIp) => {
      const facts = { sender: pathIn(line), mailboxes: [], remoteIp };
      refuse(new SmtpRefusal(messageTooBig), { command: 'mail', ...facts });
    },
    [Symbol.dispose]: () => interruptions[Symbol.dispose](),
  };
}
