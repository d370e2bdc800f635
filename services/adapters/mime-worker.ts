/** What runs in a worker thread: each export is a job. See mime-workers.ts. */
import { randomUUID } from 'node:crypto';
import { move, transferableSymbol, valueSymbol } from 'piscina';

import { type MailReading, readMail } from './mime-reading.ts';

/** @param kept in memory that the threads share, else it is copied */
export async function read({ kept, rawBytes }: { kept: Uint8Array; rawBytes: number }): Promise<MailReading> {
  const reading = await readMail(Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength), rawBytes, randomUUID());
  const handedOver = { [transferableSymbol]: reading.larges.map(({ json }) => json.buffer), [valueSymbol]: reading };
  return move(handedOver) as unknown as MailReading;
}
