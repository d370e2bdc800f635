/**
 * Large emails are handled by one worker thread, from authentication to the stored event, so that
 * the main thread only reads their bytes from the socket. They wait in one queue until memory is
 * free.
 */
import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import { createThread, ThreadEnded } from '../../adapters/process/thread.ts';
import { untilConnected } from '../../adapters/stream/outage.ts';
import { isLarge, LARGE_FROM_BYTES } from '../../core/mail/mail-size.ts';
import type { ParseWarning } from '../../core/webhook/parse-warning.ts';
import { SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type * as jobs from './large-mail-worker.ts';
import { createByteQueue } from './memory-budget.ts';
import type { ReceiveMetrics } from './receive.ts';
import type { ReceivedMail, Receive, Stored } from './received-mail.ts';
import { UnpacksTooMuch } from './unpack-limit.ts';

export type LargeMailLimits = {
  /**
   * Bytes of emails that the thread handles at the same time; a single larger one is handled alone.
   */
  maxBytes: number;
  /** Time limit for parsing one email. */
  parseTimeoutMs: number;
  clock?: () => Date;
};

/** Limit of the thread's heap, which does not contain the bytes of emails. */
const HEAP_MAX_MB = 384;
/** An email whose thread ended because of another one is handled again. */
const RUNS_MAX = 3;

const WARNINGS: Record<Exclude<ThreadEnded['reason'], 'stopped'>, ParseWarning> = {
  timeout: {
    code: 'parse_timeout',
    message:
      'Parsing the email took too long: only its headers and the beginning of its text are shown',
  },
  memory: {
    code: 'parse_out_of_memory',
    message:
      'Parsing the email took too much memory: only its headers and the beginning of its text are shown',
  },
  fault: {
    code: 'parse_failed',
    message:
      'The email could not be read: only its headers and the beginning of its text are shown',
  },
};

/** @param file with the job `receive`: tests use their own */
export function createLargeMails(
  options: jobs.LargeMailOptions,
  { maxBytes, parseTimeoutMs, clock = () => new Date() }: LargeMailLimits,
  metrics: ReceiveMetrics,
  isConnected: () => boolean,
  log: Log,
  file = new URL('large-mail-worker.ts', import.meta.url),
): AsyncDisposable & { receive: Receive } {
  const thread = createThread<typeof jobs>(file, options, { heapMaxMb: HEAP_MAX_MB });
  const queue = createByteQueue(maxBytes);
  const interruptions = createInterruptionLog(log); // the thread has a log of its own for each email

  const handle = async (received: ReceivedMail): Promise<Stored> => {
    await untilConnected(isConnected); // the thread would wait for its own connection
    let unparsed: ParseWarning | undefined;
    for (let run = 1; ; run++) {
      using parsing = createParsingTimer(parseTimeoutMs, () => thread.end('timeout'));
      const onReport = (progress: jobs.Progress) => {
        if ('log' in progress)
          return interruptions.report(progress.log, progress.event, { error: progress.error });
        if (progress.metric === 'parsing') return parsing.start();
        if (progress.metric === 'parsed') parsing.stop();
        (metrics[progress.metric] as (...values: unknown[]) => void)(...progress.values);
      };
      try {
        const result = await thread.run('receive', taskOf(received, unparsed, clock), {
          onReport: onReport as (value: unknown) => void,
        });
        if ('refused' in result) throw new SmtpRefusal(result.refused);
        return result.stored;
      } catch (error) {
        if (!(error instanceof ThreadEnded) || error.reason === 'stopped' || run === RUNS_MAX)
          throw error;
        if (parsing.isRunning()) unparsed = WARNINGS[error.reason]; // it was this email
      }
    }
  };

  return {
    receive: (received) => queue(received.withReceived.byteLength, () => handle(received)),
    [Symbol.asyncDispose]: async () => {
      interruptions[Symbol.dispose]();
      await thread[Symbol.asyncDispose]();
    },
  };
}

const taskOf = (
  { raw, ...facts }: ReceivedMail,
  unparsed: ParseWarning | undefined,
  clock: () => Date,
): jobs.LargeMail => ({
  ...facts,
  rawBytes: raw.byteLength,
  unparsed,
  clockAheadMs: clock().getTime() - Date.now(),
});

/** Runs while an email is parsed, which no other message interrupts. */
function createParsingTimer(timeoutMs: number, onTimeout: () => void) {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    start: () => {
      timer = setTimeout(onTimeout, timeoutMs);
    },
    stop,
    isRunning: () => timer !== undefined,
    [Symbol.dispose]: stop,
  };
}

/**
 * Each email is handled where its size belongs. What a small one holds in compressed files is known
 * only when it is read; if that is large, the thread begins from the start.
 */
export const receiveBySize =
  (small: Receive, large: Receive): Receive =>
  async (received) => {
    if (isLarge(received.withReceived)) return large(received);
    try {
      return await small({ ...received, unpackedMaxBytes: LARGE_FROM_BYTES });
    } catch (error) {
      if (error instanceof UnpacksTooMuch) return large(received);
      throw error;
    }
  };
