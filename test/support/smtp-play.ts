/** SMTP by hand: a script of lines to send and codes to expect, over a plain socket. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type SmtpDialogue = AsyncDisposable & {
  socket: Socket;
  greeting: string;
  /** Sends these bytes, CRLF added to a string, and resolves with the whole next reply. */
  say(line: string | Buffer): Promise<string>;
  /** The next reply. */
  hear(): Promise<string>;
};

/** Opens a connection, from another loopback address if `from` says so, and reads the greeting. */
export async function dialogue(port: number, from = '127.0.0.1'): Promise<SmtpDialogue> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  await once(socket, 'connect');
  socket.setEncoding('utf8');
  let buffered = '';
  let waiting: (() => void) | undefined;
  socket.on('data', (chunk: string) => {
    buffered += chunk;
    waiting?.();
  });
  socket.on('close', () => waiting?.());
  socket.on('error', () => undefined);

  const hear = async (): Promise<string> => {
    for (;;) {
      const whole = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3}(?: [^\r\n]*)?\r\n/.exec(buffered);
      if (whole) {
        buffered = buffered.slice(whole[0].length);
        return whole[0].trimEnd();
      }
      if (socket.destroyed) throw new Error(`connection closed, unread: ${JSON.stringify(buffered)}`);
      await new Promise<void>((resolve) => (waiting = resolve));
    }
  };
  const say = (line: string | Buffer): Promise<string> => {
    socket.write(typeof line === 'string' ? `${line}\r\n` : line);
    return hear();
  };
  const greeting = await hear();
  return {
    socket, greeting, say, hear,
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
    },
  };
}

/** Plays `[line, expected start of the reply]` in order; returns the replies. */
export async function play(port: number, script: readonly (readonly [line: string, expected: string])[]): Promise<string[]> {
  await using smtp = await dialogue(port);
  const replies: string[] = [];
  for (const [line, expected] of script) {
    const reply = await smtp.say(line);
    if (!reply.startsWith(expected)) throw new Error(`${line} was answered ${reply} instead of ${expected}`);
    replies.push(reply);
  }
  return replies;
}
