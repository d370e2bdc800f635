/**
 * Every member of smtp-server that its documentation does not promise: what it is, and why the
 * gateway needs it. No other file uses one. test/gateway/smtp/library.test.ts checks that the
 * installed version still has them all.
 */
import type { Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

/** One client in smtp-server. */
export type LibraryConnection = SMTPConnection;
/** Cuts a client's bytes into commands, and the bytes after DATA into an email. */
export type LibraryParser = SMTPStream;
export type PeerAddresses = SMTPConnectionOptions;

// SMTPServer

/**
 * `server.server`, the TCP listener. smtp-server reads only version 1 of PROXY headers and hides
 * its connections; ours does neither.
 */
export function onSocket(server: SMTPServer, accept: (socket: Socket) => void): void {
  server.server.removeAllListeners('connection').on('connection', accept);
}

/** `server.server` again: it closes sockets above this number as they arrive, without a reply. */
export function limitSockets(
  server: SMTPServer,
  max: number,
  onDrop: (remoteAddress: string) => void,
): void {
  server.server.maxConnections = max;
  server.server.on('drop', (dropped) => onDrop(dropped?.remoteAddress ?? ''));
}

/**
 * `server.connections`, the set of open connections. Its size is the number that MAX_CONNECTIONS
 * limits.
 */
export const openConnections = (server: SMTPServer): number => server.connections.size;

// SMTPConnection

/**
 * The constructor of `SMTPConnection`, and `server.connections` again: what SMTPServer.connect
 * does. We need the connection itself, with the addresses of a PROXY header. The greeting waits for
 * `startGreeting`.
 */
export function createConnection(
  server: SMTPServer,
  socket: Socket,
  peer: PeerAddresses,
): LibraryConnection {
  const connection = new SMTPConnection(server, socket, peer);
  server.connections.add(connection);
  connection.on('error', () => undefined); // `onSocketError` has all of them
  return connection;
}

/** `init`: listens to the socket, and greets the client after 100 ms. */
export const startGreeting = (connection: LibraryConnection): void => connection.init();

/**
 * `_ready`: whether the client has been greeted. A command before that is refused (RFC 5321 §3.1).
 */
export const isGreeted = (connection: LibraryConnection): boolean => connection._ready;

/**
 * `_closing`: whether the connection is being closed. After the last reply no other one may follow.
 */
export const isClosing = (connection: LibraryConnection): boolean => connection._closing;

/**
 * `_closed`: whether the connection has closed. What its DATA still does concerns nobody any more.
 */
export const isClosed = (connection: LibraryConnection): boolean => connection._closed;

/**
 * `_onError` gets every error of the socket, and those of a TLS handshake. The event `error` lacks
 * the resets, which end most handshakes that fail.
 */
export function onSocketError(
  connection: LibraryConnection,
  note: (error: Error & { code?: string; reason?: string }) => void,
): void {
  const handle = connection._onError.bind(connection);
  connection._onError = (error) => {
    note(error);
    handle(error);
  };
}

/**
 * `_originalRemoteAddress`: of the connection. For a relay that names its clients by XFORWARD, the
 * session has theirs.
 */
export const peerAddress = (connection: LibraryConnection): string =>
  connection._originalRemoteAddress;

/**
 * `_upgrading`: whether a TLS handshake is in progress. Lines in plain text are then dropped
 * without a reply (RFC 3207 §4.2).
 */
export const isUpgrading = (connection: LibraryConnection): boolean => connection._upgrading;

/**
 * `_isSupported`: whether smtp-server handles a command. Others get our reply, and count as errors
 * of the client.
 */
export const isSupported = (connection: LibraryConnection, command: string): boolean =>
  connection._isSupported(command);

/**
 * `_socket`: the socket, another one after STARTTLS. Its timeout is longer between commands than
 * within DATA.
 */
export function setIdleTimeout(connection: LibraryConnection, timeoutMs: number): void {
  connection._socket.setTimeout(timeoutMs);
}

type Send = LibraryConnection['send'];

/**
 * `send` writes every reply. Wrapped to count those that smtp-server gives itself. Returns the
 * original.
 */
export function wrapSend(connection: LibraryConnection, wrap: (send: Send) => Send): Send {
  const send = connection.send.bind(connection);
  connection.send = wrap(send);
  return send;
}

/**
 * `_parser`, which has been made, and `_createParser`, which makes another one after STARTTLS: both
 * read commands, so both are wrapped.
 */
export function wrapParsers(
  connection: LibraryConnection,
  wrap: (parser: LibraryParser) => LibraryParser,
): void {
  const createParser = connection._createParser.bind(connection);
  connection._createParser = () => wrap(createParser());
  if (connection._parser) wrap(connection._parser);
}

type ParseAddress = (
  name: string,
  command: string,
) => ReturnType<LibraryConnection['_parseAddressCommand']>;

/**
 * `_parseAddressCommand` reads the path and parameters of MAIL and RCPT. It does not know quoted
 * local parts.
 */
export function wrapAddressParser(
  connection: LibraryConnection,
  wrap: (parse: ParseAddress) => ParseAddress,
): void {
  const parse = wrap(connection._parseAddressCommand.bind(connection));
  connection._parseAddressCommand = (name, command) => parse(name, command.toString());
}

// SMTPStream, the parser

/** `_write` receives every chunk from the socket. We need the bytes to see how a line ended. */
export function wrapWrite(parser: LibraryParser, onChunk: (chunk: Buffer) => void): void {
  const write = parser._write.bind(parser);
  parser._write = (chunk, encoding, next) => {
    onChunk(chunk);
    write(chunk, encoding, next);
  };
}

/**
 * `oncommand` receives every line, without its end. Without `next`, it is the rest of a connection
 * that ended within a line.
 */
export function wrapOnCommand(
  parser: LibraryParser,
  wrap: (execute: LibraryParser['oncommand']) => LibraryParser['oncommand'],
): void {
  parser.oncommand = wrap(parser.oncommand.bind(parser));
}

/** `_dataMode`: whether the bytes belong to an email. They are not lines then. */
export const isInData = (parser: LibraryParser): boolean => parser._dataMode;

/** `startDataMode` is called for each DATA. Each email needs a new unstuffer. */
export function beforeData(parser: LibraryParser, prepare: () => void): void {
  const startDataMode = parser.startDataMode.bind(parser);
  parser.startDataMode = (maxBytes) => {
    prepare();
    return startDataMode(maxBytes);
  };
}

/**
 * `_feedDataStream` reads a chunk of an email. smtp-server's takes a bare LF before a dot for a
 * line end; this replaces it.
 */
export function replaceDataReader(
  parser: LibraryParser,
  read: (chunk: Buffer, done: () => void) => void,
): void {
  parser._feedDataStream = read;
}

/** `_dataStream`: the stream that the handler of DATA reads. The replaced reader writes to it. */
export const dataStreamOf = (parser: LibraryParser): LibraryParser['_dataStream'] =>
  parser._dataStream;

/**
 * `_countDataBytes` keeps the `byteLength` of that stream, which the size limit is checked against.
 */
export function countDataBytes(parser: LibraryParser, bytes: number): void {
  parser._countDataBytes(bytes);
}

/** `_endDataMode` ends that stream, and reads `rest` as commands once DATA has its reply. */
export function endData(parser: LibraryParser, rest: Buffer, done: () => void): void {
  parser._endDataMode(false, rest, done);
}

// Replies

/**
 * smtp-server looks up an enhanced code by the reply code, as a number, and writes it before the
 * text. A code that is not in its table is written as it is. So `550 5.1.1`, as the code, keeps our
 * own enhanced code.
 */
export const libraryCode = (code: number, enhanced: string): number =>
  `${code} ${enhanced}` as unknown as number;

/** Whether smtp-server chose a reply itself: ours have an enhanced code in their code. */
export const isOwnReply = (code: unknown): code is number => typeof code === 'number';

/**
 * `code` of the error on the DATA stream of a client that disconnected before the end of its email.
 */
export const isDisconnect = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'ECONNECTION';
