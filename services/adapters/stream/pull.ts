/**
 * The dispatcher's end of the queue. It pulls an email only into a free slot. An email leaves its
 * lane when it is acknowledged, moved to the RETRY lane, or moved to FAILED.
 */
import { type ConsumerInfo, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  type MailEvent,
  type StoredAt,
  storedIn,
  subjects,
} from '../../core/delivery/mail-event.ts';
import { roundMs } from '../../core/delivery/retry.ts';
import { withDeadline } from '../async/deadline.ts';
import { createInterruptionLog } from '../process/interruption-log.ts';
import type { Log } from '../process/log.ts';
import type { Nats } from './connection/connection.ts';
import { createDeadLetters } from './undelivered/dead-letters.ts';
import { eraseMessage } from './erase.ts';
import { nullWhenAbsent } from './connection/errors.ts';
import { createKeepFailed } from './undelivered/failed-copies.ts';
import type { LeaderWait } from './connection/outage.ts';
import { publishOnce } from './events/publish.ts';
import { mailStream, retryStream, type Streams } from './events/streams.ts';
import { readEvent, readRetryPlace, writeRetryHeaders } from './events/wire.ts';

/** `mail` holds first attempts, `retry` everything that waits for a later attempt. */
export type Lane = 'mail' | 'retry';

/**
 * An email that this process has pulled. It stays on the stream until one of the last six settles
 * it.
 */
export type QueuedMail = {
  lane: Lane;
  event: MailEvent;
  /** The next attempt is not made before this time. undefined in the mail lane. */
  dueAt: Date | undefined;
  /** The revision of its delivery record; 0 in the mail lane. */
  revision: number;
  /** The stream has delivered it before, so it may have a delivery record. */
  isRepeat: boolean;
  /** The payload as the first attempt sends it. Empty when it is stored in the bucket. */
  payload: Uint8Array;
  /** Restarts the acknowledgment wait. */
  working(): void;
  /** Its place in the MAIL stream since it was accepted. */
  storedAt: StoredAt;
  /** Delivered. It stays for its replay window. */
  done(): Promise<void>;
  /** Moves it to the RETRY lane until `at`, in rounds: see {@link roundMs}. */
  retryAt(at: Date, now: Date): Promise<void>;
  /** Replaces it by a message of this revision, due now, unless another process did so. */
  renew(revision: number): Promise<void>;
  /** The content was erased: overwrites this copy. */
  discard(): Promise<void>;
  /** Delivery failed. Moves it to FAILED. */
  moveToFailed(): Promise<void>;
  /** NAK: redeliver to any dispatcher, now or after a delay. */
  nak(afterMs?: number): void;
};

/** The shortest that JetStream accepts. */
const PULL_EXPIRES_MS = 1_000;
/** For a lane without mail: with 64 partitions, a request per lane and second would be felt. */
const IDLE_PULL_EXPIRES_MS = 10_000;
/** Two that are missing end a pull: its server has died with it. */
const IDLE_HEARTBEAT_MS = 2_500;
const LATE_NAK_MS = 1_000;
/** Past on every clock. */
const DUE_NOW = new Date(0);
/** At a stop, an email can be on its way while the last one is not older. */
const QUIET_MS = 100;
const STOP_MAX_MS = 2_500;
const PULL_PAUSE_MS = 500;
const GATHER_SLOTS_MS = 20;
/** An email stays in its slot while the stream that it moves to elects a leader. */
const LEADER_WITHIN_MS = 15_000;
/** When fewer slots are free, emails that wait for a leader are redelivered later. */
const SHARE_WITHOUT_WAITS = 1 / 4;

type PullOptions = {
  lane: Lane;
  partition: number;
  /**
   * The lane's consumer. It is not looked up again: the request would wait for its whole timeout
   * while there is no leader.
   */
  consumer: ConsumerInfo;
  /** Makes the consumer again, after somebody has deleted it or NATS has lost it. */
  createConsumer: () => Promise<unknown>;
  /** How many emails of this lane and partition may be in progress at the same time. */
  slots: number;
  /** While it returns false, nothing is pulled. */
  mayPull: () => boolean;
  /** Settles the email. Its slot becomes free when this ends, or earlier by `freeSlot`. */
  handle: (mail: QueuedMail, freeSlot: () => void) => Promise<void>;
};

type PulledLane = AsyncDisposable & {
  /** Nothing is pulled: no slot is free, or this process may not pull. */
  isFull(): boolean;
};

/**
 * Pulls one lane of one partition until disposed. Disposing NAKs the emails that arrive late, and
 * does not wait for those in progress.
 */
