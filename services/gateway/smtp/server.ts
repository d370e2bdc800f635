/** The seam to smtp-server, in the protocol's own order: MAIL, RCPT, DATA. Only the smtp*.ts files know that library. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureVersion } from 'node:tls';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerEnvelope,
  type SMTPServerSession,
} from 'smtp-server';

import { createGiveWay } from '../../adapters/process/yield.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { TlsPair } from '../../adapters/tls/tls-files.ts';
import { asciiDomain, normaliseAddress } from '../../core/mail/email-address.ts';
import {
  loopDetected,
  needsSmtpUtf8,
  replyFor,
  serverFull,
  shuttingDown,
  SmtpRefusal,
  type SmtpReply,
  tooManyRecipients,
  tryLater,
} from '../../core/smtp/smtp-reply.ts';
import {
  countReceived,
  MAX_RECEIVED_HEADERS,
  traceHeaders,
} from '../../core/mail/trace-headers.ts';
import type { Door, Guest } from '../policy/connection-check.ts';
import { type ByteQueue, createByteBudget } from '../receive/memory-budget.ts';
import type { GatewayMetrics, RefusedCommand } from '../metrics.ts';
import type { AcceptedRecipient, Receive, ReceivedMail } from '../receive/receive.ts';
import { createProxyDoor, type Peer } from './proxy-socket.ts';
import { type Client, type ClientOptions, libraryError, openClient } from './connection.ts';
import { createRoom, isAbandoned, readAll } from './data.ts';
import { gatherReplies, turnAway } from './socket.ts';

export type SmtpOptions = ClientOptions & {
  host: string;
  port: number;
  /** What the gateway calls itself. */
  hostname: string;
  /** Certificate and key for STARTTLS; without them it is not offered: the library's own key is public. */
  tls: TlsPair | undefined;
  tlsMinVersion: SecureVersion;
  /** From these every connection begins with a PROXY header; if there are any, nobody else may connect. */
  proxyNetworks: readonly string[];
  proxyTimeoutMs: number;
  maxMessageBytes: number;
  /** Bytes of mails that may be in memory between the start of DATA and its reply, over all connections. */
  maxBytesInMemory: number;
  /** Where large mails wait for their turn. */
  largeMails: ByteQueue;
  maxRecipients: number;
  maxConnections: number;
  /** From the end of a mail to its reply: later the client would not wait (RFC 5321 §4.5.3.2.6). */
  replyTimeoutMs: number;
  stopGraceMs: number;
};

export type SmtpHandlers = {
  door: Door;
  receive: Receive;
  metrics: Pick<GatewayMetrics, 'refused' | 'accepted' | 'abandoned' | 'bareLineEnds'>;
};

export type SmtpListener = AsyncDisposable & {
  port: number;
  openConnections(): number;
  /** For connections to come; those that are open keep theirs. */
  useCertificate: (pair: TlsPair) => void;
};

type Callback = (error?: Error | null, message?: string) => void;

