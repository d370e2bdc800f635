/** The seam to smtp-server, in the protocol's own order: MAIL, RCPT, DATA. Nothing else knows that library. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerEnvelope, type SMTPServerSession } from 'smtp-server';

import type { Log } from '../adapters/log.ts';
import { asciiDomain } from '../core/email-address.ts';
import { messageTooBig, needsSmtpUtf8, replyFor, SmtpRefusal, type SmtpReply, tooManyRecipients } from '../core/smtp-reply.ts';
import { type ByteBudget, createByteBudget, createByteQueue } from './memory-budget.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { AcceptedRecipient, Receive } from './receive.ts';
import type { AdmitRecipient } from './recipient.ts';

export type SmtpOptions = {
  host: string;
  port: number;
  hostname: string | undefined;
  /** Certificate and key for STARTTLS; without them it is not offered: the library's own key is public. */
  tls: SecureContextOptions | undefined;
  maxMessageBytes: number;
  /** Bytes of mails that may be in memory between the start of DATA and its reply, over all connections. */
  maxBytesInMemory: number;
  /** Raw bytes that may be parsed and stored at once; a single larger mail goes alone. */
  maxBytesAtWork: number;
  maxRecipients: number;
  maxConnections: number;
  idleTimeoutMs: number;
  stopGraceMs: number;
};

export type SmtpHandlers = { admitRecipient: AdmitRecipient; receive: Receive; metrics: Pick<GatewayMetrics, 'refused' | 'accepted'> };

export type SmtpListener = AsyncDisposable & { port: number; openConnections(): number };

type Callback = (error?: Error | null, message?: string) => void;

export async function listenSmtp(options: SmtpOptions, { admitRecipient, receive, metrics }: SmtpHandlers, clock: () => Date, log: Log): Promise<SmtpListener> {
  /** What RCPT accepted, by the transaction that it belongs to. */
  const accepted = new WeakMap<SMTPServerEnvelope, Map<string, AcceptedRecipient>>();
  /** Sessions between DATA and the reply to its end. */
  const receiving = new Set<string>();
  let isStopping = false;
  const memory = createByteBudget(options.maxBytesInMemory);
  const atWork = createByteQueue(options.maxBytesAtWork);

  const refuse = (command: 'mail' | 'rcpt' | 'data', error: unknown, session: SMTPServerSession, callback: Callback) => {
    const reply = replyFor(error);
    metrics.refused(command, reply);
    const line = { command, reply: reply.name, code: reply.code, remote_ip: session.remoteAddress };
    if (error instanceof SmtpRefusal && error.cause === undefined) log.info('mail.refused', line);
    else log.error('mail.refused', { ...line, error });
    callback(libraryError(reply));
  };

  const onMailFrom = ({ address }: SMTPServerAddress, session: SMTPServerSession, callback: Callback) => {
    if (isAscii(localPart(address)) || session.envelope.smtpUtf8) return callback();
    refuse('mail', new SmtpRefusal(needsSmtpUtf8), session, callback);
  };

  const onRcptTo = async ({ address }: SMTPServerAddress, session: SMTPServerSession): Promise<void> => {
    if (!isAscii(localPart(address)) && !session.envelope.smtpUtf8) throw new SmtpRefusal(needsSmtpUtf8);
    if (session.envelope.rcptTo.length >= options.maxRecipients) throw new SmtpRefusal(tooManyRecipients);
    const named = asSent(address, session.envelope);
    const recipient = await admitRecipient(named);
    const recipients = accepted.get(session.envelope) ?? new Map<string, AcceptedRecipient>();
    accepted.set(session.envelope, recipients);
    if (!recipients.has(recipient.id)) recipients.set(recipient.id, { recipient, named });
  };

  const onData = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> => {
    using room = createRoom(memory);
    const raw = await readAll(stream, options.maxMessageBytes, room);
    const receivedAt = clock();
    return await atWork(raw.byteLength, () => takeIn(raw, session, receivedAt));
  };

  const takeIn = async (raw: Buffer, session: SMTPServerSession, receivedAt: Date): Promise<string> => {
    const { envelope } = session;
    const recipients = [...(accepted.get(envelope)?.values() ?? [])];
    const mailFrom = envelope.mailFrom === false ? '' : asSent(envelope.mailFrom.address, envelope);
    const eventIds = await receive({ raw, envelope: { mailFrom, heloDomain: session.hostNameAppearsAs, remoteIp: session.remoteAddress }, recipients, receivedAt });
    metrics.accepted(raw.byteLength);
    log.info('mail.accepted', { event_ids: eventIds, bytes: raw.byteLength, remote_ip: session.remoteAddress, secure: session.secure, ms: clock().getTime() - receivedAt.getTime() });
    return `OK: stored as ${eventIds[0]}${eventIds.length > 1 ? ` and ${eventIds.length - 1} more` : ''}`;
  };

  const server = new SMTPServer({
    ...(options.hostname !== undefined && { name: options.hostname }),
    ...(options.tls ?? { hideSTARTTLS: true }),
    disabledCommands: options.tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    banner: 'Inlet',
    size: options.maxMessageBytes,
    rejectOversized: true,
    maxClients: options.maxConnections,
    socketTimeout: options.idleTimeoutMs,
    closeTimeout: options.stopGraceMs,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    logger: false,
    onMailFrom,
    onRcptTo: (address, session, callback) => {
      onRcptTo(address, session).then(() => callback(), (error: unknown) => refuse('rcpt', error, session, callback));
    },
    onData: (stream, session, callback) => {
      receiving.add(session.id);
      const ended = onData(stream, session).then((message) => callback(null, message), (error: unknown) => refuse('data', error, session, callback));
      void ended.finally(() => {
        receiving.delete(session.id);
        if (isStopping) setImmediate(dismissIdle);
      });
    },
  });
  server.on('error', (error) => log.info('smtp.client_failed', { error })); // broken connections and handshakes: the client's affair

  /** 421 to everyone who has no mail under way (RFC 5321 §3.8). */
  const dismissIdle = () => {
    for (const connection of server.connections) if (!receiving.has(connection.session.id)) connection.send(421, 'Server shutting down');
  };

  server.server.on('connection', gatherReplies);
  const listener = server.listen(options.port, options.host);
  await once(listener, 'listening').catch((cause: unknown) => {
    throw new Error(`listen for SMTP on ${options.host}:${options.port}`, { cause });
  });
  return {
    port: (listener.address() as AddressInfo).port,
    openConnections: () => server.connections.size,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        isStopping = true;
        server.close(() => resolve());
        dismissIdle();
      }),
  };
}

