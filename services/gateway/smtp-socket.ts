/** The socket below smtp-server. */
import type { Socket } from 'node:net';

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
