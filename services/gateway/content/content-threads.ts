/**
 * Emails are read and stored in two threads with the same code: one for small emails and one for
 * large ones, so that small ones never wait. The main thread only speaks SMTP. An email that holds
 * its thread for too long is handled once more among the large ones, then without what took so long.
 */
import { LRUCache } from 'lru-cache';

import type { Log } from '../../adapters/process/log.ts';
import { createStandby } from '../../adapters/process/standby.ts';
import { ThreadEnded } from '../../adapters/process/thread.ts';
import { startWorker } from '../../adapters/process/worker.ts';
import { untilConnected } from '../../adapters/stream/connection/outage.ts';
import { isLarge } from '../../core/mail/mail-size.ts';
import { SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import { type ByteBudget, createReservation } from '../receive/memory-budget.ts';
import type { ReceiveMetrics } from '../receive/receive.ts';
import {
  ClientGone,
  type Receive,
  type ReceivedMail,
  type Settled,
  type Stored,
} from '../receive/received-mail.ts';
import { STAGES } from '../process/stage.ts';
import type { AuthorAnswers } from './author-answers.ts';
import type * as jobs from './content-jobs.ts';
import { createLane, type Lane } from './lane.ts';
import { leaveOut } from './left-out.ts';
import { createSendLists, type SentRecipient } from './shared-lists.ts';

export type ContentThreads = AsyncDisposable & {
  receive: Receive;
  /** Resolves when both threads can handle emails. */
  prepared(): Promise<unknown>;
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
 * CPU time for a small email: a multiple of what the worst known one takes. The others in its lane
 * wait for as long.
 */
const SMALL_CPU_MS = 500;
/** After an email that took too long, the small ones of its address are handled as large ones. */
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
  const standby = createStandby(() =>
    startWorker(file, options, { heapMaxMb: HEAP_MAX_MB, nice: 0 }),
  );
  const laneOf = (name: Lane['name'], cpuLimitMs: number, nice: number) =>
    createLane({ name, cpuLimitMs, nice, standby, metrics, log });
  const small = laneOf('small', SMALL_CPU_MS, 0);
  const large = laneOf('large', largeCpuMs, 10);
  metrics.watchContentLanes(() => [small, large]);
  const suspects = new LRUCache<string, true>({ max: SUSPECTS_MAX, ttl: SUSPECT_MS });
  const sendLists = createSendLists();

  const onNote = ({ metric, values }: jobs.MetricCall) =>
    (metrics[metric] as (...values: unknown[]) => void)(...values);

  const handle = async (received: ReceivedMail, client?: AbortSignal): Promise<Stored> => {
    const { recipients, withReceived, transactionId } = received;
    const isSuspect = recipients.some(({ recipient }) => suspects.has(recipient.id));
    let lane = isSuspect || isLarge(withReceived) ? large : small;
    using copy = createReservation(memory);
    if (!(withReceived.buffer instanceof SharedArrayBuffer)) copy.growTo(withReceived.byteLength);
    await untilConnected(isConnected); // the thread would wait for its own connection
    const abandon = () => void lane.run('abandon', transactionId).catch(() => undefined);
    using listeners = new DisposableStack();
    listeners.defer(() => client?.removeEventListener('abort', abandon));
    client?.addEventListener('abort', abandon);
    let { leftOut } = received;
    let settled: Settled | undefined;
    for (;;) {
      if (client?.aborted) throw new ClientGone();
      const current = lane;
      const answer = async (keys: readonly string[]): Promise<void> => {
        const seen = await authors.find(keys);
        await current.run('answerAuthors', { transactionId, seen }).catch(() => undefined);
      };
      try {
        const result = await lane.run('receive', sentMail({ ...received, leftOut, settled }), {
          onReport: (value) => {
            const report = value as jobs.Report;
            if ('settled' in report) ({ settled } = report);
            else void answer(report.authorKeys);
          },
          onNote: onNote as (value: unknown) => void,
        });
        if ('refused' in result) throw new SmtpRefusal(result.refused);
        if ('isAbandoned' in result) throw new ClientGone();
        await authors.add(result.stored.authors);
        return result.stored;
      } catch (error) {
        if (!(error instanceof ThreadEnded) || error.reason === 'stopped') throw error;
        if (clock() >= received.replyBy) throw error;
        const stage = STAGES[error.stage ?? STAGES.length];
        if (stage === undefined) continue; // it only lost its thread
        metrics.contentTookTooLong(lane.name, stage, error.reason);
        log.warn('mail.took_too_long', {
          ...whoseEmail(received),
          lane: lane.name,
          stage,
          reason: error.reason,
        });
        if (lane === large) leftOut = leaveOut(leftOut, stage, error.reason);
        for (const { recipient } of recipients) suspects.set(recipient.id, true);
        lane = large;
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
    prepared: () => Promise.all([small.prepared(), large.prepared()]),
    isReady: () => small.isReady() && large.isReady(),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([small, large, standby].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

/** For an operator who looks for the address that is attacked. */
const whoseEmail = ({ recipients, envelope, raw }: ReceivedMail) => ({
  address_ids: recipients.map(({ recipient }) => recipient.id),
  account_ids: [...new Set(recipients.map(({ recipient }) => recipient.account_id))],
  remote_ip: envelope.remoteIp,
  bytes: raw.byteLength,
});
