/**
 * MAIL, RCPT and DATA of one client, in the protocol's order. Each throws what refuses the command.
 */
import { isAscii } from 'node:buffer';
import type {
  SMTPServerAddress,
  SMTPServerDataStream,
  SMTPServerEnvelope,
  SMTPServerSession,
} from 'smtp-server';

import { withDeadline } from '../../adapters/async/deadline.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pooledRandom } from '../../adapters/process/randomness.ts';
import { normaliseAddress } from '../../core/mail/fields/email-address.ts';
import { refusalBeforeData } from '../../core/rule/before-data.ts';
import { provesMore } from '../../core/reply/reply-address.ts';
import { mailTrace } from '../../core/trace-context.ts';
import {
  countReceived,
  MAX_RECEIVED_HEADERS,
  receivedHeaders,
  tlsNumber,
} from '../../core/mail/received-headers.ts';
import { messageIdIn, splitMail } from '../../core/mail/raw-mail.ts';
import type { RefusedEmail } from '../../core/smtp/refused-email.ts';
import {
  loopDetected,
  needsSmtpUtf8,
  SmtpRefusal,
  tooManyRecipients,
} from '../../core/smtp/smtp-reply.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import type { ConnectionPolicy } from '../policy/connection-check.ts';
import { type ByteBudget, createReservation } from '../receive/memory-budget.ts';
import type { MemoryPool } from '../receive/memory-pool.ts';
import type {
  AcceptedRecipient,
  Receive,
  ReceivedMail,
  RefusedAt,
  StoredEvent,
} from '../receive/received-mail.ts';
import type { TraceAccepted } from '../receive/accept-trace.ts';
import type { Client } from './connection.ts';
import { readEmail } from './data.ts';
import { asSent, senderOf } from './envelope.ts';

export type TransactionOptions = {
  /** The gateway's name in its greeting and in Received headers. */
  hostname: string;
  maxMessageBytes: number;
  /** Whether the listener speaks LMTP (RFC 2033). */
  isLmtp: boolean;
  /** Shared by all connections. Covers each email from DATA to its reply. */
  memory: ByteBudget;
  /** The same, for the bytes of large emails. */
  memoryPool: MemoryPool;
  maxRecipients: number;
  /** From the end of an email to its reply. Clients wait for 10 minutes (RFC 5321 §4.5.3.2.6). */
  replyTimeoutMs: number;
};

const TRANSACTION_ID_BYTES = 16;

/** A client, and the policy that its connection is under. */
export type Sender = { client: Client; policy: ConnectionPolicy };

