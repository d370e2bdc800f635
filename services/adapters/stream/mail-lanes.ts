/** The dispatchers' end of the stream: mail is pulled only into free slots, and leaves by acknowledgement, retry or keeping (design §3). */
import { type Consumer, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { setTimeout as sleep } from 'node:timers/promises';

import { type MailEvent, type StoredAt, subjects } from '../../core/delivery/mail-event.ts';
import type { Log } from '../process/log.ts';
import type { Nats } from './connection.ts';
import { publishOnce } from './publish-once.ts';
import { DISPATCHER_CONSUMER, mailStream, retryStream, type Streams } from './streams.ts';
import { readEvent, readRetryPlace, writeHeaders, writeRetryHeaders } from './wire.ts';

/** First attempts, and everything that waits for a later one. */
export type Lane = 'mail' | 'retry';

/** One mail in a dispatcher's hands. It stays on the stream until it is settled by one of the last four. */
export type QueuedMail = {
  lane: Lane;
  event: MailEvent;
  /** Not before this time; undefined in the mail lane. */
  dueAt: Date | undefined;
  /** The stream has delivered it before: a delivery record may exist. */
  isRepeat: boolean;
  /** As the first attempt sends it; empty where it lies in the bucket. */
  payload: Uint8Array;
  /** Asks the stream for more time. */
  working(): void;
  /** Where the mail lies since it was accepted. */
  storedAt: StoredAt;
  /** Delivered: it stays for its replay window only. */
  done(): Promise<void>;
  /** Sleeps in the retry lane until `at`. */
  retryAt(at: Date): Promise<void>;
  /** Given up: kept in FAILED. */
  keepFailed(): Promise<void>;
  /** Another dispatcher shall have it, at once or after a while. */
  handBack(afterMs?: number): void;
};

const PULL_EXPIRES_MS = 1_000; // the shortest that JetStream takes: a stop waits for it
const STOP_MAX_MS = 2_500;
const PULL_PAUSE_MS = 500;

type PullOptions = {
  lane: Lane;
  partition: number;
  /** Mails of this lane and partition that may be in hand at once. */
  slots: number;
  /** Settles the mail; its slot is free when this ends. */
  handle: (mail: QueuedMail) => Promise<void>;
};

/** Pulls one lane of one partition until disposed. Disposing hands back what is still on its way here, and does not wait for mails in hand. */
export function pullLane(
  nats: Nats,
  streams: Streams,
  { lane, partition, slots, handle }: PullOptions,
  log: Log,
): AsyncDisposable {
  const stream = lane === 'mail' ? mailStream(partition) : retryStream(partition);
  const wrap = createWrapper(streams, lane, partition);
  let free = slots;
  let freed: (() => void) | undefined;
  let isStopped = false;
  let consumer: Consumer | undefined;
  let messages: ConsumerMessages | undefined;
  nats.onReconnect(() => void messages?.close()); // a pull that the old connection made is lost

  const take = async (message: JsMsg): Promise<void> => {
    free--;
    try {
      if (isStopped)
        message.nak(PULL_EXPIRES_MS); // not to this pull again
      else await handle(wrap(message));
    } catch (error) {
      log.error('mail.unhandled', { stream, sequence: message.seq, error }); // it comes again after the acknowledgement wait
    } finally {
      free++;
      freed?.();
    }
  };

  const pull = async (): Promise<void> => {
    consumer ??= await streams.client.consumers.get(stream, DISPATCHER_CONSUMER); // once: asked while NATS is away, it would be missed for the whole time-out
    while (!isStopped) {
      while (!isStopped && free < slots / 4)
        await new Promise<void>((resolve) => (freed = resolve));
      if (isStopped) return;
      messages = await consumer.fetch({ max_messages: free, expires: PULL_EXPIRES_MS });
      for await (const message of messages) void take(message);
    }
  };

  const running = (async () => {
    while (!isStopped) {
      try {
        await pull();
      } catch (error) {
        if (isStopped) return;
        log.warn('lane.interrupted', { stream, error });
        await sleep(PULL_PAUSE_MS);
      }
    }
  })();

  return {
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      freed?.();
      await Promise.race([running, sleep(STOP_MAX_MS, undefined, { ref: false })]);
      await messages?.close(); // NATS is away
    },
  };
}

function createWrapper(
  { client }: Streams,
  lane: Lane,
  partition: number,
): (message: JsMsg) => QueuedMail {
  return (message) => {
    const event = readEvent(message.headers);
    const { storedAt, dueAt } =
      lane === 'mail'
        ? { storedAt: { partition, sequence: message.seq }, dueAt: undefined }
        : readRetryPlace(message.headers);
    return {
      lane,
      event,
      storedAt,
      dueAt,
      isRepeat: message.info.deliveryCount > 1,
      payload: message.data,
      working: () => message.working(),
      done: async () => message.ack(),
      retryAt: async (at) => {
        if (lane === 'retry') return message.nak(Math.max(1, at.getTime() - Date.now()));
        await publishOnce(
          client,
          subjects.retry(partition, event),
          message.data,
          writeRetryHeaders(event, { storedAt, dueAt: at }),
        ); // that it lies there already is a success
        message.ack();
      },
      keepFailed: async () => {
        await publishOnce(client, subjects.failed(event), message.data, writeHeaders(event));
        message.ack();
      },
      handBack: (afterMs) => message.nak(afterMs),
    };
  };
}
