/**
 * Messages of MAIL and RETRY that cannot be read: they were damaged, or are not from Inlet. After
 * three deliveries they move to the stream DEAD. Otherwise they would come back for ever, and keep
 * all later emails of their partition from being purged.
 */
import type { JsMsg } from '@nats-io/jetstream';
import { headers as newHeaders } from '@nats-io/transport-node';

import type { Log } from '../../process/log.ts';
import type { Publisher } from '../events/publish.ts';

/** A dispatcher of another version may read it. */
const DELIVERIES = 3;
const NAK_DELAY_MS = 3_000;

/** Settles the message, or has it delivered again. */
type SetAside = (message: JsMsg, reason: unknown) => Promise<void>;

export const createDeadLetters = (publisher: Publisher, log: Log): SetAside =>
  async function setAside(message, reason) {
    if (message.info.deliveryCount < DELIVERIES) return message.nak(NAK_DELAY_MS);
    const { stream } = message.info;
    const headers = newHeaders();
    for (const [name, values] of message.headers ?? [])
      if (!name.startsWith('Nats-')) for (const value of values) headers.append(name, value);
    const msgID = `${stream} ${message.seq}`; // a repetition after a lost acknowledgment folds
    await publisher.publish(`dead.${stream}`, message.data, { headers, msgID });
    message.ack();
    log.error('mail.set_aside', { stream, sequence: message.seq, error: reason });
  };
