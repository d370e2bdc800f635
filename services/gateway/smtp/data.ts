/** DATA as bytes: an email is read whole, within its size limit and the free memory. */
import type { SMTPServerDataStream } from 'smtp-server';

import { LARGE_FROM_BYTES } from '../../core/mail/mail-size.ts';
import { messageTooBig, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type { Reservation } from '../receive/memory-budget.ts';
import type { MemoryLease } from '../receive/memory-pool.ts';

/**
 * Returns `head` and the whole email after it, dots unstuffed. A large one is in the memory of the
 * lease, which threads can share.
 * @throws SmtpRefusal above the limit or without memory, after reading and dropping the rest: a
 * client reads no reply before it has sent everything
 * @param onRefused gets the beginning of such an email
 */
export function readEmail(
  stream: SMTPServerDataStream,
  head: Buffer,
  maxBytes: number,
  reservation: Reservation,
  lease: MemoryLease,
  onRefused: (beginning: Buffer) => void,
): Promise<Buffer> {
  const email = createEmailBuffer(head, () => lease.memory(reservation));
  let refusal: Error | undefined;
  let received = 0;
  const append = (chunk: Buffer) => {
    if (stream.byteLength > maxBytes) throw new SmtpRefusal(messageTooBig);
    received += chunk.byteLength;
    reservation.growTo(received);
    email.append(chunk);
  };
  return new Promise((resolve, reject) => {
    stream
      .on('data', (chunk: Buffer) => {
        if (refusal !== undefined) return free(chunk);
        try {
          append(chunk);
        } catch (error) {
          refusal = error as Error;
          onRefused(Buffer.concat([email.beginning(), chunk.subarray(0, BEGINNING_BYTES)]));
          free(chunk);
          email.clear();
          reservation.clear();
          lease[Symbol.dispose](); // the client may take long to send the rest
        }
      })
      .on('end', () => {
        if (refusal !== undefined) return reject(refusal);
        try {
          resolve(email.bytes());
        } catch (error) {
          onRefused(email.beginning());
          reject(error); // no memory for the whole email
        }
      })
      .on('error', reject)
      .on('close', () => {
        if (!stream.readableEnded) reject(new Error('the stream of the email was closed'));
      });
  });
}

const TINY_BYTES = 1024;
const JOINED_CHUNKS = 1024;
const BEGINNING_BYTES = 64 * 1024;

type EmailBuffer = {
  append(chunk: Buffer): void;
  clear(): void;
  /** A copy. */
  beginning(): Buffer;
  bytes(): Buffer;
};

/**
 * Collects chunks. A large email is copied into its final place as it arrives: thousands of chunks
 * slow down garbage collection, and joining them at the end would block the thread. In a small one,
 * tiny chunks are joined, because each costs a multiple of its bytes.
 */
function createEmailBuffer(head: Buffer, leased: () => SharedArrayBuffer): EmailBuffer {
  let chunks = [head];
  let tinyAtEnd = 0;
  let byteLength = head.byteLength;
  let shared: SharedArrayBuffer | undefined;
  return {
    append: (chunk) => {
      const from = byteLength;
      byteLength += chunk.byteLength;
      if (shared) {
        write(shared, from, chunk);
        return free(chunk);
      }
      chunks.push(chunk);
      tinyAtEnd = chunk.byteLength < TINY_BYTES ? tinyAtEnd + 1 : 0;
      if (tinyAtEnd === JOINED_CHUNKS) {
        chunks.push(Buffer.concat(chunks.splice(-JOINED_CHUNKS)));
        tinyAtEnd = 0;
      }
      if (byteLength <= LARGE_FROM_BYTES) return;
      shared = leased();
      write(shared, 0, Buffer.concat(chunks.splice(0), byteLength));
    },
    clear: () => {
      chunks = [];
      shared = undefined;
    },
    beginning: () => {
      const length = Math.min(byteLength, BEGINNING_BYTES);
      return shared
        ? Buffer.from(new Uint8Array(shared, 0, length))
        : Buffer.concat(chunks, length);
    },
    bytes: () => (shared ? Buffer.from(shared, 0, byteLength) : joined(chunks, byteLength)),
  };
}

/** In memory of its own, because a thread gets a copy of all of it: small buffers share theirs. */
function joined(chunks: readonly Buffer[], byteLength: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(byteLength);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(whole, at);
  return whole;
}

function write(memory: SharedArrayBuffer, from: number, bytes: Buffer): void {
  const end = from + bytes.byteLength;
  if (memory.byteLength < end) memory.grow(end);
  new Uint8Array(memory, from).set(bytes);
}

/**
 * Frees a chunk's memory now, because waiting for the garbage collector would make it run sooner. A
 * chunk that shares its memory, for example with commands, is left alone.
 */
function free({ buffer, byteLength }: Buffer): void {
  if (byteLength === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
}
