/**
 * One client: smtp-server's connection, with what the library lacks. Bad lines are refused before
 * it sees them (core/smtp/command-line.ts), every refusal is counted, and each email has a
 * deadline.
 */
import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerSession } from 'smtp-server';

import { commandOf, lineRefusal } from '../../core/smtp/command-line.ts';
import { withQuotedLocalParts } from '../../core/smtp/quoted-local-part.ts';
import {
  libraryReply,
  lineTooLong,
  shuttingDown,
  type SmtpReply,
  timedOut,
  tooManyErrors,
  unknownCommand,
} from '../../core/smtp/smtp-reply.ts';
import type { CountRefused, RefusedCommand } from '../process/metrics.ts';
import { ClientGone } from '../receive/received-mail.ts';
import {
  createConnection,
  isClosing,
  isGreeted,
  isOwnReply,
  isSupported,
  isUpgrading,
  libraryCode,
  type PeerAddresses,
  setIdleTimeout,
  startGreeting,
  wrapAddressParser,
  wrapParsers,
  wrapSend,
} from './library.ts';
import { inspectLines, readDotsExactly } from './parser.ts';

export type ClientOptions = {
  /** The client speaks LMTP (RFC 2033): LHLO takes the place of EHLO. */
  isLmtp: boolean;
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
  /** The current command as the client sent it, without its line end. */
  command(): Buffer;
  /** DATA has begun. */
  startData(): void;
  /** The last byte of the email has arrived. */
  endData(): void;
  /** DATA has its reply. */
  finishData(): void;
  /** Whether the client is within DATA, or waits for its reply. */
  isReceiving(): boolean;
  /**
   * Since when an idle client could have sent an email (`performance.now`); undefined for a client
   * that sends one or is leaving.
   */
  idleSince(): number | undefined;
  /** Sends a 421 and closes the connection. */
  dismiss(reply: SmtpReply): void;
  /** The connection has closed. */
  markGone(): void;
  /** Aborted when the connection has closed. Its reason is a ClientGone. */
  gone: AbortSignal;
};

const MAX_BAD_LINES = 10;
const LABELS: Record<string, RefusedCommand> = { MAIL: 'mail', RCPT: 'rcpt', DATA: 'data' };

const isLhlo = (verb: string): boolean => verb.toUpperCase() === 'LHLO';

/** Starts a connection; the greeting follows. */
export function openClient(
  server: SMTPServer,
  socket: Socket,
  peer: PeerAddresses,
  options: ClientOptions,
  isStopping: () => boolean,
  countRefused: CountRefused,
): Client {
  const connection = createConnection(server, socket, peer);
  let command: Buffer = Buffer.alloc(0);
  let isReceiving = false;
  let badLines = 0;

  const count = (reply: SmtpReply) =>
    countRefused(
      isGreeted(connection) ? (LABELS[commandOf(command)] ?? 'other') : 'connect',
      reply,
    );
  const sendUncounted = wrapSend(connection, (send) => (code, text, context) => {
    if (isClosing(connection)) return;
    if (isOwnReply(code) && code >= 400)
      // `refuse` in server.ts has counted ours
      count(code === 421 && isStopping() ? shuttingDown : libraryReply(code));
    send(code, text, context);
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
      isStopping: isStopping(),
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
      connection.close();
    });
    readDotsExactly(parser);
    inspectLines(parser, (line, endsWithCrlf, execute, next) => {
      command = line;
      const reply = isUpgrading(connection) ? undefined : refusalOfLine(line, endsWithCrlf);
      if (reply === undefined) return execute();
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
    session: connection.session,
    command: () => command,
    startData: () => {
      isReceiving = true;
      setIdleTimeout(connection, options.dataTimeoutMs);
    },
    endData: stopClock,
    finishData: () => {
      isReceiving = false;
      setIdleTimeout(connection, options.idleTimeoutMs);
      badLines = 0;
      if (isStopping()) setImmediate(dismiss, shuttingDown);
      else startClock();
    },
    isReceiving: () => isReceiving,
    idleSince: () => (isReceiving || isClosing(connection) ? undefined : clockStartedAt),
    dismiss,
    markGone: () => {
      stopClock();
      gone.abort(new ClientGone());
    },
    gone: gone.signal,
  };
}

/** The error by which a handler makes smtp-server send this reply. */
export function replyError({ code, enhanced, text }: SmtpReply): Error {
  return Object.assign(new Error(text), { responseCode: libraryCode(code, enhanced) });
}
