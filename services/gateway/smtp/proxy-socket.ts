/** Reads the PROXY header off a socket before anything else may, and leaves there what follows it. */
import type { Socket } from 'node:net';

import type { Log } from '../../adapters/process/log.ts';
import { type ProxyReading, readProxyHeader } from '../../core/smtp/proxy-header.ts';
import { isInNetworks } from '../../core/network.ts';
import {
  badProxyHeader,
  notProxied,
  serverFull,
  type SmtpReply,
} from '../../core/smtp/smtp-reply.ts';

/** Who a connection is from and to, where the socket itself does not say so. */
export type Peer = {
  remoteAddress?: string;
  remotePort?: number;
  localAddress?: string;
  localPort?: number;
};

export type ProxyDoor = Disposable & { enter(socket: Socket): Promise<void> };

type DoorOptions = {
  networks: readonly string[];
  timeoutMs: number;
  /** Connections whose header has not come yet. */ maxWaiting: number;
};

/** Lets nobody in who does not come through one of the networks, with a header. */
export function createProxyDoor(
  { networks, timeoutMs, maxWaiting }: DoorOptions,
  welcome: (socket: Socket, peer: Peer) => void,
  turnBack: (socket: Socket, reply: SmtpReply) => void,
  log: Log,
): ProxyDoor {
  const waiting = new Set<Socket>();

  async function enter(socket: Socket): Promise<void> {
    if (!isInNetworks(socket.remoteAddress ?? '', networks)) return turnBack(socket, notProxied);
    if (waiting.size >= maxWaiting) return turnBack(socket, serverFull);
    waiting.add(socket);
    const peer = await readPeer(socket, timeoutMs).catch((error: unknown) => {
      log.info('smtp.proxy_failed', { error, remote_ip: socket.remoteAddress });
    });
    waiting.delete(socket);
    if (peer) welcome(socket, peer);
    else turnBack(socket, badProxyHeader);
  }
  return {
    enter,
    [Symbol.dispose]: () => {
      for (const socket of waiting) socket.destroy();
    },
  };
}

/** @throws when the header is none, does not come in time, or the proxy hangs up; the caller ends the socket */
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
  const onEnd = () => reject(new Error('hung up before its header'));
  const timer = setTimeout(() => reject(new Error('no header in time')), timeoutMs);
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
