/** DATA as bytes: a mail is read whole, within its limit and the memory that is left. */
import type { SMTPServerDataStream } from 'smtp-server';

import { type GiveWay, LARGE_FROM_BYTES } from '../../adapters/process/yield.ts';
import { messageTooBig, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type { ByteBudget } from '../receive/memory-budget.ts';

/**
 * All of a message, dots unstuffed, behind `head`; a large one in memory that threads share.
 * @throws SmtpRefusal beyond the limit or without room; the rest is read and dropped, so that the client hears the reply
 */
export async function readAll(
  stream: SMTPServerDataStream,
  head: Buffer,
  maxBytes: number,
  room: Room,
  giveWay: GiveWay,
): Promise<Buffer> {
  const kept = startKeeping(head, head.byteLength + maxBytes);
  const since = performance.now();
  let pauseAt = LARGE_FROM_BYTES;
  let refusal: unknown;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (refusal !== undefined) continue;
    try {
      if (stream.byteLength > maxBytes) throw new SmtpRefusal(messageTooBig);
      room.take(chunk.byteLength);
      kept.add(chunk);
      if (stream.byteLength < pauseAt) continue;
      pauseAt = stream.byteLength + STEP_BYTES;
      await giveWay(since);
    } catch (error) {
      refusal = error;
      kept.clear();
      room.clear();
    }
  }
  if (refusal !== undefined) throw refusal;
  return kept.whole();
}

/** Of a large mail, at once. */
const STEP_BYTES = 256 * 1024;

const SMALL_BYTES = 1024;
const GATHERED_CHUNKS = 1024;

/**
 * Bytes as they come. A large mail is copied at once to where it stays: its chunks would weigh on the collection of garbage, and joining them at the end
 * would hold up others. Of a small one many tiny chunks are joined, since they would weigh a multiple of their bytes.
 */
function startKeeping(
  head: Buffer,
  maxBytes: number,
): { add(chunk: Buffer): void; clear(): void; whole(): Buffer } {
  let chunks = [head];
  let tinyAtEnd = 0;
  let bytes = head.byteLength;
  let shared: SharedArrayBuffer | undefined;
  return {
    add: (chunk) => {
      bytes += chunk.byteLength;
      if (shared) {
        append(shared, chunk);
        return release(chunk);
      }
      chunks.push(chunk);
      tinyAtEnd = chunk.byteLength < SMALL_BYTES ? tinyAtEnd + 1 : 0;
      if (tinyAtEnd === GATHERED_CHUNKS) {
        chunks.push(Buffer.concat(chunks.splice(-GATHERED_CHUNKS)));
        tinyAtEnd = 0;
      }
      if (bytes <= LARGE_FROM_BYTES) return;
      shared = new SharedArrayBuffer(0, { maxByteLength: maxBytes });
      for (const one of chunks.splice(0)) append(shared, one);
    },
    clear: () => {
      chunks = [];
      shared = undefined;
    },
    whole: () =>
      shared ? Buffer.from(shared, 0, shared.byteLength) : Buffer.concat(chunks, bytes),
  };
}

function append(memory: SharedArrayBuffer, chunk: Buffer): void {
  const from = memory.byteLength;
  memory.grow(from + chunk.byteLength);
  new Uint8Array(memory, from).set(chunk);
}

/** Gives memory back that nobody else looks at: left to the collection of garbage, it would bring that about. What shares it with others, commands for one, stays. */
function release({ buffer, byteLength }: Buffer): void {
  if (byteLength === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
}

/** Whether the client went away in the midst of its mail. */
export const isAbandoned = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'ECONNECTION';

/** What one mail holds of the memory budget, given back however its transaction ends. */
export type Room = Disposable & { take(bytes: number): void; clear(): void };

export function createRoom(memory: ByteBudget): Room {
  let taken = 0;
  const clear = () => {
    memory.give(taken);
    taken = 0;
  };
  return {
    take: (bytes) => {
      memory.take(bytes);
      taken += bytes;
    },
    clear,
    [Symbol.dispose]: clear,
  };
}
