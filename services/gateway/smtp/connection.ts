/**
 * One client: smtp-server's connection, with what the library lacks. Bad lines are refused before
 * it sees them (core/smtp/command-line.ts), every refusal is counted, each email has a deadline, and
 * the end has a record. Words of the library are replaced by ours.
 */
import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerSession } from 'smtp-server';

import type { TlsPair } from '../../adapters/tls/tls-files.ts';
import { sourceNetwork } from '../../core/network/network.ts';
import { commandOf, lineRefusal } from '../../core/smtp/command-line.ts';
import { withQuotedLocalParts } from '../../core/smtp/quoted-local-part.ts';
import { libraryReply } from '../../core/smtp/library-reply.ts';
import {
  lineTooLong,
  shuttingDown,
  type SmtpReply,
  timedOut,
  tooManyErrors,
  unknownCommand,
} from '../../core/smtp/smtp-reply.ts';
import type { RefusedCommand } from '../process/metrics.ts';
import { ClientGone } from '../receive/received-mail.ts';
import type { EndedConnection } from './connection-log.ts';
import { createConnectionRecord } from './connection-record.ts';
import {
  createConnection,
  isClosed,
  isClosing,
  isGreeted,
  isOwnReply,
  isSupported,
  isUpgrading,
  libraryCode,
  peerAddress,
  type PeerAddresses,
  setIdleTimeout,
  startGreeting,
  wrapAddressParser,
  wrapParsers,
  wrapSend,
  wrapWrite,
} from './library.ts';
import { inspectLines, readDotsExactly } from './parser.ts';

export type ClientOptions = {
  /** The client speaks LMTP (RFC 2033): LHLO takes the place of EHLO. */
  isLmtp: boolean;
  /** Undefined where STARTTLS is not offered. */
  tls: TlsPair | undefined;
  requiresTls: boolean;
  /** Longest silence between commands. */
  idleTimeoutMs: number;
  /** Longest silence within an email. */
  dataTimeoutMs: number;
  /** Longest time for one email in all, from the greeting or the end of the previous email. */
  mailTimeoutMs: number;
};

export type Client = {
  session: SMTPServerSession;
  /** What limits of a source count: an IPv4 address, or the /64 of an IPv6 address. */
  network: string;
  /** The current command as the client sent it, without its line end. */
  command(): Buffer;
  /** DATA has begun. */
  startData(): void;
  /** The last byte of the email has arrived. */
  endData(): void;
  /** DATA has its reply. */
  finishData(): void;
  /** Whether the client has sent an email, and has not begun another one. */
  isBetweenEmails(): boolean;
  /**
   * Since when an idle client could have sent an email (`performance.now`); undefined for a client
   * that sends one or is leaving.
   */
  idleSince(): number | undefined;
  /** Sends a 421 and closes the connection. */
  dismiss(reply: SmtpReply): void;
  /** Its handshake has ended. @param protocol such as `TLSv1.3` */
  markSecure(protocol: string | null): void;
  /** What became of its emails. */
  emails: { accepted: number; refused: number };
  /** The connection has closed. */
  markGone(): EndedConnection;
  /** Aborted when the connection has closed. Its reason is a ClientGone. */
  gone: AbortSignal;
};

const MAX_BAD_LINES = 10;
/** Then the commands of other clients have their turn: one packet may hold hundreds. */
const COMMANDS_IN_A_TURN = 16;
const LABELS: Record<string, RefusedCommand> = { MAIL: 'mail', RCPT: 'rcpt', DATA: 'data' };

/** Where the library chats, or names a page. */
const WORDS: Partial<Record<number, string>> = {
  214: 'Commands: EHLO, HELO, STARTTLS, MAIL, RCPT, DATA, RSET, NOOP, QUIT',
  252: 'Send an email: addresses are checked at RCPT',
};

const isLhlo = (verb: string): boolean => verb.toUpperCase() === 'LHLO';

/**
 * Starts a connection; the greeting follows.
 * @param onRefused is called for every reply that no handler of server.ts gives, with the line
 */
