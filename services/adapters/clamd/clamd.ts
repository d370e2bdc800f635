/**
 * Scans bytes with clamd, the daemon of ClamAV, over its own protocol (clamd(8)). Each command has a
 * connection of its own. While clamd does not answer PING, scans fail immediately.
 */
import { z } from 'zod';

import { resultOfClamd, type ScanResult, signaturesBuiltAt } from '../../core/mail/virus.ts';
import { watchForOutages } from '../async/outage-watch.ts';
import { openSocket, type SocketTarget } from '../dns/sockets.ts';

const DEFAULT_PORT = 3310;

const Address = z.string().transform((text, context): SocketTarget => {
  if (/^unix:\/[^\0]+$/.test(text)) return { path: text.slice('unix:'.length) };
  const url = URL.parse(text);
  if (url?.protocol === 'tcp:' && url.hostname !== '' && /^tcp:\/\/[^/?#@]+\/?$/.test(text))
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port || DEFAULT_PORT),
    };
  context.addIssue({ code: 'custom', message: 'must be like tcp://clamd:3310 or unix:/run/clamd' });
  return z.NEVER;
});

export const ClamdConfig = {
  CLAMD: Address.optional().describe(
    'clamd that scans each email for malware: tcp://clamd:3310, or unix:/run/clamd for a socket; ' +
      'emails are not scanned when unset',
  ),
};

export type Clamd = {
  /**
   * @param signal ends the scan
   * @throws when clamd does not answer, or without a result
   */
  scan(bytes: Uint8Array, signal: AbortSignal): Promise<ScanResult>;
  /** undefined without signatures of ClamAV's own. @throws when clamd does not answer */
  signaturesBuiltAt(): Promise<Date | undefined>;
};

const ANSWER_MAX_CHARS = 4_096;
/** Time limit for what clamd does even while it scans: connections, and some commands. */
const QUICK_TIMEOUT_MS = 3_000;

export function createClamd(address: SocketTarget): Clamd {
  const askQuickly = (name: string) =>
    ask(address, [command(name)], AbortSignal.timeout(QUICK_TIMEOUT_MS));
  const watch = watchForOutages(() => askQuickly('PING'), QUICK_TIMEOUT_MS);
  const whenUp = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    if (watch.isDown()) throw new Error('clamd does not answer');
    try {
      return await work();
    } catch (cause) {
      watch.check();
      throw new Error(name, { cause });
    }
  };

  return {
    scan: (bytes, signal) =>
      whenUp('scan with clamd', async () => {
        signal.throwIfAborted();
        const answer = await stream(address, bytes, signal);
        const result = resultOfClamd(answer);
        if (result === undefined) throw new Error(`unexpected answer: ${answer}`);
        return result;
      }),
    signaturesBuiltAt: () =>
      whenUp('ask clamd for its version', async () =>
        signaturesBuiltAt(await askQuickly('VERSION')),
      ),
  };
}

const command = (name: string): Buffer => Buffer.from(`z${name}\0`);
const lengthOf = (bytes: number): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
};

/**
 * All bytes are one chunk, which is not copied. clamd refuses a chunk above StreamMaxLength when it
 * has read its length. It then closes the connection, and its answer is lost if it arrives while
 * this end still writes. The length alone, without the bytes, gets the same answer.
 */
async function stream(
  address: SocketTarget,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string> {
  const start = [command('INSTREAM'), lengthOf(bytes.byteLength)];
  try {
    return await ask(address, [...start, bytes, lengthOf(0)], signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPIPE' && code !== 'ECONNRESET') throw error;
    return await ask(address, start, signal);
  }
}

/** Sends one command. @returns the answer up to its NUL */
async function ask(
  address: SocketTarget,
  pieces: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = (await openSocket(address, QUICK_TIMEOUT_MS, signal)).setEncoding('utf8');
  let answer = '';
  socket.on('data', (text: string) => {
    answer += text;
    const end = answer.indexOf('\0');
    if (end >= 0) resolve(answer.slice(0, end));
    if (end >= 0 || answer.length > ANSWER_MAX_CHARS) socket.destroy();
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('clamd closed the connection without an answer')));
  socket.cork();
  for (const piece of pieces) socket.write(piece);
  socket.uncork();
  return promise;
}