/**
 * All of a message, dots unstuffed.
 * @throws SmtpRefusal beyond the limit or without room; the rest is read and dropped, so that the client hears the reply
 */
async function readAll(stream: SMTPServerDataStream, maxBytes: number, room: Room): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let refusal: unknown;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (refusal !== undefined) continue;
    try {
      if (stream.byteLength > maxBytes) throw new SmtpRefusal(messageTooBig);
      room.take(chunk.byteLength);
      chunks.push(chunk);
    } catch (error) {
      refusal = error;
      chunks.length = 0;
      room.clear();
    }
  }
  if (refusal !== undefined) throw refusal;
  return Buffer.concat(chunks);
}

/** What one mail holds of the memory budget, given back however its transaction ends. */
type Room = Disposable & { take(bytes: number): void; clear(): void };

function createRoom(memory: ByteBudget): Room {
  let taken = 0;
  const clear = () => {
    memory.give(taken);
    taken = 0;
  };
  return {
    take: (bytes) => {
      memory.take(bytes);
      taken += bytes;
    },
    clear,
    [Symbol.dispose]: clear,
  };
}

/** The replies to pipelined commands go out together (RFC 2920 §3.2), for one system call instead of one each. */
function gatherReplies(socket: Socket): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]): boolean => {
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    return write(...args);
  };
}

/** smtp-server puts an enhanced code of its own before the text, from a table of codes; a code that is not in it leaves ours alone. */
function libraryError({ code, enhanced, text }: SmtpReply): Error {
  return Object.assign(new Error(text), { responseCode: `${code} ${enhanced}` });
}

// eslint-disable-next-line no-control-regex
const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text);
const localPart = (address: string) => address.slice(0, address.lastIndexOf('@'));

/** The library shows every domain in U-labels. Without SMTPUTF8 the client has sent A-labels (RFC 6531 §3.2). */
function asSent(address: string, { smtpUtf8 }: SMTPServerEnvelope): string {
  if (smtpUtf8 || isAscii(address)) return address;
  const local = localPart(address);
  return `${local}@${asciiDomain(address.slice(local.length + 1)) ?? ''}`;
}
