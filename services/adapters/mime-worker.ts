/** What runs in a worker thread: each export is a job. See mime-workers.ts. */
import { randomUUID } from 'node:crypto';
import { move, transferableSymbol, valueSymbol } from 'piscina';

import type { ParseWarning } from '../core/payload.ts';
import { type KeptMail, type MailReading, readBeginning, readMail } from './mime-reading.ts';

/** In memory that the threads share, else it is copied. */
type Task = { kept: Uint8Array; rawBytes: number };

export async function read(task: Task): Promise<MailReading> {
  const reading = await readMail(mailOf(task), randomUUID());
  const handedOver = { [transferableSymbol]: reading.larges.map(({ json }) => json.buffer), [valueSymbol]: reading };
  return move(handedOver) as unknown as MailReading;
}

export const rescue = ({ warning, ...task }: Task & { warning: ParseWarning }): Promise<MailReading> => readBeginning(mailOf(task), warning);

const mailOf = ({ kept, rawBytes }: Task): KeptMail => ({ kept: Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength), rawBytes });
