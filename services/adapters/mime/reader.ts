/** Small mails are read at once, large ones in a thread; and what no thread can read in its time and memory is delivered with what is to be had cheaply. */
import type { ParseWarning } from '../../core/mail/payload.ts';
import { splitMail } from '../../core/mail/raw-mail.ts';
import { type MailReading, readMail } from './reading.ts';
import { type MailWorkers, WorkerFailed } from './worker-pool.ts';

/**
 * Never fails for what the bytes say: the mail was accepted and will be delivered.
 * @param kept the mail under our trace headers, @param rawBytes how many of its last bytes came so
 */
export type ReadMail = (kept: Buffer, rawBytes: number) => Promise<MailReading>;

export type ReaderOptions = {
  /** Larger mails are read in threads. */
  inProcessMaxBytes: number;
  /** For one mail in its thread. */
  timeoutMs: number;
};

const WARNINGS: Record<WorkerFailed['reason'], ParseWarning> = {
  time: {
    code: 'parse_timeout',
    message:
      'Reading the mail took too long: only its headers and the beginning of its text are shown',
  },
  memory: {
    code: 'parse_out_of_memory',
    message:
      'Reading the mail took too much memory: only its headers and the beginning of its text are shown',
  },
  fault: {
    code: 'parse_failed',
    message: 'The mail could not be read: only its headers and the beginning of its text are shown',
  },
};

/** Headers cost a hundred times as much as bodies of their size, where a sender means them to. */
const HEAD_IN_PROCESS_MAX_BYTES = 16 * 1024;
/** Costs little, so that this ends a thread that the machine has forgotten. */
const RESCUE_TIMEOUT_MS = 60_000;

export function createMailReader(
  workers: Pick<MailWorkers, 'run'>,
  { inProcessMaxBytes, timeoutMs }: ReaderOptions,
): ReadMail {
  return async function read(kept, rawBytes) {
    if (
      kept.byteLength <= inProcessMaxBytes &&
      splitMail(kept).head.byteLength <= HEAD_IN_PROCESS_MAX_BYTES
    )
      return readMail({ kept, rawBytes });
    try {
      return await workers.run('read', { kept, rawBytes }, timeoutMs);
    } catch (error) {
      if (!(error instanceof WorkerFailed)) throw error;
      return workers.run(
        'rescue',
        { kept, rawBytes, warning: WARNINGS[error.reason] },
        RESCUE_TIMEOUT_MS,
      );
    }
  };
}
