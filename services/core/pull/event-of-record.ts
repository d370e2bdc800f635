/** The event of a delivery, made from its record, for a change without the message of the stream. */
import type { Delivery } from '../delivery/delivery.ts';
import type { MailEvent } from '../delivery/mail-event.ts';

/** Only what changes of a record that exists need. The payload is not described. */
export const eventOfRecord = (delivery: Delivery): MailEvent => ({
  event_id: delivery.event_id,
  account_id: delivery.account_id,
  environment: delivery.environment,
  address_id: delivery.address_id,
  ...(delivery.email && { email: delivery.email }),
  mail_from: delivery.mail_from,
  from: delivery.from,
  subject: delivery.subject,
  size_bytes: delivery.size_bytes,
  received_at_ms: delivery.received_at.getTime(),
  payload_bytes: 0,
  payload_in: delivery.payload_in === 'bucket' ? 'bucket' : 'message',
  ...(delivery.storage_order && { storage: delivery.storage_order }),
});
