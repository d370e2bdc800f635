/**
 * Publishes messages to JetStream and waits for their acknowledgments. The client's own `publish`
 * makes for every message an error with its stack, a text decoder, a timer and a race of promises.
 */
import { JetStreamApiError, type JetStreamPublishOptions, type PubAck } from '@nats-io/jetstream';
import {
  createInbox,
  errors,
  headers as newHeaders,
  type Msg,
  type NatsConnection,
} from '@nats-io/transport-node';

export type Expectation = { streamName?: string; lastSubjectSequence?: number };

export type PublishOptions = Partial<Pick<JetStreamPublishOptions, 'msgID' | 'headers'>> & {
  /** How long the acknowledgment may take: a tenth of a second more at most. */
  timeout?: number;
  expect?: Expectation;
};

export type Publisher = {
  /**
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
const SWEEP_MS = 100;
const NO_RESPONDERS = 503;

/** @param connection that gets one subscription, for the acknowledgments of all messages */
export function createPublisher(connection: NatsConnection): Publisher {
  const inbox = `${createInbox()}.`;
  const waiting = new Map<string, Waiting>(); // by the last token of the reply subject
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

  return {
    publish: (subject, data, { msgID, expect, headers, timeout = TIMEOUT_MS }) =>
      new Promise((resolve, reject) => {
        const fields = headers ?? newHeaders();
        if (msgID !== undefined) fields.set('Nats-Msg-Id', msgID);
        if (expect?.streamName !== undefined) fields.set('Nats-Expected-Stream', expect.streamName);
        if (expect?.lastSubjectSequence !== undefined)
          fields.set('Nats-Expected-Last-Subject-Sequence', String(expect.lastSubjectSequence));
        const token = (published++).toString(36);
        connection.publish(subject, data, { reply: `${inbox}${token}`, headers: fields });
        waiting.set(token, { subject, resolve, reject, until: performance.now() + timeout });
        sweeping ??= setTimeout(sweep, SWEEP_MS);
      }),
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
