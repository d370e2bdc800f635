/** Scripted SMTP over a plain socket: lines to send and reply codes to expect. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';

export type SmtpDialogue = AsyncDisposable & {
  socket: Socket;
  greeting: string;
  /** Sends bytes, or a string with CRLF, and resolves with the next reply. */
  say(line: string | Buffer): Promise<string>;
  /** The next reply. */
  hear(): Promise<string>;
  /** Resolves with everything that the server sends until it closes the connection. */
  end(): Promise<string>;
};

/**
 * Opens a connection, from the loopback address `from` if given, sends `first`, and reads the
 * greeting.
 */
export async function dialogue(
  port: number,
  from = '127.0.0.1',
  first?: Buffer,
): Promise<SmtpDialogue> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  await once(socket, 'connect');
  if (first) socket.write(first);
  const smtp = over(socket);
  return { ...smtp, greeting: await smtp.hear() };
}

/** A dialogue over an open socket. */
export function over(socket: Socket): SmtpDialogue {
  socket.setNoDelay(true).setEncoding('utf8');
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
      if (socket.destroyed)
        throw new Error(`connection closed, unread: ${JSON.stringify(buffered)}`);
      await new Promise<void>((resolve) => (waiting = resolve));
    }
  };
  const say = (line: string | Buffer): Promise<string> => {
    socket.write(typeof line === 'string' ? `${line}\r\n` : line);
    return hear();
  };
  const end = async (): Promise<string> => {
    if (!socket.destroyed) await once(socket, 'close');
    return buffered;
  };
  return {
    socket,
    greeting: '',
    say,
    hear,
    end,
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
    },
  };
}

/** Sends STARTTLS; returns the same client over TLS. */
export async function startTls(
  smtp: SmtpDialogue,
  options: ConnectionOptions = { rejectUnauthorized: false },
): Promise<SmtpDialogue & { socket: TLSSocket }> {
  const reply = await smtp.say('STARTTLS');
  if (!reply.startsWith('220 ')) throw new Error(`STARTTLS was answered ${reply}`);
  smtp.socket.removeAllListeners('data');
  const socket = connectTls({ ...options, socket: smtp.socket });
  await once(socket, 'secureConnect');
  return { ...over(socket), socket };
}

/** Sends each line and checks the start of its reply. Returns the replies. */
export async function play(
  port: number,
  script: readonly (readonly [line: string, expected: string])[],
): Promise<string[]> {
  await using smtp = await dialogue(port);
  const replies: string[] = [];
  for (const [line, expected] of script) {
    const reply = await smtp.say(line);
    if (!reply.startsWith(expected))
      throw new Error(`${line} was answered ${reply} instead of ${expected}`);
    replies.push(reply);
  }
  return replies;
}

/** Raw bytes to send, and how the replies must start, in order. */
export type Step = { send: string | Buffer; expect: string | readonly string[] };

/**
 * Sends raw bytes in an open dialogue; with `byByte`, one byte per segment. Returns the replies.
 */
export async function exchange(
  smtp: SmtpDialogue,
  script: readonly Step[],
  { byByte = false } = {},
): Promise<string[]> {
  const replies: string[] = [];
  for (const { send, expect } of script) {
    const bytes = Buffer.from(send);
    if (!byByte) smtp.socket.write(bytes);
    else for (const byte of bytes) await writeAlone(smtp.socket, Buffer.from([byte]));
    for (const start of [expect].flat()) {
      const reply = await smtp.hear();
      if (!reply.startsWith(start))
        throw new Error(`${JSON.stringify(send)} was answered ${reply} instead of ${start}`);
      replies.push(reply);
    }
  }
  return replies;
}

/** Sends these bytes as a separate TCP segment. */
export async function writeAlone(socket: Socket, bytes: Buffer): Promise<void> {
  await new Promise((resolve) => socket.write(bytes, resolve));
  await sleep(1);
}
