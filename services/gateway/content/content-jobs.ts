/** What a content thread does: see content-threads.ts. */
import { createDns } from '../../adapters/dns/resolver.ts';
import { onFirstCall } from '../../adapters/async/first-call.ts';
import { causeChain, createLog, type Log } from '../../adapters/process/log.ts';
import { noteForCaller, reported, reportNow, threadCpuMs } from '../../adapters/threads/job.ts';
import { emit, lowerPriority, threadData } from '../../adapters/threads/serve-jobs.ts';
import { createHookCalls } from '../../adapters/messages/hook-calls.ts';
import type { NatsOptions } from '../../adapters/stream/connection/connection.ts';
import { threadStreams } from '../../adapters/stream/thread-connection.ts';
import { createEmailBudgets, MINUTE_CPU_MS } from '../../core/expression/budget.ts';
import type { KnownAtRcpt } from '../../core/decision/at-rcpt.ts';
import { refusalBeforeData } from '../../core/decision/before-data.ts';
import type { Sightings } from '../../core/decision/known-author.ts';
import type { RecipientRefusal } from '../../core/refusal/decided-by.ts';
import { SmtpRefusal, type SmtpReply } from '../../core/smtp/smtp-reply.ts';
import { assembleReceive, createSenderChecks } from '../receive/assembly.ts';
import type { ReceiveOptions } from '../receive/receive-options.ts';
import { inStage } from '../process/stage.ts';
import { createAskHook, type HookLimits } from '../receive/hooks.ts';
import type { ReceiveMetrics } from '../receive/receive.ts';
import {
  ClientGone,
  type ReceivedMail,
  type FixedDecision,
  type Stored,
} from '../receive/received-mail.ts';
import { createReadLists, type SentRecipient } from './shared-lists.ts';

export type ContentOptions = {
  nats: NatsOptions;
  partitions: number;
  receiving: ReceiveOptions;
  hooks: HookLimits;
};

/** An email for the thread. `withReceived` of a large one is in memory that the threads share. */
export type SentMail = Omit<ReceivedMail, 'raw' | 'withReceived' | 'recipients'> & {
  withReceived: Uint8Array;
  /** The end of `withReceived`. */
  rawBytes: number;
  /** The time of the main thread minus this thread's own clock (D166). */
  clockAheadMs: number;
  recipients: readonly { recipient: SentRecipient; named: Map<string, string> }[];
};

export type MetricCall = { metric: keyof ReceiveMetrics; values: unknown[] };
export type LogLine = { level: 'warn' | 'error'; event: string; error: string };

const { nats, partitions, receiving: options, hooks } = threadData as ContentOptions;
const streams = threadStreams(nats);
/** As of the last email. */
let aheadMs = 0;
const nowMs = () => Date.now() + aheadMs;
const readLists = createReadLists();
const silent = createLog('silent');
const log: Log = {
  ...silent,
  warn: (event, { error } = {}) => tell('warn', event, error),
  error: (event, { error } = {}) => tell('error', event, error),
};
const tell = (level: LogLine['level'], event: string, error: unknown) =>
  emit({ level, event, error: causeChain(error) } satisfies LogLine);

/** An email that is handled again must not be counted twice, so the calls go with its result. */
const call =
  (metric: keyof ReceiveMetrics) =>
  (...values: unknown[]) =>
    noteForCaller({ metric, values } satisfies MetricCall);

const metrics: ReceiveMetrics = {
  authenticated: call('authenticated'),
  rspamdAnswered: call('rspamdAnswered'),
  clamdAnswered: call('clamdAnswered'),
  parsed: call('parsed'),
  judged: ({ scored_by, verdict }) => call('judged')({ scored_by, verdict }),
  virusJudged: call('virusJudged'),
  durablyStored: call('durablyStored'),
  stored: call('stored'),
  filterFailed: call('filterFailed'),
  ruled: (rulings) => rulings.length > 0 && call('ruled')(rulings),
  hookAsked: call('hookAsked'),
};

