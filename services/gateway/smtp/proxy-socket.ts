/**
 * Reads the PROXY header of a new connection, and leaves the client's bytes after it in the socket.
 */
import type { Socket } from 'node:net';

import { isInNetworks } from '../../core/network/network.ts';
import { type ProxyReading, readProxyHeader } from '../../core/smtp/proxy-header.ts';
import {
  badProxyHeader,
  notProxied,
  serverFull,
  type SmtpReply,
} from '../../core/smtp/smtp-reply.ts';
import { addressOf } from './socket.ts';

/** The addresses of the client and of the load balancer, where they differ from the socket's. */
export type Peer = {
  remoteAddress?: string;
  remotePort?: number;
  localAddress?: string;
  localPort?: number;
};

/** Disposing closes the connections whose header has not arrived. */
type ProxyListener = Disposable & { onProxySocket(socket: Socket): Promise<void> };

type ProxyOptions = {
  networks: readonly string[];
  timeoutMs: number;
  /** Connections that may wait for their header at the same time. */
  maxWaiting: number;
};

/** Accepts only connections from these networks, and only with a header. */
export function createProxyListener(
  { networks, timeoutMs, maxWaiting }: ProxyOptions,
  acceptClient: (socket: Socket, peer: Peer) => void,
  refuseSocket: (socket: Socket, address: string, reply: SmtpReply, cause?: string) => void,
): ProxyListener {
  const waiting = new Set<Socket>();

  async function onProxySocket(socket: Socket): Promise<void> {
    const proxy = addressOf(socket); // a closed socket has none
    if (!isInNetworks(proxy, networks)) return refuseSocket(socket, proxy, notProxied);
    if (waiting.size >= maxWaiting) return refuseSocket(socket, proxy, serverFull);
    waiting.add(socket);
    const peer = await readPeer(socket, timeoutMs).catch((error: unknown) => error as Error);
    waiting.delete(socket);
    if (peer instanceof Error) refuseSocket(socket, proxy, badProxyHeader, peer.message);
    else acceptClient(socket, peer);
  }
  return {
    onProxySocket,
    [Symbol.dispose]: () => {
      for (const socket of waiting) socket.destroy();
    },
  };
}

/**
 * @throws when the header is invalid, the timeout ends or the proxy disconnects; the caller closes
 * the socket
 */
async function readPeer(socket: Socket, timeoutMs: number): Promise<Peer> {
  const {
    promise: header,
    resolve,
    reject,
  } = Promise.withResolvers<Exclude<ProxyReading, { kind: 'incomplete' | 'invalid' }>>();
  let bytes: Buffer = Buffer.alloc(0);

  const onReadable = () => {
    for (
      let chunk = socket.read() as Buffer | null;
      chunk !== null;
      chunk = socket.read() as Buffer | null
    ) {
      bytes = Buffer.concat([bytes, chunk]);
      const reading = readProxyHeader(bytes);
      if (reading.kind === 'incomplete') continue;
      if (reading.kind === 'invalid') return reject(new Error(reading.why));
      return resolve(reading);
    }
  };
  const onEnd = () => reject(new Error('disconnected before its PROXY header'));
  const timer = setTimeout(
    () => reject(new Error(`no PROXY header within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  socket.on('readable', onReadable).on('end', onEnd).on('close', onEnd).on('error', reject);
  try {
    const reading = await header;
    const rest = bytes.subarray(reading.length);
    if (rest.byteLength > 0) socket.unshift(rest);
    return reading.kind === 'local' ? {} : peerOf(reading);
  } finally {
    clearTimeout(timer);
    socket.off('readable', onReadable).off('end', onEnd).off('close', onEnd).off('error', reject);
  }
}

const peerOf = ({ source, destination }: Extract<ProxyReading, { kind: 'proxied' }>): Peer => ({
  remoteAddress: source.address,
  remotePort: source.port,
  localAddress: destination.address,
  localPort: destination.port,
});