export type Transactions = {
  /** @throws SmtpRefusal */
  startMail(session: SMTPServerSession): void;
  /** @throws SmtpRefusal, or any other error when the recipient cannot be checked now */
  addRecipient(address: SMTPServerAddress, session: SMTPServerSession): Promise<void>;
  /** The ids of the recipients whose RCPT was accepted, one for each command, in their order. */
  acceptedRcpts(session: SMTPServerSession): readonly string[];
  /** What is known of the email by now, to log that it was refused. */
  known(session: SMTPServerSession): Pick<RefusedEmail, 'sender' | 'mailboxes' | 'messageId'>;
  /**
   * Resolves with the stored events, one for each recipient that accepted the email, and with what the
   * others reply.
   * @throws SmtpRefusal, ClientGone, or any other error when the email could not be stored
   */
  receiveData(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<DataReplies>;
};

export type DataReplies = { events: StoredEvent[]; refused: RefusedAt[] };

/** What RCPT accepted in one transaction, and the Message-ID of its DATA. */
type Accepted = {
  recipients: Map<string, AcceptedRecipient>;
  ids: string[];
  messageId: string | undefined;
};

/** @param senderAt finds the client of a session */
export function createTransactions(
  options: TransactionOptions,
  senderAt: (session: SMTPServerSession) => Sender,
  receive: Receive,
  metrics: Pick<GatewayMetrics, 'accepted' | 'bareLineEnds'>,
  traceAccepted: TraceAccepted | undefined,
  clock: () => Date,
  log: Log,
): Transactions {
  /** By transaction: smtp-server makes a new envelope for each. */
  const accepted = new WeakMap<SMTPServerEnvelope, Accepted>();

  const recipientsOf = ({ envelope }: SMTPServerSession): AcceptedRecipient[] => [
    ...(accepted.get(envelope)?.recipients.values() ?? []),
  ];

  const noteMessageId = ({ envelope }: SMTPServerSession, beginning: Buffer) => {
    const transaction = accepted.get(envelope);
    if (transaction) transaction.messageId = messageIdIn(splitMail(beginning).head);
  };

  const headersFor = (session: SMTPServerSession): Buffer => {
    const { envelope, tlsOptions } = session;
    return Buffer.from(
      receivedHeaders({
        mailFrom: senderOf(session),
        receivedAt: clock(),
        helo: session.hostNameAppearsAs,
        protocol: options.isLmtp ? 'LMTP' : session.openingCommand === 'EHLO' ? 'ESMTP' : 'SMTP',
        remoteIp: session.remoteAddress,
        by: options.hostname,
        id: `${session.id}.${session.transaction}`,
        isUtf8: envelope.smtpUtf8 === true,
        tls:
          session.secure && tlsOptions
            ? { version: tlsOptions.version, cipher: tlsOptions.standardName }
            : undefined,
        recipients: recipientsOf(session).flatMap(({ named }) => [...named.values()]),
      }),
    );
  };

  const receivedMail = (
    withReceived: Buffer,
    headerBytes: number,
    session: SMTPServerSession,
  ): ReceivedMail => {
    const receivedAt = clock();
    return {
      transactionId: Buffer.from(pooledRandom(TRANSACTION_ID_BYTES)).toString('hex'),
      raw: withReceived.subarray(headerBytes),
      withReceived,
      envelope: {
        mailFrom: senderOf(session),
        heloDomain: session.hostNameAppearsAs,
        remoteIp: session.remoteAddress,
      },
      recipients: recipientsOf(session),
      isUtf8: session.envelope.smtpUtf8 === true,
      repliesEach: options.isLmtp,
      receivedAt,
      replyBy: new Date(receivedAt.getTime() + options.replyTimeoutMs),
    };
  };

  const acceptMail = async (
    mail: ReceivedMail,
    session: SMTPServerSession,
    dataFrom: Date,
    client: AbortSignal,
  ): Promise<DataReplies> => {
    const { raw, receivedAt } = mail;
    if (countReceived(raw) > MAX_RECEIVED_HEADERS) throw new SmtpRefusal(loopDetected);
    const { events, refused, bareLineEnds } = await receive(mail, client);
    if (events.length === 0) return { events, refused };
    const durationMs = clock().getTime() - receivedAt.getTime();
    metrics.accepted(raw.byteLength, durationMs);
    if (bareLineEnds) metrics.bareLineEnds();
    traceAccepted?.({ events, bytes: raw.byteLength, dataFrom, dataUntil: receivedAt });
    const traceIds = events.map(({ eventId }) => mailTrace(eventId).traceId);
    log.info('mail.accepted', {
      event_ids: events.map(({ eventId }) => eventId),
      trace_id: traceIds[0],
      ...(traceIds.length > 1 && { trace_ids: traceIds }),
      bytes: raw.byteLength,
      remote_ip: session.remoteAddress,
      secure: session.secure,
      ms: durationMs,
      ...(bareLineEnds && { bare_line_ends: true }),
    });
    return { events, refused };
  };

  return {
    startMail: (session) => {
      const { client, policy } = senderAt(session);
      if (!isAscii(client.command()) && !session.envelope.smtpUtf8)
        throw new SmtpRefusal(needsSmtpUtf8);
      policy.checkMail();
    },

    addRecipient: async ({ address }, session) => {
      const { client, policy } = senderAt(session);
      const isAsciiLine = isAscii(client.command());
      if (!isAsciiLine && !session.envelope.smtpUtf8) throw new SmtpRefusal(needsSmtpUtf8);
      if (session.envelope.rcptTo.length >= options.maxRecipients)
        throw new SmtpRefusal(tooManyRecipients);
      const named = asSent(address, isAsciiLine);
      const recipient = await policy.checkRecipient(named);
      const refusal = refusalBeforeData(recipient, {
        mailFrom: senderOf(session),
        heloDomain: session.hostNameAppearsAs,
        remoteIp: session.remoteAddress,
        tlsVersion:
          session.secure && session.tlsOptions ? tlsNumber(session.tlsOptions.version) : '',
        named,
      });
      if (refusal) throw new SmtpRefusal(refusal, { recipient });
      const transaction = accepted.get(session.envelope) ?? {
        recipients: new Map<string, AcceptedRecipient>(),
        ids: [],
        messageId: undefined,
      };
      accepted.set(session.envelope, transaction);
      const { recipients, ids } = transaction;
      ids.push(recipient.id);
      const known = recipients.get(recipient.id) ?? { recipient, named: new Map<string, string>() };
      // a reply often goes to the address itself, too
      const isBetter = provesMore(recipient.reply, known.recipient.reply);
      recipients.set(recipient.id, isBetter ? { ...known, recipient } : known);
      const spelling = normaliseAddress(named) ?? named;
      if (!known.named.has(spelling)) known.named.set(spelling, named);
    },

    acceptedRcpts: ({ envelope }) => accepted.get(envelope)?.ids ?? [],

    known: (session) => ({
      sender: senderOf(session),
      mailboxes: recipientsOf(session).flatMap(({ recipient, named }) =>
        Array.from(named.values(), (mailbox) => ({ named: mailbox, recipient })),
      ),
      messageId: accepted.get(session.envelope)?.messageId,
    }),

    receiveData: async (stream, session) => {
      const { client } = senderAt(session);
      client.startData();
      const dataFrom = clock();
      using untilWorkStarts = new DisposableStack();
      const reservation = untilWorkStarts.use(createReservation(options.memory));
      const headers = headersFor(session);
      const withReceived = await readEmail(
        stream,
        headers,
        options.maxMessageBytes,
        reservation,
        untilWorkStarts.use(options.memoryPool.lease()),
        (beginning) => noteMessageId(session, beginning),
      );
      client.endData();
      const mail = receivedMail(withReceived, headers.byteLength, session);
      // a copy: the client may start another email once it has its reply
      const transaction = { ...session };
      // the bytes stay reserved until the work ends, which may be after the reply
      const untilWorkEnds = untilWorkStarts.move();
      let hasEnded = false;
      const noteRefused = () => {
        if (!hasEnded) noteMessageId(transaction, withReceived.subarray(headers.byteLength));
      };
      const work = acceptMail(mail, transaction, dataFrom, client.gone)
        .then((replies) => {
          if (replies.refused.length > 0) noteRefused();
          return replies;
        })
        .catch((error: unknown) => {
          noteRefused();
          throw error;
        })
        .finally(() => {
          hasEnded = true;
          untilWorkEnds.dispose();
        });
      // After the deadline the work continues. A repeat by the sender folds with its event, if the
      // email has a Message-ID.
      return await withDeadline(options.replyTimeoutMs, work, 'no reply').catch(
        (error: unknown) => {
          noteRefused();
          throw error;
        },
      );
    },
  };
}