export function openClient(
  server: SMTPServer,
  socket: Socket,
  peer: PeerAddresses,
  options: ClientOptions,
  isStopping: () => boolean,
  onRefused: (command: RefusedCommand, reply: SmtpReply, line: Buffer) => void,
): Client {
  const connection = createConnection(server, socket, peer);
  const { session } = connection;
  const record = createConnectionRecord(connection, session, options.tls !== undefined);
  let command: Buffer = Buffer.alloc(0);
  let isReceiving = false;
  let hasSent = false;
  let badLines = 0;
  let commands = 0;

  const count = (reply: SmtpReply) => {
    const label = isGreeted(connection) ? (LABELS[commandOf(command)] ?? 'other') : 'connect';
    record.refused(reply);
    onRefused(label, reply, command);
  };
  const sendUncounted = wrapSend(connection, (send) => (code, text, context) => {
    if (isClosing(connection)) return;
    if (!isOwnReply(code)) return send(code, text, context); // `refuse` in server.ts has counted it
    if (code < 400) {
      if (code === 221) record.quit();
      return send(code, WORDS[code] ?? text, context);
    }
    const reply = code === 421 && isStopping() ? shuttingDown : libraryReply(code);
    count(reply);
    send(code, reply.text, context);
  });
  const dismiss = (reply: SmtpReply) => {
    count(reply);
    sendUncounted(libraryCode(reply.code, reply.enhanced), reply.text);
    if (reply.code === 421) connection.close();
  };

  const refusalOfLine = (line: Buffer, endsWithCrlf: boolean): SmtpReply | undefined => {
    const facts = {
      line,
      endsWithCrlf,
      isGreeted: isGreeted(connection),
      isSecure: connection.secure,
      requiresTls: options.requiresTls,
    };
    const [verb = ''] = line.toString().split(' ', 1);
    const reply =
      lineRefusal(facts) ??
      (isSupported(connection, options.isLmtp && isLhlo(verb) ? 'EHLO' : verb)
        ? undefined
        : unknownCommand);
    if (reply === undefined) return undefined;
    badLines += 1;
    return badLines < MAX_BAD_LINES ? reply : tooManyErrors;
  };
  wrapParsers(connection, (parser) => {
    parser.prependListener('error', () => {
      dismiss(lineTooLong); // longer than the parser can hold
      record.endedBy(lineTooLong);
      connection.close();
    });
    readDotsExactly(parser);
    wrapWrite(parser, record.heard);
    inspectLines(parser, (line, endsWithCrlf, execute, next) => {
      if (isUpgrading(connection)) return execute(); // which drops it
      command = line;
      record.command(line);
      const reply = refusalOfLine(line, endsWithCrlf);
      if (reply === undefined) {
        commands += 1;
        return commands % COMMANDS_IN_A_TURN === 0 ? void setImmediate(execute) : execute();
      }
      dismiss(reply);
      if (reply.code !== 421) setImmediate(next);
    });
    return parser;
  });
  wrapAddressParser(connection, withQuotedLocalParts);

  let deadline: NodeJS.Timeout | undefined;
  let clockStartedAt = 0;
  const startClock = () => {
    clearTimeout(deadline);
    clockStartedAt = performance.now();
    deadline = setTimeout(() => dismiss(timedOut), options.mailTimeoutMs).unref();
  };
  const stopClock = () => clearTimeout(deadline);
  startClock();
  const gone = new AbortController();

  startGreeting(connection);
  return {
    session,
    network: sourceNetwork(peerAddress(connection)),
    command: () => command,
    startData: () => {
      isReceiving = true;
      setIdleTimeout(connection, options.dataTimeoutMs);
    },
    endData: stopClock,
    finishData: () => {
      if (isClosed(connection)) return;
      isReceiving = false;
      hasSent = true;
      setIdleTimeout(connection, options.idleTimeoutMs);
      badLines = 0;
      if (isStopping()) setImmediate(dismiss, shuttingDown);
      else startClock();
    },
    isBetweenEmails: () => hasSent && !isReceiving && !session.envelope?.mailFrom,
    idleSince: () => (isReceiving || isClosing(connection) ? undefined : clockStartedAt),
    dismiss,
    markSecure: record.secured,
    emails: record.emails,
    markGone: () => {
      stopClock();
      gone.abort(new ClientGone());
      return record.end(isReceiving);
    },
    gone: gone.signal,
  };
}

/** The error by which a handler makes smtp-server send this reply. */
export function replyError({ code, enhanced, text }: SmtpReply): Error {
  return Object.assign(new Error(text), { responseCode: libraryCode(code, enhanced) });
}
