/**
 * MAIL, RCPT and DATA of one client, in the protocol's order. Each throws what refuses the command.
 */
import type {
  SMTPServerAddress,
  SMTPServerDataStream,
  SMTPServerEnvelope,
  SMTPServerSession,
} from 'smtp-server';

import { withDeadline } from '../../adapters/async/deadline.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pooledRandom } from '../../adapters/process/randomness.ts';
import { mailTrace } from '../../core/id/trace-context.ts';
import {
  countReceived,
  MAX_RECEIVED_HEADERS,
  receivedHeaders,
} from '../../core/mail/received-headers.ts';
import { messageIdIn, withoutPrelude } from '../../core/mail/raw-mail.ts';
import type { RefusedEmail } from '../../core/smtp/refused-email.ts';
import type { RecipientRefusal } from '../../core/refusal/decided-by.ts';
import { loopDetected, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type { ContentThreads } from '../content/content-threads.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import type { ConnectionPolicy } from '../policy/connection-check.ts';
import { type ByteBudget, createReservation } from '../receive/memory-budget.ts';
import type { MemoryPool } from '../receive/memory-pool.ts';
import type { AcceptedRecipient, ReceivedMail, StoredEvent } from '../receive/received-mail.ts';
import type { TraceAccepted } from '../receive/accept-trace.ts';
import type { Client } from './connection.ts';
import { readEmail } from './data.ts';
import { sentPath, senderOf } from './envelope.ts';
import { addRecipient, type NamedRecipients, nobodyNamed } from './named-recipients.ts';

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
  /** In a transaction, whatever their reply. */
  maxRcptCommands: number;
  /** From the end of an email to its reply. Clients wait for 10 minutes (RFC 5321 §4.5.3.2.6). */
  replyTimeoutMs: number;
};

const TRANSACTION_ID_BYTES = 16;

/** A client, and the policy that its connection is under. */
export type Sender = { client: Client; policy: ConnectionPolicy };

export type Transactions = {
  /** @throws SmtpRefusal */
  startMail(address: SMTPServerAddress, session: SMTPServerSession): void;
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

export type DataReplies = { events: StoredEvent[]; refused: RecipientRefusal[] };

type Transaction = NamedRecipients & {
  /** The Message-ID in its DATA. */
  messageId: string | undefined;
};

/** @param senderAt finds the client of a session */
export function createTransactions(
  options: TransactionOptions,
  senderAt: (session: SMTPServerSession) => Sender,
  { receive, rulesAtRcpt }: Pick<ContentThreads, 'receive' | 'rulesAtRcpt'>,
  metrics: Pick<GatewayMetrics, 'accepted' | 'bareLineEnds'>,
  traceAccepted: TraceAccepted | undefined,
  clock: () => Date,
  log: Log,
): Transactions {
  /** By their envelope: smtp-server makes a new one for each. */
  const transactions = new WeakMap<SMTPServerEnvelope, Transaction>();

  const recipientsOf = ({ envelope }: SMTPServerSession): AcceptedRecipient[] => [
    ...(transactions.get(envelope)?.accepted.values() ?? []),
  ];

  const noteMessageId = ({ envelope }: SMTPServerSession, beginning: Buffer) => {
    const transaction = transactions.get(envelope);
    if (transaction) transaction.messageId = messageIdIn(beginning);
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
    startMail: ({ address }, session) => {
      const { client, policy } = senderAt(session);
      sentPath(address, client.command(), session);
      policy.checkMail();
    },

    addRecipient: async ({ address }, session) => {
      const { client, policy } = senderAt(session);
      const transaction = transactions.get(session.envelope) ?? {
        ...nobodyNamed(),
        messageId: undefined,
      };
      transactions.set(session.envelope, transaction);
      transaction.commands += 1;
      const named = sentPath(address, client.command(), session);
      await addRecipient(named, transaction, session, policy, {
        maxRecipients: options.maxRecipients,
        maxCommands: options.maxRcptCommands,
        rulesAtRcpt,
      });
    },

    acceptedRcpts: ({ envelope }) => transactions.get(envelope)?.ids ?? [],

    known: (session) => ({
      sender: senderOf(session),
      mailboxes: recipientsOf(session).flatMap(({ recipient, named }) =>
        Array.from(named.values(), (mailbox) => ({ named: mailbox, recipient })),
      ),
      messageId: transactions.get(session.envelope)?.messageId,
    }),

    receiveData: async (stream, session) => {
      const { client } = senderAt(session);
      client.startData();
      const dataFrom = clock();
      using untilWorkStarts = new DisposableStack();
      const reservation = untilWorkStarts.use(createReservation(options.memory));
      const headers = headersFor(session, recipientsOf(session), options, clock());
      const read = await readEmail(
        stream,
        headers,
        options.maxMessageBytes,
        reservation,
        untilWorkStarts.use(options.memoryPool.lease()),
        (beginning) => noteMessageId(session, beginning),
      );
      const withReceived = withoutPrelude(read, headers.byteLength);
      client.endData();
      const mail = receivedMail(
        withReceived,
        headers.byteLength,
        session,
        recipientsOf(session),
        options,
        clock(),
      );
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

function headersFor(
  session: SMTPServerSession,
  recipients: readonly AcceptedRecipient[],
  { isLmtp, hostname }: Pick<TransactionOptions, 'isLmtp' | 'hostname'>,
  receivedAt: Date,
): Buffer {
  const { envelope, tlsOptions } = session;
  return Buffer.from(
    receivedHeaders({
      mailFrom: senderOf(session),
      receivedAt,
      helo: session.hostNameAppearsAs,
      protocol: isLmtp ? 'LMTP' : session.openingCommand === 'EHLO' ? 'ESMTP' : 'SMTP',
      remoteIp: session.remoteAddress,
      by: hostname,
      id: `${session.id}.${session.transaction}`,
      isUtf8: envelope.smtpUtf8 === true,
      tls:
        session.secure && tlsOptions
          ? { version: tlsOptions.version, cipher: tlsOptions.standardName }
          : undefined,
      recipients: recipients.flatMap(({ named }) => [...named.values()]),
    }),
  );
}

function receivedMail(
  withReceived: Buffer,
  headerBytes: number,
  session: SMTPServerSession,
  recipients: AcceptedRecipient[],
  { isLmtp, replyTimeoutMs }: Pick<TransactionOptions, 'isLmtp' | 'replyTimeoutMs'>,
  receivedAt: Date,
): ReceivedMail {
  return {
    transactionId: Buffer.from(pooledRandom(TRANSACTION_ID_BYTES)).toString('hex'),
    raw: withReceived.subarray(headerBytes),
    withReceived,
    envelope: {
      mailFrom: senderOf(session),
      heloDomain: session.hostNameAppearsAs,
      remoteIp: session.remoteAddress,
    },
    recipients,
    isUtf8: session.envelope.smtpUtf8 === true,
    repliesEach: isLmtp,
    receivedAt,
    replyBy: new Date(receivedAt.getTime() + replyTimeoutMs),
  };
}
