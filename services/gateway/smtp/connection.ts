/**
 * One client: smtp-server's connection, with what the library leaves open. Lines that must not be acted upon are refused before it sees them
 * (core/smtp/command-line.ts), every refusal is counted, and no client may take for ever over a mail.
 */
import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerSession } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

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
import type { CountRefused, RefusedCommand } from '../metrics.ts';
import { withExactDots, withLineEnds } from './parser.ts';

export type ClientOptions = {
  requiresTls: boolean;
  /** Silence between commands, and in the midst of a mail. */
  idleTimeoutMs: number;
  dataTimeoutMs: number;
  /** From the greeting, or the end of the mail before, to the end of a mail: a byte now and then keeps no connection. */
  mailTimeoutMs: number;
};

export type Client = {
  session: SMTPServerSession;
  /** The command that is being answered, as sent, without its line end. */
  command(): Buffer;
  /** Between DATA and its reply. */
  startData(): void;
  endOfData(): void;
  afterData(): void;
  isReceiving(): boolean;
  /** When its time for a mail began (`performance.now`), of a client that sends none; undefined of others, and of one that is leaving. */
  idleSince(): number | undefined;
  /** 421, and no more. */
  dismiss(reply: SmtpReply): void;
  closed(): void;
};

const MAX_BAD_LINES = 10;
const LABELS: Record<string, RefusedCommand> = { MAIL: 'mail', RCPT: 'rcpt', DATA: 'data' };

/** Takes up a connection: the greeting follows. */
export function openClient(
  server: SMTPServer,
  socket: Socket,
  peer: SMTPConnectionOptions,
  options: ClientOptions,
  isStopping: () => boolean,
  countRefused: CountRefused,
): Client {
  const connection = new SMTPConnection(server, socket, peer);
  let command: Buffer = Buffer.alloc(0);
  let isReceiving = false;
  let badLines = 0;

  const count = (reply: SmtpReply) =>
    countRefused(connection._ready ? (LABELS[commandOf(command)] ?? 'other') : 'connect', reply);
  const send = connection.send.bind(connection);
  const answer = (reply: SmtpReply) => {
    send(...libraryCode(reply));
    if (reply.code === 421) connection.close();
  };
  connection.send = (code, text, context) => {
    if (connection._closing) return;
    if (isPlainCode(code) && code >= 400)
      count(code === 421 && isStopping() ? shuttingDown : libraryReply(code)); // ours have been counted, and carry their enhanced code
    send(code, text, context);
  };
  const dismiss = (reply: SmtpReply) => {
    count(reply);
    answer(reply);
  };

  const inspectLine = (line: Buffer, endsWithCrlf: boolean): SmtpReply | undefined => {
    const facts = {
      line,
      endsWithCrlf,
      isGreeted: connection._ready,
      isSecure: connection.secure,
      requiresTls: options.requiresTls,
      isStopping: isStopping(),
    };
    const reply =
      lineRefusal(facts) ??
      (connection._isSupported(line.toString().split(' ', 1)[0] ?? '')
        ? undefined
        : unknownCommand);
    if (reply === undefined) return undefined;
    badLines += 1;
    return badLines < MAX_BAD_LINES ? reply : tooManyErrors;
  };
  const inspected = (parser: SMTPStream): SMTPStream => {
    parser.prependListener('error', () => {
      dismiss(lineTooLong); // one that never ends
      connection.close();
    });
    return withLineEnds(withExactDots(parser), (line, endsWithCrlf, obey, next) => {
      command = line;
      const reply = connection._upgrading ? undefined : inspectLine(line, endsWithCrlf);
      if (reply === undefined) return obey();
      dismiss(reply);
      if (reply.code !== 421) setImmediate(next);
    });
  };
  const createParser = connection._createParser.bind(connection);
  connection._createParser = () => inspected(createParser()); // another one after STARTTLS
  if (connection._parser) inspected(connection._parser);

  const parseAddressCommand = withQuotedLocalParts(
    connection._parseAddressCommand.bind(connection),
  );
  connection._parseAddressCommand = (name, line) => parseAddressCommand(name, line.toString());

  let deadline: NodeJS.Timeout | undefined;
  let clockStartedAt = 0;
  const startClock = () => {
    clearTimeout(deadline);
    clockStartedAt = performance.now();
    deadline = setTimeout(() => dismiss(timedOut), options.mailTimeoutMs).unref();
  };
  startClock();

  server.connections.add(connection);
  connection.on('error', (error: Error) => server.emit('error', error));
  connection.init();
  return {
    session: connection.session,
    command: () => command,
    startData: () => {
      isReceiving = true;
      connection._socket.setTimeout(options.dataTimeoutMs);
    },
    endOfData: () => clearTimeout(deadline),
    afterData: () => {
      isReceiving = false;
      connection._socket.setTimeout(options.idleTimeoutMs);
      badLines = 0;
      if (isStopping()) setImmediate(dismiss, shuttingDown);
      else startClock();
    },
    isReceiving: () => isReceiving,
    idleSince: () => (isReceiving || connection._closing ? undefined : clockStartedAt),
    dismiss,
    closed: () => clearTimeout(deadline),
  };
}

/** smtp-server puts an enhanced code of its own before the text, from a table of codes; a code that is not in it leaves ours alone. */
const libraryCode = ({ code, enhanced, text }: SmtpReply) =>
  [`${code} ${enhanced}` as unknown as number, text] as const;
const isPlainCode = (code: unknown): code is number => typeof code === 'number';

/** For the callback of a handler. */
export function libraryError(reply: SmtpReply): Error {
  const [responseCode, text] = libraryCode(reply);
  return Object.assign(new Error(text), { responseCode });
}