export function pullLane(
  nats: Nats,
  streams: Streams,
  { lane, partition, consumer: info, createConsumer, slots, mayPull, handle }: PullOptions,
  log: Log,
): PulledLane {
  const stream = lane === 'mail' ? mailStream(partition) : retryStream(partition);
  const interruptions = createInterruptionLog(log);
  let free = slots;
  let freed: (() => void) | undefined;
  let isStopped = false;
  let arrivedAt = 0;
  // Emails that wait for a leader must not keep others from their first attempt.
  const isOver = () => isStopped || free < slots * SHARE_WITHOUT_WAITS;
  const wrap = createWrapper(streams, lane, partition, { withinMs: LEADER_WITHIN_MS, isOver });
  const setAside = createDeadLetters(streams.publisher, log);
  const consumer = streams.client.consumers.getConsumerFromInfo(info);
  let messages: ConsumerMessages | undefined;
  nats.onReconnect(() => void messages?.close()); // the pull of the old connection is lost

  const readable = (message: JsMsg): QueuedMail | Error => {
    try {
      return wrap(message);
    } catch (error) {
      return error as Error;
    }
  };

  const take = async (message: JsMsg): Promise<void> => {
    arrivedAt = performance.now();
    free--;
    let holdsSlot = true;
    const freeSlot = () => {
      if (holdsSlot) free++;
      holdsSlot = false;
      freed?.();
    };
    try {
      // the delay keeps it away from this same pull
      if (isStopped || !mayPull()) return message.nak(LATE_NAK_MS);
      const mail = readable(message);
      if (mail instanceof Error) await setAside(message, mail);
      else await handle(mail, freeSlot);
    } catch (error) {
      // the stream redelivers it after the acknowledgment wait
      interruptions.report('error', 'mail.not_handled', { stream, sequence: message.seq, error });
    } finally {
      freeSlot();
    }
  };

  const slotFreed = () => new Promise<void>((resolve) => (freed = resolve));

  /** Waits for a free slot, and then a moment for a quarter of them: larger requests cost less. */
  const roomToPull = async (): Promise<void> => {
    while (!isStopped && free === 0) await slotFreed();
    const until = performance.now() + GATHER_SLOTS_MS;
    while (!isStopped && free < slots / 4 && performance.now() < until)
      await Promise.race([slotFreed(), sleep(GATHER_SLOTS_MS)]);
  };

  const pull = async (): Promise<void> => {
    for (let isIdle = true; !isStopped;) {
      while (!isStopped && !mayPull()) await sleep(PULL_PAUSE_MS);
      await roomToPull();
      if (isStopped) return;
      const wait = isIdle
        ? { expires: IDLE_PULL_EXPIRES_MS, idle_heartbeat: IDLE_HEARTBEAT_MS }
        : { expires: PULL_EXPIRES_MS };
      messages = await consumer.fetch({ max_messages: free, ...wait });
      isIdle = true;
      for await (const message of messages) {
        isIdle = false;
        void take(message);
      }
    }
  };

  const untilQuiet = async (): Promise<void> => {
    while (performance.now() - arrivedAt < QUIET_MS) await sleep(QUIET_MS);
  };

  /** What is stored is then delivered once more. The records tell what has ended. */
  const restoreConsumer = async (): Promise<void> => {
    const found = await streams.manager.consumers.info(stream, info.name).catch(nullWhenAbsent);
    if (found !== null || isStopped) return;
    await createConsumer();
    log.warn('consumer.restored', { stream });
  };

  let restoring: Promise<void> | undefined;
  const running = (async () => {
    while (!isStopped) {
      try {
        await pull();
      } catch (error) {
        if (isStopped) return;
        interruptions.report('warn', 'lane.interrupted', { stream, error });
        restoring ??= restoreConsumer()
          .catch(() => undefined) // the next pull fails, too
          .finally(() => (restoring = undefined));
        await sleep(PULL_PAUSE_MS);
      }
    }
  })();

  return {
    isFull: () => free === 0 || !mayPull(),
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      freed?.();
      await withDeadline(STOP_MAX_MS, Promise.race([running, untilQuiet()])).catch(() => undefined);
      await messages?.close();
      interruptions[Symbol.dispose]();
    },
  };
}

function createWrapper(
  { publisher, manager, bodies, region }: Streams,
  lane: Lane,
  partition: number,
  waitForLeader: LeaderWait,
): (message: JsMsg) => QueuedMail {
  const keepFailed = createKeepFailed({ publisher, manager, bodies }, waitForLeader);
  return (message) => {
    const event = readEvent(message.headers);
    const { storedAt, dueAt, revision } =
      lane === 'mail'
        ? { storedAt: storedIn(region, partition, message.seq), dueAt: undefined, revision: 0 }
        : readRetryPlace(message.headers);
    /** False when the RETRY lane has a message of the event, other than `after`. */
    const toRetryLane = (at: Date, ofRevision: number, after = 0) =>
      publishOnce(publisher, subjects.retry(partition, event), message.data, {
        headers: writeRetryHeaders(event, { storedAt, dueAt: at, revision: ofRevision }),
        after,
        ...waitForLeader,
      });
    return {
      lane,
      event,
      storedAt,
      dueAt,
      revision,
      isRepeat: message.info.deliveryCount > 1,
      payload: message.data,
      working: () => message.working(),
      done: async () => message.ack(),
      retryAt: async (at, now) => {
        if (lane === 'retry') return message.nak(roundMs(at, now));
        await toRetryLane(at, revision); // false: a copy is there already, which is just as good
        message.ack();
      },
      renew: async (newRevision) => {
        await toRetryLane(DUE_NOW, newRevision, lane === 'retry' ? message.seq : 0);
        message.ack();
      },
      discard: async () => {
        await eraseMessage(manager, message.info.stream, message.seq);
        message.ack();
      },
      moveToFailed: async () => {
        await keepFailed(event, message.data, revision);
        message.ack();
      },
      nak: (afterMs) => message.nak(afterMs),
    };
  };
}
