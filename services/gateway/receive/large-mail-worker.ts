/** The jobs of the thread that handles large emails: each export is one. See large-mails.ts. */
import { createDns } from '../../adapters/dns/resolver.ts';
import { createLog, causeChain, type Log } from '../../adapters/process/log.ts';
import { threadData } from '../../adapters/process/thread.ts';
import type { NatsOptions } from '../../adapters/stream/connection.ts';
import { createHookCalls } from '../../adapters/messages/hook-calls.ts';
import { threadStreams } from '../../adapters/stream/thread-connection.ts';
import type { ParseWarning } from '../../core/webhook/parse-warning.ts';
import { SmtpRefusal, type SmtpReply } from '../../core/smtp/smtp-reply.ts';
import { createSenderChecks, assembleReceive, type ReceiveOptions } from './assembly.ts';
import { createAskHook, type HookLimits } from './hooks.ts';
import type { ReceiveMetrics } from './receive.ts';
import type { ReceivedMail, Stored } from './received-mail.ts';

export type LargeMailOptions = {
  nats: NatsOptions;
  partitions: number;
  receiving: ReceiveOptions;
  hooks: HookLimits;
};

/** `withReceived` is in memory that the threads share; `raw` is its end. */
export type LargeMail = Omit<ReceivedMail, 'raw' | 'withReceived'> & {
  withReceived: Uint8Array;
  rawBytes: number;
  /** When set, the email is not parsed as a whole: that took too long or too much memory. */
  unparsed: ParseWarning | undefined;
  /** The time of the main thread minus this thread's own clock (D166). */
  clockAheadMs: number;
};

/** Reports of the thread to the main thread while it handles an email. */
export type Progress =
  | { metric: keyof ReceiveMetrics; values: unknown[] }
  | { log: 'warn' | 'error'; event: string; error: string };

type Result = { stored: Stored } | { refused: SmtpReply };

const { nats, partitions, receiving: options, hooks } = threadData as LargeMailOptions;
const streams = threadStreams(nats);
/** As of the last email. */
let aheadMs = 0;
const nowMs = () => Date.now() + aheadMs;
const askHook = createAskHook(
  async (call, payload) => createHookCalls(await streams())(call, payload),
  hooks,
  nowMs,
);
const senderChecks = createSenderChecks(options, createDns(options.dns));
const silent = createLog('silent');

export async function receive(
  { withReceived, rawBytes, clockAheadMs, ...facts }: LargeMail,
  report: (progress: Progress) => void,
): Promise<Result> {
  aheadMs = clockAheadMs;
  const bytes = Buffer.from(withReceived.buffer, withReceived.byteOffset, withReceived.byteLength);
  const { isConnected, ...opened } = await streams();
  const receiveInThread = assembleReceive(
    options,
    {
      senderChecks,
      streams: { ...opened, partitions },
      askHook,
      isConnected,
      memory: undefined,
      metrics: reported(report),
      clock: () => new Date(nowMs()),
    },
    reportedLog(report),
  );
  try {
    const raw = bytes.subarray(bytes.byteLength - rawBytes);
    return { stored: await receiveInThread({ ...facts, withReceived: bytes, raw }) };
  } catch (error) {
    if (error instanceof SmtpRefusal) return { refused: error.reply }; // an error loses its class between threads
    throw error;
  }
}

const reported = (report: (progress: Progress) => void): ReceiveMetrics => {
  const to =
    (metric: keyof ReceiveMetrics) =>
    (...values: unknown[]) =>
      report({ metric, values });
  return {
    authenticated: to('authenticated'),
    rspamdAnswered: to('rspamdAnswered'),
    clamdAnswered: to('clamdAnswered'),
    parsing: to('parsing'),
    parsed: to('parsed'),
    judged: to('judged'),
    virusJudged: to('virusJudged'),
    durablyStored: to('durablyStored'),
    stored: to('stored'),
    filterFailed: to('filterFailed'),
    ruled: to('ruled'),
    hookAsked: to('hookAsked'),
  };
};

const reportedLog = (report: (progress: Progress) => void): Log => ({
  ...silent,
  warn: (event, { error } = {}) => report({ log: 'warn', event, error: causeChain(error) }),
  error: (event, { error } = {}) => report({ log: 'error', event, error: causeChain(error) }),
});
