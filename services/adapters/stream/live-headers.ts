/**
 * Reports accepted emails of watched accounts. It reads the headers of the messages in MAIL-p with
 * ordered consumers, which exist only while an account is watched: an unwatched account costs
 * nothing, and gateways and dispatchers do nothing for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JsMsg,
  type OrderedConsumerOptions,
} from '@nats-io/jetstream';

import type { MailEvent, StoredAt } from '../../core/delivery/mail-event.ts';
import type { Log } from '../process/log.ts';
import type { MailStreams } from './replay.ts';
import { existingPartitions, mailStream } from './streams.ts';
import { readEvent } from './wire.ts';

export type AcceptedMail = { event: MailEvent; storedAt: StoredAt };

/** By partition: the sequence of the last message that was stored there. */
export type MailPositions = Readonly<Record<string, number>>;

export type MailFeed = AsyncDisposable & {
  /**
   * Reports the emails of this account that are stored after the returned positions. Emails that
   * were reported before can be reported again.
   */
  watch(accountId: string): Promise<MailPositions>;
  unwatch(accountId: string): void;
  /**
   * Emails of an account, or of one of its addresses, after these positions or since this time,
   * oldest first in each partition. `isComplete` is false when there are more than `limit`, or some
   * are no longer stored.
   */
  read(
    of: MailOwner,
    from: MailPositions | Date,
    limit: number,
  ): Promise<{ mails: AcceptedMail[]; isComplete: boolean }>;
};

export type MailOwner = { accountId: string; addressId?: string };

/** An account that nobody watches any more may be watched again soon. */
const LINGER_MS = 60_000;
const RETRY_MS = 1_000;
const NEW_PARTITIONS_MS = 30_000;
const FETCH_EXPIRES_MS = 2_000;
const BATCH = 200;

type Reader = { stop: () => Promise<void> };

export function createMailFeed(
  { client, manager }: Pick<MailStreams, 'client' | 'manager'>,
  report: (mail: AcceptedMail) => void,
  log: Log,
): MailFeed {
  const watched = new Map<string, { watchers: number; timer?: NodeJS.Timeout }>();
  const readers = new Map<number, Reader>();
  /** By partition: the next reader continues after this sequence. */
  const reached = new Map<number, number>();
  const restartAfter = new Map<number, number>();
  let isStopped = false;
  let wanted = 0;
  let updating: Promise<void> | undefined;

  const subjectsIn = (partition: number) =>
    [...watched.keys()].map((account) => `mail.${partition}.${account}.>`);

  const consume = async (partition: number, after: number): Promise<Reader> => {
    const consumer = await client.consumers.get(mailStream(partition), {
      ...HEADERS_ONLY,
      filter_subjects: subjectsIn(partition),
      ...startingAfter(after),
    });
    const messages = await consumer.consume({ max_messages: BATCH });
    reached.set(partition, after);
    void (async () => {
      for await (const message of messages) {
        reached.set(partition, message.seq);
        const mail = mailIn(message, partition);
        if (mail) report(mail);
      }
    })();
    return { stop: () => stopReading(consumer, messages) };
  };

  const update = async (): Promise<void> => {
    const partitions = watched.size === 0 ? [] : await existingPartitions(manager);
    await Promise.all(
      [...new Set([...partitions, ...readers.keys()])].map(async (partition) => {
        await readers.get(partition)?.stop();
        readers.delete(partition);
        if (isStopped || watched.size === 0) return;
        // a partition that is new began empty
        const after = Math.min(
          reached.get(partition) ?? Infinity,
          restartAfter.get(partition) ?? (reached.has(partition) ? Infinity : 0),
        );
        readers.set(partition, await consume(partition, after));
        restartAfter.delete(partition);
      }),
    );
    if (watched.size === 0) reached.clear();
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

  const lastSequence = async (partition: number): Promise<number> =>
    (await manager.streams.info(mailStream(partition))).state.last_seq;

  const positions = async (): Promise<MailPositions> => {
    const partitions = await existingPartitions(manager);
    const ends = partitions.map(async (one) => [one, await lastSequence(one)] as const);
    return Object.fromEntries(await Promise.all(ends));
  };

  const readPartition = async (
    partition: number,
    { accountId, addressId = '>' }: MailOwner,
    from: MailPositions | Date,
    limit: number,
  ): Promise<{ mails: AcceptedMail[]; isComplete: boolean }> => {
    const { state } = await manager.streams.info(mailStream(partition));
    const after = from instanceof Date ? undefined : (from[partition] ?? 0);
    const isKept = after === undefined || after + 1 >= state.first_seq || after === 0;
    if (after !== undefined && after >= state.last_seq) return { mails: [], isComplete: true };
    const consumer = await client.consumers.get(mailStream(partition), {
      ...HEADERS_ONLY,
      filter_subjects: `mail.${partition}.${accountId}.${addressId}`,
      ...(from instanceof Date
        ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.toISOString() }
        : startingAfter(after ?? 0)),
    });
    try {
      const { num_pending } = await consumer.info();
      const mails: AcceptedMail[] = [];
      if (num_pending > 0) {
        const max_messages = Math.min(num_pending, limit);
        const messages = await consumer.fetch({ max_messages, expires: FETCH_EXPIRES_MS });
        for await (const message of messages) {
          const mail = mailIn(message, partition);
          if (mail) mails.push(mail);
        }
      }
      return { mails, isComplete: isKept && num_pending <= limit && mails.length === num_pending };
    } finally {
      await consumer.delete().catch(() => false);
    }
  };

  const findNewPartitions = async (): Promise<void> => {
    if (watched.size === 0) return;
    const partitions = await existingPartitions(manager);
    if (partitions.some((partition) => !readers.has(partition))) requestUpdate();
  };
  const discovery = setInterval(() => {
    findNewPartitions().catch((error: unknown) => log.warn('partitions.not_listed', { error }));
  }, NEW_PARTITIONS_MS);

  return {
    watch: async (accountId) => {
      const from = await positions();
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
    read: async (of, from, limit) => {
      const partitions = await existingPartitions(manager);
      const found = await Promise.all(partitions.map((one) => readPartition(one, of, from, limit)));
      return {
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
      await Promise.all([...readers.values()].map(({ stop }) => stop()));
    },
  };
}

const HEADERS_ONLY: Partial<OrderedConsumerOptions> = { headers_only: true };

const startingAfter = (sequence: number): Partial<OrderedConsumerOptions> => ({
  deliver_policy: DeliverPolicy.StartSequence,
  opt_start_seq: sequence + 1,
});

async function stopReading(consumer: Consumer, messages: ConsumerMessages): Promise<void> {
  await messages.close();
  await consumer.delete().catch(() => false); // else the server removes it when it is inactive
}

/** Undefined for a message that is no email of Inlet. */
function mailIn(message: JsMsg, partition: number): AcceptedMail | undefined {
  try {
    const event = readEvent(message.headers);
    return { event, storedAt: { partition, sequence: message.seq } };
  } catch {
    return undefined;
  }
}
