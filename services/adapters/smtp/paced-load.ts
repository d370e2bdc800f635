/**
 * Sends emails at a steady rate over connections that stay open, and notes when each was sent and
 * accepted. MAIL, RCPT and DATA go together, as Postfix sends them (RFC 2920).
 */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { SMTP } from '../../core/network/deadlines.ts';
import { openSocket } from '../dns/sockets.ts';
import { createReplies, type NextReply } from './replies.ts';

export type Load = {
  host: string;
  port: number;
  /** Whether the gateway expects a PROXY protocol header. */
  expectsProxyHeader: boolean;
  connections: number;
  from: string;
  recipients: readonly string[];
  /** Limits: the number of emails, and seconds after which none is sent. */
  emails: number;
  seconds: number;
  perSecond: number;
  /** The email with this number, from 0 on; with CRLF, dots escaped, without the final dot. */
  contentOf: (index: number, to: string) => string;
  signal: AbortSignal;
};

/** Times of performance.now(), by number of the email; undefined for what did not happen. */
export type LoadResult = {
  startedMs: number;
  endedMs: number;
  endOfDataMs: (number | undefined)[];
  acceptedMs: (number | undefined)[];
  /** Emails that were not accepted, by the reply or the fault. */
  refusals: Record<string, number>;
};

const HELO = 'bench.invalid';
/** An email that is sent in the last second may take this long. */
const OVERTIME_MS = 30_000;

/** @throws when no connection can be opened, or the signal is aborted */
export async function sendAtRate(load: Load): Promise<LoadResult> {
  const { emails, seconds, perSecond, recipients, signal } = load;
  await using opened = await openAll(load);
  const result: LoadResult = {
    startedMs: performance.now(),
    endedMs: NaN,
    endOfDataMs: [],
    acceptedMs: [],
    refusals: {},
  };
  const endMs = result.startedMs + seconds * 1000;
  const stopped = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000 + OVERTIME_MS)]);
  const stop = () => opened.connections.forEach(({ socket }) => socket.destroy(LATE));
  stopped.addEventListener('abort', stop, { once: true });
  const count = (fault: string) => (result.refusals[fault] = (result.refusals[fault] ?? 0) + 1);
  let begun = 0;

  const loop = async (connection: Connection): Promise<void> => {
    while (begun < emails) {
      const index = begun;
      const dueMs = result.startedMs + (index * 1000) / perSecond;
      if (Math.max(dueMs, performance.now()) >= endMs) return;
      begun++;
      await sleep(Math.max(0, dueMs - performance.now()), undefined, { signal });
      const to = recipients[index % recipients.length] ?? '';
      const envelope = { from: load.from, to };
      const noteEnd = () => (result.endOfDataMs[index] = performance.now());
      const refusal = await send(connection, envelope, load.contentOf(index, to), noteEnd);
      if (refusal === undefined) result.acceptedMs[index] = performance.now();
      else count(refusal);
    }
  };
  await Promise.all(
    opened.connections.map((connection) =>
      loop(connection).catch((error: Error) => signal.aborted || count(error.message)),
    ),
  );
  stopped.removeEventListener('abort', stop);
  signal.throwIfAborted();
  return { ...result, endedMs: performance.now() };
}

const LATE = new Error('no reply in time');

type Connection = { socket: Socket; reply: NextReply };

async function openAll(load: Load): Promise<AsyncDisposable & { connections: Connection[] }> {
  const opened = await Promise.allSettled(
    Array.from({ length: load.connections }, () => open(load)),
  );
  const connections = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const close = async () => {
    for (const { socket } of connections) if (!socket.destroyed) socket.end('QUIT\r\n');
  };
  const failed = opened.find((one) => one.status === 'rejected');
  if (failed === undefined) return { connections, [Symbol.asyncDispose]: close };
  await close();
  load.signal.throwIfAborted();
  throw new Error(`connect to ${load.host}:${load.port}`, { cause: failed.reason });
}

async function open({ host, port, expectsProxyHeader, signal }: Load): Promise<Connection> {
  const socket = await openSocket({ host, port }, SMTP.connectionTimeout, signal);
  socket.setNoDelay(true).setEncoding('latin1');
  const reply = createReplies(socket);
  try {
    // UNKNOWN is what a proxy sends for a connection of its own (PROXY protocol, version 1, §2.1)
    if (expectsProxyHeader) socket.write('PROXY UNKNOWN\r\n');
    requireOk(await reply());
    socket.write(`EHLO ${HELO}\r\n`);
    requireOk(await reply());
    return { socket, reply };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function requireOk(line: string): void {
  if (!line.startsWith('2')) throw new Error(line);
}

/** Resolves with the reply that refused the email, if any. */
async function send(
  { socket, reply }: Connection,
  { from, to }: { from: string; to: string },
  content: string,
  atEndOfData: () => void,
): Promise<string | undefined> {
  socket.write(`MAIL FROM:<${from}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`, 'latin1');
  const replies = [await reply(), await reply(), await reply()];
  if (!replies[2]?.startsWith('354')) return replies.find((one) => !one.startsWith('250'));
  socket.write(`${content}.\r\n`, 'latin1', atEndOfData); // called once the kernel has the last byte
  const last = await reply();
  return last.startsWith('250') ? undefined : last;
}
