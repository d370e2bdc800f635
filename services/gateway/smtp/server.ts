/**
 * The SMTP listener, and that for LMTP (RFC 2033): accepts connections, gives each command to its
 * handler and each failure its reply.
 */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureVersion } from 'node:tls';
import { SMTPServer, type SMTPServerDataResult, type SMTPServerSession } from 'smtp-server';

import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { TlsPair } from '../../adapters/tls/tls-files.ts';
import { isInNetworks } from '../../core/network/network.ts';
import {
  notTrusted,
  replyFor,
  serverFull,
  shuttingDown,
  SmtpRefusal,
  type SmtpReply,
  tryLater,
} from '../../core/smtp/smtp-reply.ts';
import { repliesByRcpt, storedText } from '../../core/smtp/stored-reply.ts';
import type { GatewayMetrics, RefusedCommand } from '../process/metrics.ts';
import type { CheckConnection, ConnectionPolicy } from '../policy/connection-check.ts';
import type { TraceAccepted } from '../receive/accept-trace.ts';
import { ClientGone, type Receive } from '../receive/received-mail.ts';
import { type Client, type ClientOptions, replyError, openClient } from './connection.ts';
import { isDisconnect, limitSockets, onSocket, openConnections } from './library.ts';
import { createProxyListener, type Peer } from './proxy-socket.ts';
import { corkReplies, endWithReply } from './socket.ts';
import {
  createTransactions,
  type DataReplies,
  type Sender,
  type TransactionOptions,
} from './transaction.ts';

type SmtpOptions = Omit<ClientOptions & TransactionOptions, 'isLmtp'> & {
  host: string;
  port: number;
  /**
   * Certificate and key for STARTTLS. Without them it is not offered: the library's own key is
   * public.
   */
  tls: TlsPair | undefined;
  tlsMinVersion: SecureVersion;
  /**
   * Connections from here begin with a PROXY header; if there are any, all others are refused.
   */
  proxyNetworks: readonly string[];
  proxyTimeoutMs: number;
  /**
   * Speaks LMTP, only to clients in these networks. They say who sent an email (XFORWARD), and
   * send no PROXY header.
   */
  lmtpNetworks: readonly string[] | undefined;
  maxConnections: number;
  stopGraceMs: number;
};

type SmtpHandlers = {
  checkConnection: CheckConnection;
  receive: Receive;
  metrics: Pick<GatewayMetrics, 'refused' | 'accepted' | 'abandoned' | 'bareLineEnds'>;
  /** undefined when tracing is off. */
  traceAccepted: TraceAccepted | undefined;
};

export type SmtpListener = AsyncDisposable & {
  port: number;
  openConnections(): number;
  /** New connections use it; open ones keep their certificate. */
  useCertificate: (pair: TlsPair) => void;
};

type Callback = (error?: Error | null) => void;
type DataCallback = (error?: Error | null, message?: string | SMTPServerDataResult[]) => void;

/**
 * In addition to those that MAX_CONNECTIONS counts, as many may wait for their PROXY header, and as many have
 * had their last reply and are closing.
 */
const SOCKETS_PER_CONNECTION = 3;

const NEVER_SUPPORTED = ['AUTH', 'XCLIENT', 'WIZ', 'SHELL', 'KILL'];

