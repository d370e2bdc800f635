/** DATA as bytes: a mail is read whole, within its limit and the memory that is left. */
import type { SMTPServerDataStream } from 'smtp-server';

import { type GiveWay, LARGE_FROM_BYTES } from '../adapters/give-way.ts';
import { messageTooBig, SmtpRefusal } from '../core/smtp-reply.ts';
import type { ByteBudget } from './memory-budget.ts';

/**
 * All of a message, dots unstuffed, in chunks.
 * @throws SmtpRefusal beyond the limit or without room; the rest is read and dropped, so that the client hears the reply
 */
export async function readAll(stream: SMTPServerDataStream, maxBytes: number, room: Room, giveWay: GiveWay): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let smallAtEnd = 0;
  let pauseAt = LARGE_FROM_BYTES;
  let refusal: unknown;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (refusal !== undefined) continue;
    try {
      if (stream.byteLength > maxBytes) throw new SmtpRefusal(messageTooBig);
      room.take(chunk.byteLength);
      smallAtEnd = gather(chunks, chunk, smallAtEnd);
      if (stream.byteLength < pauseAt) continue;
      pauseAt = stream.byteLength + STEP_BYTES;
      await giveWay();
    } catch (error) {
      refusal = error;
      chunks.length = 0;
      room.clear();
    }
  }
  if (refusal !== undefined) throw refusal;
  return chunks;
}

const SMALL_BYTES = 1024;
const GATHERED_CHUNKS = 1024;

/**
 * smtp-server makes a chunk of each line that begins with a dot, and millions of those would weigh a multiple of their bytes: many small ones are joined.
 * @param smallAtEnd how many there are at the end of `chunks`; returns how many there are then
 */
function gather(chunks: Buffer[], chunk: Buffer, smallAtEnd: number): number {
  chunks.push(chunk);
  if (chunk.byteLength >= SMALL_BYTES) return 0;
  if (smallAtEnd + 1 < GATHERED_CHUNKS) return smallAtEnd + 1;
  chunks.push(Buffer.concat(chunks.splice(-GATHERED_CHUNKS)));
  return 0;
}

/** Whether the client went away in the midst of its mail. */
export const isAbandoned = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'ECONNECTION';

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

/** Chunks as one; a large mail in memory that threads share, with turns for others while it is put together. */
export async function joined(chunks: readonly Buffer[], giveWay: GiveWay): Promise<Buffer> {
  const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (bytes <= LARGE_FROM_BYTES) return Buffer.concat(chunks, bytes);
  const whole = Buffer.from(new SharedArrayBuffer(bytes));
  let length = 0;
  let pauseAt = STEP_BYTES;
  for (const chunk of chunks) {
    whole.set(chunk, length);
    length += chunk.byteLength;
    if (length < pauseAt) continue;
    pauseAt = length + STEP_BYTES;
    await giveWay();
  }
  return whole;
}

/** Of a large mail, at once. */
const STEP_BYTES = 256 * 1024;