/** Threads of a gateway that read emails: an account has the same time in each. */
const THREADS = 2;
const budgets = createEmailBudgets({
  cpuMs: threadCpuMs,
  nowMs,
  minuteCpuMs: MINUTE_CPU_MS / THREADS,
  onUsedUp: (slowAccount) => reportNow({ slowAccount } satisfies Report),
});

const receiveInThread = onFirstCall(async () => {
  const { isConnected, ...opened } = await streams();
  return assembleReceive(
    options,
    {
      senderChecks: createSenderChecks(options, createDns(options.dns)),
      streams: { ...opened, partitions },
      askHook: createAskHook(createHookCalls({ ...opened, isConnected }), hooks, nowMs),
      askAuthors,
      isConnected,
      budgets,
      onFixed: (fixed) => reported({ fixed } satisfies Report),
      metrics,
      clock: () => new Date(nowMs()),
    },
    log,
  );
});

/** Resolves when the thread can handle emails. @param nice its priority */
export async function prepare({ nice }: { nice: number }): Promise<void> {
  lowerPriority(nice);
  await receiveInThread();
}

/** What a thread tells about an email while it handles it. */
export type Report =
  { fixed: FixedDecision } | { authorKeys: readonly string[] } | { slowAccount: string };

/** The questions of the emails in flight, by transaction. */
const questions = new Map<string, (seen: Sightings | null) => void>();

/** The main thread always answers: it is connected to MongoDB. */
function askAuthors(
  transactionId: string,
  authorKeys: readonly string[],
): Promise<Sightings | null> {
  const { promise, resolve } = Promise.withResolvers<Sightings | null>();
  questions.set(transactionId, resolve);
  reportNow({ authorKeys } satisfies Report);
  return promise;
}

type AuthorAnswer = { transactionId: string; seen: Sightings | null };

export function answerAuthors({ transactionId, seen }: AuthorAnswer): void {
  questions.get(transactionId)?.(seen);
  questions.delete(transactionId);
}

type RcptTask = {
  accountId: string;
  recipient: Pick<SentRecipient, 'account_rules' | 'rules' | 'lists' | 'plus_tag'>;
  known: KnownAtRcpt;
};

/** The reply of a rule to a RCPT command; undefined when the end of DATA decides. */
export const refusalAtRcpt = ({ accountId, recipient, known }: RcptTask): SmtpReply | undefined =>
  inStage('rules', () => {
    const budget = budgets()(accountId);
    if (budget.isUsedUp()) return undefined;
    return budget.charge(() => refusalBeforeData(readLists(recipient), known));
  });

/** The clients of the emails in flight, by transaction. */
const clients = new Map<string, AbortController>();

/** The client of this transaction has closed its connection. */
export function abandon(transactionId: string): void {
  clients.get(transactionId)?.abort(new ClientGone());
}

/** An error loses its class between threads. */
export type Received =
  | { stored: Stored }
  | { refused: SmtpReply; at: readonly RecipientRefusal[] }
  | { isAbandoned: true };

export async function receive(sent: SentMail): Promise<Received> {
  const client = new AbortController();
  clients.set(sent.transactionId, client);
  try {
    return { stored: await receiveFrom(client.signal, sent) };
  } catch (error) {
    if (error instanceof SmtpRefusal) return { refused: error.reply, at: error.at };
    if (error instanceof ClientGone) return { isAbandoned: true };
    throw error;
  } finally {
    clients.delete(sent.transactionId);
  }
}

async function receiveFrom(
  client: AbortSignal,
  {
    withReceived: { buffer, byteOffset, byteLength },
    rawBytes,
    recipients,
    clockAheadMs,
    ...facts
  }: SentMail,
): Promise<Stored> {
  aheadMs = clockAheadMs;
  const receiveEmail = await receiveInThread();
  const withReceived = Buffer.from(buffer, byteOffset, byteLength);
  const raw = withReceived.subarray(byteLength - rawBytes);
  const named = recipients.map(({ recipient, ...rest }) => ({
    ...rest,
    recipient: readLists(recipient),
  }));
  return receiveEmail({ ...facts, recipients: named, withReceived, raw }, client);
}
