/** Reads the replies of a mail server to commands that may be pipelined (RFC 5321 §4.2, RFC 2920). */
import type { Socket } from 'node:net';

/** The last line of the next reply. @throws when the connection has failed or is closed */
export type NextReply = () => Promise<string>;

/** @param socket with an encoding, which has received nothing yet */
export function createReplies(socket: Socket): NextReply {
  const replies: string[] = [];
  let waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  let fault: Error | undefined;
  let rest = '';
  const take = (line: string) => {
    if (waiting === undefined) replies.push(line);
    else waiting.resolve(line);
    waiting = undefined;
  };
  const fail = (error: Error) => {
    fault ??= error;
    waiting?.reject(fault);
    waiting = undefined;
  };
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line[3] !== '-') take(line);
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the gateway closed the connection')));
  return () =>
    new Promise<string>((resolve, reject) => {
      const line = replies.shift();
      if (line !== undefined) resolve(line);
      else if (fault) reject(fault);
      else waiting = { resolve, reject };
    });
}
