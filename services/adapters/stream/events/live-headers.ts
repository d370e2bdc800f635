/**
 * Reports accepted emails of watched accounts. It reads the headers of the messages in MAIL-p with
 * ordered consumers, which exist only while an account is watched: an unwatched account costs
 * nothing, and gateways and dispatchers do nothing for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { JetStreamManager } from '@nats-io/jetstream';

import type { Log } from '../../process/log.ts';
import { followHeaders, type Mailbox, readHeaders, type StoredMail } from './headers.ts';
import { existingPartitions, mailStream, type Streams } from './streams.ts';

/** By partition: the sequence of the last message that was stored there. */
export type MailPositions = Readonly<Record<string, number>>;

export type LiveHeaders = AsyncDisposable & {
  /**
   * Reports the emails of this account that are stored after the returned positions. Emails that
   * were reported before can be reported again.
   */
  watch(accountId: string): Promise<MailPositions>;
  unwatch(accountId: string): void;
  /**
   * Emails of an account, or of some of its receivers, after these positions or since this time,
   * oldest first in each partition. `isComplete` is false when there are more than about `limit`,
   * or some are no longer stored. `partitions` are those that exist.
   */
  read(
    mailbox: Mailbox,
    from: MailPositions | Date,
    limit: number,
  ): Promise<{ mails: StoredMail[]; partitions: readonly number[]; isComplete: boolean }>;
};

/** An account that nobody watches any more may be watched again soon. */
const LINGER_MS = 60_000;
const RETRY_MS = 1_000;
const NEW_STREAMS_MS = 5_000;

export function createLiveHeaders(
  streams: Pick<Streams, 'client' | 'manager' | 'region'>,
  report: (mail: StoredMail) => void,
  /** NATS has lost this partition: it is empty, and its sequences begin again. */
  lost: (partition: number) => void,
  log: Log,
): LiveHeaders {
  const { manager } = streams;
  const watched = new Map<string, { watchers: number; timer?: NodeJS.Timeout }>();
  const stops = new Map<number, () => Promise<void>>();
  /** By partition: the next reader continues after this sequence. */
  const reached = new Map<number, number>();
  const restartAfter = new Map<number, number>();
  /** By partition: when its stream was created. */
  const created = new Map<number, string>();
  let isStopped = false;
  let wanted = 0;
  let updating: Promise<void> | undefined;

  const update = async (): Promise<void> => {
    const partitions = watched.size === 0 ? [] : await existingPartitions(manager);
    await Promise.all(
      [...new Set([...partitions, ...stops.keys()])].map(async (partition) => {
        await stops.get(partition)?.();
        stops.delete(partition);
        if (isStopped || watched.size === 0) return;
        // a partition that is new began empty
        const after = Math.min(
          reached.get(partition) ?? Infinity,
          restartAfter.get(partition) ?? (reached.has(partition) ? Infinity : 0),
        );
        reached.set(partition, after);
        if (!created.has(partition))
          created.set(partition, (await manager.streams.info(mailStream(partition))).created);
        const accounts = [...watched.keys()];
        const stop = await followHeaders(streams, partition, accounts, after, (sequence, mail) => {
          reached.set(partition, sequence);
          try {
            if (mail) report(mail);
          } catch (error) {
            log.error('mail_feed.email_skipped', { partition, sequence, error });
          }
        });
        stops.set(partition, stop);
        restartAfter.delete(partition);
      }),
    );
    if (watched.size > 0) return;
    reached.clear();
    created.clear();
  };

  /** One update runs at a time. Changes during it cause one more. */
  const requestUpdate = (): void => {
    wanted++;
    updating ??= (async () => {
      for (let done = -1; done !== wanted && !isStopped;) {
        const target = wanted;
        try {
          await update();
          done = target;
        } catch (error) {
          log.warn('mail_feed.interrupted', { error });
          await sleep(RETRY_MS);
        }
      }
    })().finally(() => {
      updating = undefined;
    });
  };

  /** Streams that are new, or that were created again. */
  const findNewStreams = async (): Promise<void> => {
    if (watched.size === 0) return;
    const partitions = await existingPartitions(manager);
    let isChanged = partitions.some((partition) => !stops.has(partition));
    for (const partition of partitions) {
      const { created: since } = await manager.streams.info(mailStream(partition));
      const known = created.get(partition) ?? since;
      created.set(partition, since);
      if (known === since) continue;
      reached.set(partition, 0);
      restartAfter.delete(partition);
      lost(partition);
      log.warn('mail_feed.stream_lost', { partition });
      isChanged = true;
    }
    if (isChanged) requestUpdate();
  };
  const discovery = setInterval(() => {
    findNewStreams().catch((error: unknown) => log.warn('partitions.not_listed', { error }));
  }, NEW_STREAMS_MS);

  return {
    watch: async (accountId) => {
      const from = await positionsOf(manager);
      const known = watched.get(accountId);
      clearTimeout(known?.timer);
      watched.set(accountId, { watchers: (known?.watchers ?? 0) + 1 });
      if (known === undefined) {
        for (const [partition, end] of Object.entries(from))
          restartAfter.set(
            Number(partition),
            Math.min(end, restartAfter.get(Number(partition)) ?? end),
          );
        requestUpdate();
      }
      return from;
    },
    unwatch: (accountId) => {
      const known = watched.get(accountId);
      if (known === undefined || --known.watchers > 0) return;
      known.timer = setTimeout(() => {
        watched.delete(accountId);
        if (watched.size === 0) requestUpdate();
      }, LINGER_MS);
      known.timer.unref();
    },
    read: async (mailbox, from, limit) => {
      const partitions = await existingPartitions(manager);
      // emails are spread evenly, so twice the share is enough for each partition
      const share = Math.min(limit, Math.ceil((2 * limit) / partitions.length));
      const found = await Promise.all(
        partitions.map((one) =>
          readHeaders(streams, one, mailbox, from instanceof Date ? from : (from[one] ?? 0), share),
        ),
      );
      return {
        partitions,
        mails: found.flatMap(({ mails }) => mails),
        isComplete: found.every(({ isComplete }) => isComplete),
      };
    },
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      clearInterval(discovery);
      for (const { timer } of watched.values()) clearTimeout(timer);
      watched.clear();
      await updating;
      await Promise.all([...stops.values()].map((stop) => stop()));
    },
  };
}

async function positionsOf(manager: JetStreamManager): Promise<MailPositions> {
  const partitions = await existingPartitions(manager);
  const ends = partitions.map(async (one) => {
    const { state } = await manager.streams.info(mailStream(one));
    return [one, state.last_seq] as const;
  });
  return Object.fromEntries(await Promise.all(ends));
}
