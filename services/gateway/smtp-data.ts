/** DATA as bytes: a mail is read whole, within its limit and the memory that is left. */
import type { SMTPServerDataStream } from 'smtp-server';

import { messageTooBig, SmtpRefusal } from '../core/smtp-reply.ts';
import type { ByteBudget } from './memory-budget.ts';

/**
 * All of a message, dots unstuffed, in chunks.
 * @throws SmtpRefusal beyond the limit or without room; the rest is read and dropped, so that the client hears the reply
 */
export async function readAll(stream: SMTPServerDataStream, maxBytes: number, room: Room): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let refusal: unknown;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (refusal !== undefined) continue;
    try {
      if (stream.byteLength > maxBytes) throw new SmtpRefusal(messageTooBig);
      room.take(chunk.byteLength);
      chunks.push(chunk);
    } catch (error) {
      refusal = error;
      chunks.length = 0;
      room.clear();
    }
  }
  if (refusal !== undefined) throw refusal;
  return chunks;
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

/**
 * Whether a CR or a LF stands alone somewhere. Such a mail is taken as it is: nothing is handed on that another server could read differently,
 * senders of real mail do it, and any repair would break its DKIM signature.
 */
export function hasBareLineEnds(raw: Buffer): boolean {
  for (let at = raw.indexOf(LF); at !== -1; at = raw.indexOf(LF, at + 1)) if (raw[at - 1] !== CR) return true;
  for (let at = raw.indexOf(CR); at !== -1; at = raw.indexOf(CR, at + 1)) if (raw[at + 1] !== LF) return true;
  return false;
}

const CR = 0x0d;
const LF = 0x0a;
