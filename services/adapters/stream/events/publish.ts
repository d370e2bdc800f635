/**
 * Publishes messages to JetStream and waits for their acknowledgments. The client's own `publish`
 * makes for every message an error with its stack, a text decoder, a timer and a race of promises.
 *
 * A message can wait while its stream has no leader: an election takes up to nine seconds. Meanwhile,
 * one probe serves all messages of the stream, so that their payloads are sent only once it has one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { JetStreamApiError, type PubAck } from '@nats-io/jetstream';
import {
  createInbox,
  errors,
  headers as newHeaders,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
} from '@nats-io/transport-node';

import { isOvertaken, isStoredLater, isUnanswered } from '../connection/errors.ts';
import { type LeaderWait, onceJetStreamAnswers } from '../connection/outage.ts';
import type { Log } from '../../process/log.ts';
import { createWriteFaults, type WriteFaults } from '../connection/write-faults.ts';

export type PublishOptions = LeaderWait & {
  msgID?: string;
  headers?: MsgHdrs;
  /** The sequence of the last message of the subject; 0 for none. Another one is an error. */
  after?: number;
  /** How long an acknowledgment may take: a tenth of a second more at most. */
  timeout?: number;
};

export type Publisher = {
  /** The faults of streams that messages wait for. */
  faults: WriteFaults;
  /**
   * With `withinMs` it may send the message several times, so the caller makes it idempotent: with
   * `msgID` or `after`.
   * @throws JetStreamApiError when the stream refuses the message. It may be stored after any other
   * error: see `isUnanswered`.
   */
  publish(
    subject: string,
    data: Uint8Array | string | undefined,
    options: PublishOptions,
  ): Promise<PubAck>;
};

type Waiting = {
  subject: string;
  resolve: (ack: PubAck) => void;
  reject: (error: unknown) => void;
  until: number;
};

const TIMEOUT_MS = 5_000;
/** A leader that died with a request in flight never answers it. */
const TRY_MS = 3_000;
const SWEEP_MS = 100;
const NO_RESPONDERS = 503;
const PROBE_TIMEOUT_MS = 1_000;
const PROBE_PAUSE_MS = 100;
/** No stream has this name, so a leader refuses the probe, and nothing is stored. */
const NO_STREAM = 'none';

/** @param connection that gets one subscription, for the acknowledgments of all messages */
export function createPublisher(connection: NatsConnection, log?: Log): Publisher {
  const faults = createWriteFaults(log);
  const inbox = `${createInbox()}.`;
  const waiting = new Map<string, Waiting>(); // by the last token of the reply subject
  const probes = new Map<string, Promise<boolean>>(); // by stream
  let published = 0;
  let sweeping: NodeJS.Timeout | undefined;

  const failAll = (error: unknown) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const onReply = (failure: Error | null, message: Msg) => {
    if (failure) return failAll(new errors.RequestError(failure.message, { cause: failure }));
    const token = message.subject.slice(inbox.length);
    const one = waiting.get(token);
    waiting.delete(token);
    if (!one) return; // after its timeout
    try {
      one.resolve(readAck(one.subject, message));
    } catch (error) {
      one.reject(error);
    }
  };
  connection.subscribe(`${inbox}*`, { callback: onReply });
  void connection.closed().then(() => failAll(new errors.RequestError('connection closed')));

  const sweep = () => {
    sweeping = undefined;
    for (const [token, { until, reject }] of waiting) {
      if (until > performance.now()) continue;
      waiting.delete(token);
      reject(new errors.TimeoutError());
    }
    if (waiting.size > 0) sweeping = setTimeout(sweep, SWEEP_MS);
  };

  const send = (
    subject: string,
    data: Uint8Array | string | undefined,
    headers: MsgHdrs,
    timeout: number,
  ): Promise<PubAck> =>
    new Promise((resolve, reject) => {
      const token = (published++).toString(36);
      connection.publish(subject, data, { reply: `${inbox}${token}`, headers });
      waiting.set(token, { subject, resolve, reject, until: performance.now() + timeout });
      sweeping ??= setTimeout(sweep, SWEEP_MS);
    });

  const probe = async (subject: string): Promise<boolean> => {
    await sleep(PROBE_PAUSE_MS);
    const headers = newHeaders();
    headers.set('Nats-Expected-Stream', NO_STREAM);
    return send(subject, undefined, headers, PROBE_TIMEOUT_MS).then(
      () => true,
      (error: unknown) => !isUnanswered(error),
    );
  };

  const hasLeader = (stream: string, subject: string): Promise<boolean> => {
    const probing = probes.get(stream) ?? probe(subject).finally(() => probes.delete(stream));
    probes.set(stream, probing);
    return probing;
  };

  return {
    faults,
    publish: async (subject, data, { msgID, after, headers = newHeaders(), ...options }) => {
      if (msgID !== undefined) headers.set('Nats-Msg-Id', msgID);
      if (after !== undefined) headers.set('Nats-Expected-Last-Subject-Sequence', String(after));
      const { withinMs, isOver, timeout = withinMs === undefined ? TIMEOUT_MS : TRY_MS } = options;
      if (withinMs === undefined) return send(subject, data, headers, timeout);
      const stream = subject.split('.', 2).join('.'); // or a part of the stream
      const { silentTries, tryMs } = faults.check(stream);
      const sendOnce = () => send(subject, data, headers, Math.min(timeout, tryMs));
      let silent = 0;
      const pause = async (error: unknown): Promise<boolean> => {
        if (error instanceof JetStreamApiError) return sleep(PROBE_PAUSE_MS, true);
        const answers = await hasLeader(stream, subject);
        silent = answers && error instanceof errors.TimeoutError ? silent + 1 : 0;
        if (silent >= silentTries) throw faults.notStored(stream);
        return answers;
      };
      try {
        const ack = await onceJetStreamAnswers(sendOnce, {
          withinMs,
          isOver,
          isDown: isStoredLater,
          pause,
        });
        faults.stored(stream);
        return ack;
      } catch (cause) {
        throw isStoredLater(cause) ? new Error('the stream has no leader', { cause }) : cause;
      }
    },
  };
}

type Reply = PubAck & {
  error?: { code: number; err_code: number; description: string };
};

function readAck(subject: string, message: Msg): PubAck {
  if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS)
    throw new errors.NoRespondersError(subject);
  const { error, ...ack } = JSON.parse(message.string()) as Reply;
  if (error) throw new JetStreamApiError(error);
  if (!ack.stream) throw new Error('invalid acknowledgment');
  return { ...ack, duplicate: ack.duplicate ?? false };
}

/**
 * Publishes only if nothing else was published for the subject in the meantime. RETRY and FAILED
 * need it, because their subjects name the event.
 * @returns false when the last message of the subject is not `after`, by default none
 */
export async function publishOnce(
  publisher: Publisher,
  subject: string,
  data: Uint8Array,
  options: Omit<PublishOptions, 'msgID'>,
): Promise<boolean> {
  try {
    await publisher.publish(subject, data, { after: 0, ...options });
    return true;
  } catch (cause) {
    if (isOvertaken(cause)) return false;
    throw new Error(`publish ${subject}`, { cause });
  }
}
