/** The socket below smtp-server. */
import type { Socket } from 'node:net';

import type { SmtpReply } from '../../core/smtp/smtp-reply.ts';

/** Sends the replies to pipelined commands together, in one system call (RFC 2920 §3.2). */
export function corkReplies(socket: Socket): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]): boolean => {
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    return write(...args);
  };
}

/** The client's address, which a proxy may have named. An IPv4 address has no IPv6 form. */
export const addressOf = (socket: Socket, peer: { remoteAddress?: string } = {}): string =>
  plainAddress(peer.remoteAddress ?? socket.remoteAddress ?? '');

export const plainAddress = (address: string): string => address.replace(/^::ffff:/i, '');

/** Sends one reply and closes a connection that smtp-server never sees. */
export function endWithReply(socket: Socket, { code, enhanced, text }: SmtpReply): void {
  socket.on('error', () => undefined).resume();
  socket.end(`${code} ${enhanced} ${text}\r\n`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Time for the client to read the reply. */
const LINGER_MS = 1_000;