const NEVER_SUPPORTED = ['AUTH', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'];

export async function listenSmtp(
  options: SmtpOptions,
  { door, receive, metrics }: SmtpHandlers,
  clock: () => Date,
  log: Log,
): Promise<SmtpListener> {
  const clients = new Map<string, Client>();
  const guests = new WeakMap<SMTPServerSession, Guest>();
  /** What RCPT accepted, by the transaction that it belongs to. */
  const accepted = new WeakMap<SMTPServerEnvelope, Map<string, AcceptedRecipient>>();
  let isStopping = false;
  const memory = createByteBudget(options.maxBytesInMemory);
  const giveWay = createGiveWay();

  /** The command being answered, which smtp-server shows only in its own spelling. */
  const lineOf = ({ id }: SMTPServerSession): Buffer =>
    clients.get(id)?.command() ?? Buffer.alloc(0);

  const refuse = (
    command: RefusedCommand,
    error: unknown,
    session: SMTPServerSession,
    callback: Callback,
  ) => {
    if (isAbandoned(error)) {
      metrics.abandoned();
      log.info('mail.abandoned', { remote_ip: session.remoteAddress });
      return callback(libraryError(tryLater)); // nobody is there to hear it
    }
    const reply = replyFor(error);
    metrics.refused(command, reply);
    const line = { command, reply: reply.name, code: reply.code, remote_ip: session.remoteAddress };
    if (error instanceof SmtpRefusal && error.cause === undefined) log.info('mail.refused', line);
    else log.error('mail.refused', { ...line, error });
    callback(libraryError(reply));
  };

  const guestOf = (session: SMTPServerSession): Guest => {
    const guest = guests.get(session);
    if (guest === undefined) throw new Error('a command of a connection that never began');
    return guest;
  };

  const onMailFrom = (session: SMTPServerSession): void => {
    if (!isAscii(lineOf(session)) && !session.envelope.smtpUtf8)
      throw new SmtpRefusal(needsSmtpUtf8);
    guestOf(session).startMessage();
  };

  const onRcptTo = async (
    { address }: SMTPServerAddress,
    session: SMTPServerSession,
  ): Promise<void> => {
    const line = lineOf(session);
    if (!isAscii(line) && !session.envelope.smtpUtf8) throw new SmtpRefusal(needsSmtpUtf8);
    if (session.envelope.rcptTo.length >= options.maxRecipients)
      throw new SmtpRefusal(tooManyRecipients);
    const named = asSent(address, isAscii(line));
    const recipient = await guestOf(session).admitRecipient(named);
    const recipients = accepted.get(session.envelope) ?? new Map<string, AcceptedRecipient>();
    accepted.set(session.envelope, recipients);
    const known = recipients.get(recipient.id) ?? { recipient, named: new Map<string, string>() };
    recipients.set(recipient.id, known);
    const spelling = normaliseAddress(named) ?? named;
    if (!known.named.has(spelling)) known.named.set(spelling, named);
  };

  const onData = async (
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
  ): Promise<string> => {
    const client = clients.get(session.id);
    client?.startData();
    using parts = new DisposableStack();
    const room = parts.use(createRoom(memory));
    const trace = traceOf(session);
    const kept = await readAll(stream, trace, options.maxMessageBytes, room, giveWay);
    client?.endOfData();
    const mail = receivedMail(kept, trace.byteLength, session);
    const transaction = { ...session }; // work that goes on after the reply is about this mail, whatever the client does next
    const held = parts.move(); // and holds its room
    const work = options
      .largeMails(mail.raw.byteLength, () => takeIn(mail, transaction))
      .finally(() => held.dispose());
    return await withinTime(options.replyTimeoutMs, work);
  };

  const recipientsOf = ({ envelope }: SMTPServerSession): AcceptedRecipient[] => [
    ...(accepted.get(envelope)?.values() ?? []),
  ];

  const traceOf = (session: SMTPServerSession): Buffer => {
    const { envelope, tlsOptions } = session;
    return Buffer.from(
      traceHeaders({
        mailFrom: senderOf(session),
        receivedAt: clock(),
        helo: session.hostNameAppearsAs,
        isExtended: session.openingCommand === 'EHLO',
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
    kept: Buffer,
    traceBytes: number,
    session: SMTPServerSession,
  ): ReceivedMail => {
    const receivedAt = clock();
    return {
      raw: kept.subarray(traceBytes),
      kept,
      envelope: {
        mailFrom: senderOf(session),
        heloDomain: session.hostNameAppearsAs,
        remoteIp: session.remoteAddress,
      },
      recipients: recipientsOf(session),
      receivedAt,
      replyBy: new Date(receivedAt.getTime() + options.replyTimeoutMs),
    };
  };

  const takeIn = async (mail: ReceivedMail, session: SMTPServerSession): Promise<string> => {
    const { raw, receivedAt } = mail;
    if (countReceived(raw) > MAX_RECEIVED_HEADERS) throw new SmtpRefusal(loopDetected);
    const { eventIds, bareLineEnds } = await receive(mail);
    metrics.accepted(raw.byteLength);
    if (bareLineEnds) metrics.bareLineEnds();
    log.info('mail.accepted', {
      event_ids: eventIds,
      bytes: raw.byteLength,
      remote_ip: session.remoteAddress,
      secure: session.secure,
      ms: clock().getTime() - receivedAt.getTime(),
      ...(bareLineEnds && { bare_line_ends: true }),
    });
    return `OK: stored as ${eventIds[0]}${eventIds.length > 1 ? ` and ${eventIds.length - 1} more` : ''}`;
  };

  const server = new SMTPServer({
    name: options.hostname,
    ...(options.tls
      ? { cert: options.tls.cert, key: options.tls.key, minVersion: options.tlsMinVersion }
      : { hideSTARTTLS: true }),
    disabledCommands: options.tls ? NEVER_SUPPORTED : [...NEVER_SUPPORTED, 'STARTTLS'],
    banner: 'Inlet',
    size: options.maxMessageBytes,
    socketTimeout: options.idleTimeoutMs,
    closeTimeout: options.stopGraceMs,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    lenientAddressParsing: true, // senders such as `user.@docomo.ne.jp` write mail; recipients are judged by admitRecipient
    logger: false,
    onMailFrom: (_, session, callback) => {
      try {
        onMailFrom(session);
      } catch (error) {
        return refuse('mail', error, session, callback);
      }
      callback();
    },
    onRcptTo: (address, session, callback) => {
      onRcptTo(address, session).then(
        () => callback(),
        (error: unknown) => refuse('rcpt', error, session, callback),
      );
    },
    onData: (stream, session, callback) => {
      const ended = onData(stream, session).then(
        (message) => callback(null, message),
        (error: unknown) => refuse('data', error, session, callback),
      );
      void ended.finally(() => clients.get(session.id)?.afterData());
    },
    onClose: (session) => {
      guests.get(session)?.[Symbol.dispose]();
      clients.get(session.id)?.closed();
      clients.delete(session.id);
    },
  });
  server.on('error', (error) => log.info('smtp.client_failed', { error })); // broken connections and handshakes: the client's affair

  const welcome = (socket: Socket, peer: Peer) => {
    const address = peer.remoteAddress ?? socket.remoteAddress ?? '';
    let guest: Guest;
    try {
      guest = door.enter(address);
    } catch (error) {
      const reply = replyFor(error);
      log.info('connection.refused', { reply: reply.name, code: reply.code, remote_ip: address });
      return turnBack(socket, reply);
    }
    gatherReplies(socket);
    const client = openClient(server, socket, peer, options, () => isStopping, metrics.refused);
    guests.set(client.session, guest);
    clients.set(client.session.id, client);
    if (server.connections.size > options.maxConnections)
      (longestIdle(clients.values()) ?? client).dismiss(serverFull);
  };
  const turnBack = (socket: Socket, reply: SmtpReply) => {
    metrics.refused('connect', reply);
    turnAway(socket, reply);
  };
  const proxyDoor = createProxyDoor(
    {
      networks: options.proxyNetworks,
      timeoutMs: options.proxyTimeoutMs,
      maxWaiting: options.maxConnections,
    },
    welcome,
    turnBack,
    log,
  );
  // smtp-server's own listener knows the PROXY protocol by half, and shows nobody the connection that it makes
  server.server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    if (options.proxyNetworks.length === 0) welcome(socket, {});
    else void proxyDoor.enter(socket);
  });

  /** 421 to everyone who has no mail under way (RFC 5321 §3.8). */
  const dismissIdle = () => {
    for (const client of clients.values()) if (!client.isReceiving()) client.dismiss(shuttingDown);
  };

  const listener = server.listen(options.port, options.host);
  await once(listener, 'listening').catch((cause: unknown) => {
    throw new Error(`listen for SMTP on ${options.host}:${options.port}`, { cause });
  });
  return {
    port: (listener.address() as AddressInfo).port,
    openConnections: () => server.connections.size,
    useCertificate: ({ cert, key }) => server.updateSecureContext({ cert, key }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        isStopping = true;
        proxyDoor[Symbol.dispose]();
        server.close(() => resolve());
        dismissIdle();
      }),
  };
}

const PATIENCE_MS = 10_000; // with all connections taken; what Postfix does under stress

/** The client that has had most time for a mail and sends none: who only holds connections keeps nobody out. */
function longestIdle(clients: Iterable<Client>): Client | undefined {
  let [longest, since]: [Client | undefined, number] = [undefined, performance.now() - PATIENCE_MS];
  for (const client of clients) {
    const idleSince = client.idleSince() ?? Infinity;
    if (idleSince < since) [longest, since] = [client, idleSince];
  }
  return longest;
}

/** @throws when the work takes longer; it goes on, and the sender's next try is folded with it */
async function withinTime<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`no reply within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

const senderOf = ({ envelope: { mailFrom, smtpUtf8 } }: SMTPServerSession): string =>
  mailFrom === false ? '' : asSent(mailFrom.address, !smtpUtf8);

const isAscii = (line: Buffer) => line.every((byte) => byte < 0x80);

/** The library shows every domain in U-labels, also that of a client that has sent A-labels (RFC 6531 §3.2). */
function asSent(address: string, wasAscii: boolean): string {
  if (!wasAscii || isAscii(Buffer.from(address))) return address;
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${asciiDomain(domain) ?? domain}`; // A-labels of what is no host name stay as the library shows them
}
