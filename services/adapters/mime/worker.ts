/** What runs in a worker thread: each export is a job. See mime-workers.ts. */
import type { ParseWarning } from '../../core/mail/payload.ts';
import { type KeptMail, type MailReading, readBeginning, readMail } from './reading.ts';

/** In memory that the threads share, else it is copied. */
type Task = { kept: Uint8Array; rawBytes: number };

export const read = (task: Task): MailReading => readMail(mailOf(task));

export const rescue = ({ warning, ...task }: Task & { warning: ParseWarning }): MailReading =>
  readBeginning(mailOf(task), warning);

const mailOf = ({ kept, rawBytes }: Task): KeptMail => ({
  kept: Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength),
  rawBytes,
});
