/**
 * The SMTP listener, and that for LMTP (RFC 2033): accepts connections, gives each command to its
 * handler and each failure its reply.
 */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

import type { Log } from '../../adapters/process/log.ts';
import type { TlsPair } from '../../adapters/tls/tls-files.ts';
import { isInNetworks } from '../../core/network/network.ts';
import {
  messageTooBig,
  notTrusted,
  replyFor,
  serverFull,
  shuttingDown,
  type SmtpReply,
} from '../../core/smtp/smtp-reply.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import type { CheckConnection, ConnectionPolicy } from '../policy/connection-check.ts';
import type { TraceAccepted } from '../receive/accept-trace.ts';
import type { ContentThreads } from '../content/content-threads.ts';
import type { RecordRefusal } from '../refusals/refusal-records.ts';
import { type Client, type ClientOptions, openClient } from './connection.ts';
import { createConnectionLog } from './connection-log.ts';
import { limitSockets, onSocket, openConnections } from './library.ts';
import { createProxyListener, type Peer } from './proxy-socket.ts';
import { createRefusals } from './refusals.ts';
import { addressOf, corkReplies, endWithReply, plainAddress } from './socket.ts';
import {
  createTransactions,
  type Sender,
  type TransactionOptions,
  type Transactions,
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
  content: Pick<ContentThreads, 'receive' | 'rulesAtRcpt'>;
  metrics: Pick<GatewayMetrics, 'refused' | 'accepted' | 'connectionEnded' | 'bareLineEnds'>;
  /** undefined when tracing is off. */
  traceAccepted: TraceAccepted | undefined;
  recordRefusal: RecordRefusal;
};

export type SmtpListener = AsyncDisposable & {
  port: number;
  openConnections(): number;
  /** New connections use it; open ones keep their certificate. */
  useCertificate: (pair: TlsPair) => void;
};

/**
 * In addition to those that MAX_CONNECTIONS counts, as many may wait for their PROXY header, and as many have
 * had their last reply and are closing.
 */
const SOCKETS_PER_CONNECTION = 3;

const NEVER_SUPPORTED = ['AUTH', 'XCLIENT', 'WIZ', 'SHELL', 'KILL'];

export async function listenSmtp(
  options: SmtpOptions,
  { checkConnection, content, metrics, traceAccepted, recordRefusal }: SmtpHandlers,
  clock: () => Date,
  log: Log,
): Promise<SmtpListener> {
  const connections = createConnectionLog(metrics, log);
  const clients = new Set<Client>();
  const senders = new WeakMap<SMTPServerSession, Sender>();
  const { lmtpNetworks } = options;
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
    content,
    metrics,
    traceAccepted,
    clock,
    log,
  );
  const refusals = createRefusals(isLmtp, transactions, senderAt, metrics, recordRefusal, log);

  const onClose = (session: SMTPServerSession) => {
    const { client, policy } = senderAt(session);
    policy[Symbol.dispose]();
    connections.ended(client.markGone());
    clients.delete(client);
  };
  const server = createProtocol(options, isLmtp, senderAt, transactions, refusals, onClose);
  server.on('error', (error) => log.warn('smtp.listener_failed', { error }));

  /** The last tenth of the connections is for networks that hold few, so that a crowd does not take all. */
  const isFullFor = ({ network }: Client): boolean => {
    const open = openConnections(server);
    const free = options.maxConnections - open;
    if (free < 0) return true;
    if (isLmtp || free >= Math.floor(options.maxConnections / RESERVED)) return false;
    let held = 0;
    for (const other of clients) if (other.network === network) held += 1;
    return held > Math.max(1, options.maxConnections / FEW);
  };
  const acceptClient = (socket: Socket, peer: Peer) => {
    const address = addressOf(socket, peer);
    let policy: ConnectionPolicy;
    try {
      policy = checkConnection(address);
    } catch (error) {
      return refuseSocket(socket, address, replyFor(error));
    }
    corkReplies(socket);
    const client = openClient(
      server,
      socket,
      peer,
      ofProtocol,
      () => isStopping,
      (command, reply, line) => {
        if (reply === messageTooBig) refusals.ofSize(line, address);
        else metrics.refused(command, reply);
      },
    );
    senders.set(client.session, { client, policy });
    clients.add(client);
    if (isFullFor(client)) (longestIdle(clients) ?? client).dismiss(serverFull);
  };
  const refuseSocket = (socket: Socket, address: string, reply: SmtpReply, cause?: string) => {
    metrics.refused('connect', reply);
    connections.refused(address, reply, cause);
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
  );
  limitSockets(server, SOCKETS_PER_CONNECTION * options.maxConnections, (address) =>
    connections.refused(plainAddress(address), serverFull),
  );
  onSocket(server, (socket) => {
    if (lmtpNetworks)
      if (isInNetworks(socket.remoteAddress ?? '', lmtpNetworks)) acceptClient(socket, {});
      else refuseSocket(socket, addressOf(socket), notTrusted);
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
          refusals[Symbol.dispose]();
          connections[Symbol.dispose]();
          resolve();
        });
        dismissIdle();
      }),
  };
}

/** The library's server, with what each command of a client does. */
function createProtocol(
  options: SmtpOptions,
  isLmtp: boolean,
  senderAt: (session: SMTPServerSession) => Sender,
  transactions: Transactions,
  refusals: ReturnType<typeof createRefusals>,
  onClose: (session: SMTPServerSession) => void,
): SMTPServer {
  const { tls } = options;
  return new SMTPServer({
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
    heloResponse: '%s',
    size: options.maxMessageBytes,
    socketTimeout: options.idleTimeoutMs,
    closeTimeout: options.stopGraceMs,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    lenientAddressParsing: true, // senders such as `user.@docomo.ne.jp` exist
    logger: false,
    onClose,
    onSecure: (socket, session, callback) => {
      senderAt(session).client.markSecure((socket as TLSSocket).getProtocol());
      callback();
    },
    onMailFrom: (address, session, callback) => {
      try {
        transactions.startMail(address, session);
      } catch (error) {
        return callback(refusals.ofMail(error, address, session));
      }
      callback();
    },
    onRcptTo: (address, session, callback) => {
      transactions.addRecipient(address, session).then(
        () => callback(),
        (error: unknown) => callback(refusals.ofRcpt(error, address, session)),
      );
    },
    onData: (stream, session, callback) => {
      const ended = transactions.receiveData(stream, session).then(
        (replies) => callback(null, refusals.repliesTo(replies, session)),
        (error: unknown) => {
          const refusal = refusals.ofData(error, session);
          if (Array.isArray(refusal)) callback(null, refusal);
          else callback(refusal);
        },
      );
      void ended.finally(() => senderAt(session).client.finishData());
    },
  });
}

/** One of ten connections is for networks that hold at most one of a hundred. */
const RESERVED = 10;
const FEW = 100;

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
