/** The events that a gateway stored on the stream, as a dispatcher reads them. */
import { jetstreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';

import { readEvent } from '../../services/adapters/stream/events/wire.ts';
import type { Nats } from '../../services/adapters/stream/connection/connection.ts';
import {
  BODIES_BUCKET,
  existingPartitions,
  mailStream,
} from '../../services/adapters/stream/events/streams.ts';
import type { MailEvent } from '../../services/core/delivery/mail-event.ts';
import { WebhookPayload } from '../../services/core/webhook/payload.ts';

export type StoredMail = { event: MailEvent; payload: WebhookPayload; subject: string };

/** Every event on the stream, or those of one address. Their payloads must be valid. */
export async function storedMails(nats: Nats, addressId?: string): Promise<StoredMail[]> {
  const manager = await jetstreamManager(nats.connection);
  const stored: StoredMail[] = [];
  for (const partition of await existingPartitions(manager)) {
    const { state } = await manager.streams.info(mailStream(partition));
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(mailStream(partition), { seq });
      if (message === null) continue;
      const event = readEvent(message.header);
      if (addressId !== undefined && event.address_id !== addressId) continue;
      const body =
        event.payload_in === 'message'
          ? message.data
          : await (await new Objm(nats.connection).open(BODIES_BUCKET)).getBlob(event.event_id);
      stored.push({
        event,
        subject: message.subject,
        payload: WebhookPayload.parse(JSON.parse(Buffer.from(body ?? []).toString())),
      });
    }
  }
  return stored;
}
