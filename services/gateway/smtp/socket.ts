/** The socket below smtp-server. */
import type { Socket } from 'node:net';

import type { SmtpReply } from '../../core/smtp/smtp-reply.ts';

/** The replies to pipelined commands go out together (RFC 2920 §3.2), for one system call instead of one each. */
export function gatherReplies(socket: Socket): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]): boolean => {
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    return write(...args);
  };
}

/** One line, and the end of a connection that smtp-server never sees. */
export function turnAway(socket: Socket, { code, enhanced, text }: SmtpReply): void {
  socket.on('error', () => undefined).resume();
  socket.end(`${code} ${enhanced} ${text}\r\n`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;