export async function listenSmtp(
  options: SmtpOptions,
  { checkConnection, receive, metrics, traceAccepted }: SmtpHandlers,
  clock: () => Date,
  log: Log,
): Promise<SmtpListener> {
  const interruptions = createInterruptionLog(log);
  const clients = new Set<Client>();
  const senders = new WeakMap<SMTPServerSession, Sender>();
  const { tls, lmtpNetworks } = options;
  const isLmtp = lmtpNetworks !== undefined;
  const ofProtocol = { ...options, isLmtp };
  let isStopping = false;

  const senderAt = (session: SMTPServerSession): Sender => {
    const sender = senders.get(session);
    if (sender === undefined) throw new Error('command of an unknown connection');
    return sender;
  };
  const transactions = createTransactions(
    ofProtocol,
    senderAt,
    receive,
    metrics,
    traceAccepted,
    clock,
    log,
  );

  const refuse = (
    command: RefusedCommand,
    error: unknown,
    session: SMTPServerSession,
    callback: Callback,
  ) => {
    if (isDisconnect(error) || error instanceof ClientGone) {
      metrics.abandoned();
      log.info('mail.abandoned', { remote_ip: session.remoteAddress });
      return callback(replyError(tryLater)); // the client has left and does not see it
    }
    const reply = replyFor(error);
    metrics.refused(command, reply);
    const line = { command, reply: reply.name, code: reply.code, remote_ip: session.remoteAddress };
    const isPlanned = error instanceof SmtpRefusal && error.cause === undefined;
    if (isPlanned || !interruptions.report('error', 'mail.refused', { ...line, error }))
      log.info('mail.refused', line);
    callback(replyError(reply));
  };
  /** LMTP has a reply for each accepted RCPT (RFC 2033 §4.2). */
  const refuseData = (error: unknown, session: SMTPServerSession, callback: DataCallback) =>
    refuse('data', error, session, (refusal) => {
      if (!isLmtp || !refusal) return callback(refusal);
      callback(
        null,
        transactions.acceptedRcpts(session).map(() => refusal),
      );
    });

  /** One for each accepted RCPT, in their order. */
  const repliesOf = ({ events, refused }: DataReplies, session: SMTPServerSession) => {
    for (const { reply } of refused)
      refuse('data', new SmtpRefusal(reply), session, () => undefined);
    return repliesByRcpt(events, refused, transactions.acceptedRcpts(session)).map((one) =>
      typeof one === 'string' ? one : replyError(one),
    );
  };

  const server = new SMTPServer({
    name: options.hostname,
    lmtp: isLmtp,
    useXForward: isLmtp,
    ...(tls
      ? { cert: tls.cert, key: tls.key, minVersion: options.tlsMinVersion }
      : { hideSTARTTLS: true }),
    disabledCommands: [
      ...NEVER_SUPPORTED,
      ...(isLmtp ? [] : ['XFORWARD']),
      ...(tls ? [] : ['STARTTLS']),
    ],
    banner: 'Inlet',
    size: options.maxMessageBytes,
    socketTimeout: options.idleTimeoutMs,
    closeTimeout: options.stopGraceMs,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    lenientAddressParsing: true, // senders such as `user.@docomo.ne.jp` exist
    logger: false,
    onMailFrom: (_, session, callback) => {
      try {
        transactions.startMail(session);
      } catch (error) {
        return refuse('mail', error, session, callback);
      }
      callback();
    },
    onRcptTo: (address, session, callback) => {
      transactions.addRecipient(address, session).then(
        () => callback(),
        (error: unknown) => refuse('rcpt', error, session, callback),
      );
    },
    onData: (stream, session, callback) => {
      const ended = transactions.receiveData(stream, session).then(
        (replies) =>
          callback(null, isLmtp ? repliesOf(replies, session) : storedText(replies.events)),
        (error: unknown) => refuseData(error, session, callback),
      );
      void ended.finally(() => {
        const { client } = senderAt(session);
        if (clients.has(client)) client.finishData();
      });
    },
    onClose: (session) => {
      const { client, policy } = senderAt(session);
      policy[Symbol.dispose]();
      client.markGone();
      clients.delete(client);
    },
  });
  // broken connections and failed handshakes
  server.on('error', (error) => log.info('smtp.client_failed', { error }));

  const acceptClient = (socket: Socket, peer: Peer) => {
    const address = peer.remoteAddress ?? socket.remoteAddress ?? '';
    let policy: ConnectionPolicy;
    try {
      policy = checkConnection(address);
    } catch (error) {
      const reply = replyFor(error);
      log.info('connection.refused', { reply: reply.name, code: reply.code, remote_ip: address });
      return refuseSocket(socket, reply);
    }
    corkReplies(socket);
    const client = openClient(server, socket, peer, ofProtocol, () => isStopping, metrics.refused);
    senders.set(client.session, { client, policy });
    clients.add(client);
    if (openConnections(server) > options.maxConnections)
      (longestIdle(clients) ?? client).dismiss(serverFull);
  };
  const refuseSocket = (socket: Socket, reply: SmtpReply) => {
    metrics.refused('connect', reply);
    endWithReply(socket, reply);
  };
  const proxyListener = createProxyListener(
    {
      networks: options.proxyNetworks,
      timeoutMs: options.proxyTimeoutMs,
      maxWaiting: options.maxConnections,
    },
    acceptClient,
    refuseSocket,
    log,
  );
  limitSockets(server, SOCKETS_PER_CONNECTION * options.maxConnections);
  onSocket(server, (socket) => {
    if (lmtpNetworks)
      if (isInNetworks(socket.remoteAddress ?? '', lmtpNetworks)) acceptClient(socket, {});
      else refuseSocket(socket, notTrusted);
    else if (options.proxyNetworks.length === 0) acceptClient(socket, {});
    else void proxyListener.onProxySocket(socket);
  });

  /** 421 to every client that is not sending an email (RFC 5321 §3.8). */
  const dismissIdle = () => {
    for (const client of clients) if (!client.isReceiving()) client.dismiss(shuttingDown);
  };

  const listener = server.listen(options.port, options.host);
  await once(listener, 'listening').catch((cause: unknown) => {
    throw new Error(`listen for ${isLmtp ? 'LMTP' : 'SMTP'} on ${options.host}:${options.port}`, {
      cause,
    });
  });
  return {
    port: (listener.address() as AddressInfo).port,
    openConnections: () => openConnections(server),
    useCertificate: ({ cert, key }) => server.updateSecureContext({ cert, key }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        isStopping = true;
        proxyListener[Symbol.dispose]();
        server.close(() => {
          interruptions[Symbol.dispose]();
          resolve();
        });
        dismissIdle();
      }),
  };
}

// before a full server dismisses an idle client; Postfix waits as long under stress
const MIN_IDLE_MS = 10_000;

/**
 * The client that has been idle longest: clients that hold connections without sending keep nobody
 * out.
 */
function longestIdle(clients: Iterable<Client>): Client | undefined {
  let [longest, since]: [Client | undefined, number] = [undefined, performance.now() - MIN_IDLE_MS];
  for (const client of clients) {
    const idleSince = client.idleSince() ?? Infinity;
    if (idleSince < since) [longest, since] = [client, idleSince];
  }
  return longest;
}
