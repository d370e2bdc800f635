/**
 * The SMTP listener, and that for LMTP (RFC 2033): accepts connections, gives each command to its
 * handler and each failure its reply.
 */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureVersion } from 'node:tls';
import type { SMTPServerSession } from 'smtp-server';

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
import { createProtocol } from './protocol.ts';
import { addressOf, corkReplies, endWithReply, plainAddress } from './socket.ts';
import { createTransactions, type Sender, type TransactionOptions } from './transaction.ts';

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

export type SmtpHandlers = {
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

  const lastBeginMs = Math.min(LAST_BEGIN_MS, options.stopGraceMs / 2);
  const onClose = (session: SMTPServerSession) => {
    const { client, policy } = senderAt(session);
    policy[Symbol.dispose]();
    connections.ended(client.markGone());
    clients.delete(client);
  };
  const server = createProtocol(
    { ...options, stopGraceMs: options.stopGraceMs - lastBeginMs },
    isLmtp,
    senderAt,
    transactions,
    refusals,
    onClose,
  );
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

  const dismissAll = (which: (client: Client) => boolean) => {
    for (const client of clients) if (which(client)) client.dismiss(shuttingDown);
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
    [Symbol.asyncDispose]: async () => {
      isStopping = true;
      proxyListener[Symbol.dispose]();
      const closed = once(listener, 'close');
      listener.close();
      dismissAll((client) => client.isBetweenEmails());
      await Promise.race([closed, sleep(lastBeginMs, undefined, { ref: false })]);
      dismissAll((client) => client.idleSince() !== undefined);
      await new Promise<void>((resolve) => server.close(resolve)); // refuses every command
      refusals[Symbol.dispose]();
      connections[Symbol.dispose]();
    },
  };
}

/** While a gateway stops, a client that has connected, or has begun an email, may send it (RFC 5321 §3.8). */
const LAST_BEGIN_MS = 10_000;

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
