/**
 * Emails are read and stored in two threads with the same code: one for small emails and one for
 * large ones, so that small ones never wait. The second one starts with the first large email. The main
 * thread only speaks SMTP. An email that holds its thread for too long is handled once more among the
 * large ones, then without what took so long.
 */
import { LRUCache } from 'lru-cache';

import { cpuSlowness } from './cpu-speed.ts';
import type { Log } from '../../adapters/process/log.ts';
import { createStandby } from '../../adapters/threads/standby.ts';
import { ThreadEnded } from '../../adapters/threads/thread.ts';
import { createCpuUse } from '../../adapters/async/turns.ts';
import { startWorker } from '../../adapters/threads/worker.ts';
import { untilConnected } from '../../adapters/stream/connection/outage.ts';
import type { Holders } from '../../core/time/fair-order.ts';
import { isLarge } from '../../core/mail/mail-size.ts';
import { sourceNetwork } from '../../core/network/network.ts';
import { SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import { type ByteBudget, createReservation } from '../receive/memory-budget.ts';
import type { ReceiveMetrics } from '../receive/receive.ts';
import {
  ClientGone,
  type Receive,
  type ReceivedMail,
  type FixedDecision,
  type Stored,
} from '../receive/received-mail.ts';
import { STAGES } from '../process/stage.ts';
import type { AuthorAnswers } from './author-answers.ts';
import type * as jobs from './content-jobs.ts';
import { createContentQueue, type ContentQueue } from './content-queue.ts';
import { skipStage } from './skipped-stages.ts';
import { createRulesAtRcpt, type RulesAtRcpt } from './rules-at-rcpt.ts';
import { createSendLists, type SentRecipient } from './shared-lists.ts';

export type ContentThreads = AsyncDisposable & {
  receive: Receive;
  rulesAtRcpt: RulesAtRcpt;
  /** Resolves when small emails can be handled. The first large one starts the other thread. */
  prepared(): Promise<void>;
  isReady(): boolean;
};

export type ContentIO = {
  /** Holds the copy of a small email that its thread gets. */
  memory: ByteBudget;
  metrics: ReceiveMetrics &
    Pick<GatewayMetrics, 'contentTookTooLong' | 'contentThreadReplaced' | 'watchContentLanes'>;
  authors: AuthorAnswers;
  /** To NATS. */
  isConnected: () => boolean;
  clock: () => Date;
  log: Log;
};

/** Limit of a thread's heap, which does not contain the bytes of emails. */
const HEAP_MAX_MB = 384;
/**
 * CPU time for a small email on a fast machine: a multiple of what the worst known one takes. The
 * others in its lane wait for as long.
 */
const SMALL_CPU_MS = 500;
/**
 * After an email that took too long, the small ones of its client network to the same recipients are
 * handled as large ones. After slow expressions, all small ones to the recipients of their account are.
 */
const SUSPECT_MS = 60_000;
const SUSPECTS_MAX = 10_000;

/**
 * @param largeCpuMs CPU time for an email in the large lane
 * @param file with the jobs: tests use their own
 */
export function createContentThreads(
  options: jobs.ContentOptions,
  largeCpuMs: number,
  { memory, metrics, authors, isConnected, clock, log }: ContentIO,
  file = new URL('content-worker.ts', import.meta.url),
): ContentThreads {
  const use = createCpuUse();
  const standby = createStandby(() =>
    startWorker(file, options, { heapMaxMb: HEAP_MAX_MB, nice: 0, use }),
  );
  const queueOf = (name: ContentQueue['name'], cpuLimitMs: number, nice: number) =>
    createContentQueue({ name, cpuLimitMs, nice, standby, use, metrics, log });
  const small = queueOf('small', SMALL_CPU_MS * cpuSlowness(), 0);
  const large = queueOf('large', largeCpuMs, 10); // starts with its first email
  void small.prepared();
  metrics.watchContentLanes(() => [small, large]);
  const suspects = new LRUCache<string, true>({ max: SUSPECTS_MAX, ttl: SUSPECT_MS });
  const sendLists = createSendLists();

  const suspectAccount = (recipients: ReceivedMail['recipients'], accountId: string) => {
    const ids = recipients.flatMap(({ recipient: { id, account_id } }) =>
      account_id === accountId ? [id] : [],
    );
    for (const id of ids) suspects.set(id, true);
    log.warn('expressions.used_up', { account_id: accountId, address_ids: ids });
  };

  const onNote = ({ metric, values }: jobs.MetricCall) =>
    (metrics[metric] as (...values: unknown[]) => void)(...values);

  const handle = async (received: ReceivedMail, client?: AbortSignal): Promise<Stored> => {
    const { recipients, withReceived, transactionId, envelope } = received;
    const source = sourceNetwork(envelope.remoteIp);
    const fromSource = recipients.map(({ recipient }) => `${source} ${recipient.id}`);
    const isSuspect =
      recipients.some(({ recipient }) => suspects.has(recipient.id)) ||
      fromSource.some((one) => suspects.has(one));
    let queue = isSuspect || isLarge(withReceived) ? large : small;
    using copy = createReservation(memory);
    if (!(withReceived.buffer instanceof SharedArrayBuffer)) copy.growTo(withReceived.byteLength);
    await untilConnected(isConnected); // the thread would wait for its own connection
    const abandon = () => void queue.run('abandon', transactionId).catch(() => undefined);
    using listeners = new DisposableStack();
    listeners.defer(() => client?.removeEventListener('abort', abandon));
    client?.addEventListener('abort', abandon);
    const holders = holdersOf(received);
    let { skipped } = received;
    let fixed: FixedDecision | undefined;
    for (;;) {
      if (client?.aborted) throw new ClientGone();
      const current = queue;
      const answer = async (keys: readonly string[]): Promise<void> => {
        const seen = await authors.find(keys);
        await current.run('answerAuthors', { transactionId, seen }).catch(() => undefined);
      };
      try {
        const result = await queue.run('receive', sentMail({ ...received, skipped, fixed }), {
          onReport: (value) => {
            const report = value as jobs.Report;
            if ('fixed' in report) ({ fixed } = report);
            else if ('slowAccount' in report) suspectAccount(recipients, report.slowAccount);
            else void answer(report.authorKeys);
          },
          onNote: onNote as (value: unknown) => void,
          holders,
        });
        if ('refused' in result) throw new SmtpRefusal(result.refused, { at: result.at });
        if ('isAbandoned' in result) throw new ClientGone();
        await authors.add(result.stored.authors);
        return result.stored;
      } catch (error) {
        if (!(error instanceof ThreadEnded) || error.reason === 'stopped') throw error;
        if (clock() >= received.replyBy) throw error;
        const stage = STAGES[error.stage ?? STAGES.length];
        if (stage === undefined) continue; // it only lost its thread
        metrics.contentTookTooLong(queue.name, stage, error.reason);
        log.warn('mail.took_too_long', {
          ...whoseEmail(received),
          lane: queue.name,
          stage,
          reason: error.reason,
        });
        if (queue === large) skipped = skipStage(skipped, stage, error.reason);
        if (stage !== 'rules') for (const one of fromSource) suspects.set(one, true);
        queue = large;
      }
    }
  };

  const sentMail = ({ raw, recipients, ...facts }: ReceivedMail): jobs.SentMail => ({
    ...facts,
    rawBytes: raw.byteLength,
    clockAheadMs: clock().getTime() - Date.now(),
    recipients: recipients.map(({ recipient, named }) => ({
      recipient: sendLists(recipient),
      named,
    })) satisfies { recipient: SentRecipient }[],
  });

  return {
    receive: handle,
    rulesAtRcpt: createRulesAtRcpt(small.run, sendLists),
    prepared: () => small.prepared(),
    isReady: () => small.isReady() && large.isReady(),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([small, large, standby].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

/** The client's network, and the accounts that it writes to. */
const holdersOf = ({ envelope, recipients }: ReceivedMail): Holders => [
  sourceNetwork(envelope.remoteIp),
  ...new Set(recipients.map(({ recipient }) => recipient.account_id)),
];

/** For an operator who looks for the address that is attacked. */
const whoseEmail = ({ recipients, envelope, raw }: ReceivedMail) => ({
  address_ids: recipients.map(({ recipient }) => recipient.id),
  account_ids: [...new Set(recipients.map(({ recipient }) => recipient.account_id))],
  remote_ip: envelope.remoteIp,
  bytes: raw.byteLength,
});
