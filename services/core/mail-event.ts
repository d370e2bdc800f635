/** A mail on its way through the stream: what travels beside the payload's bytes, where it lies and how repeats fold (design §3). */
import { createHash } from 'node:crypto';
import { z } from 'zod';

import { Environment } from './address.ts';

/** What a dispatcher must know of a mail without reading its payload. Travels as JSON in the `Inlet-Event` header. */
export const MailEvent = z.object({
  event_id: z.string(),
  account_id: z.string(),
  environment: Environment,
  address_id: z.string(),
  /** Envelope sender; empty for the null sender. */
  mail_from: z.string(),
  /** From and Subject headers as text, for the delivery record; null when the mail has none. */
  from: z.string().nullable(),
  subject: z.string().nullable(),
  /** Raw message. */
  size_bytes: z.int(),
  /** End of DATA, milliseconds since 1970. */
  received_at_ms: z.int(),
  /** Length of the payload's JSON. */
  payload_bytes: z.int(),
  /** Where the payload lies: the message itself, or the object bucket under the event id (claim check). */
  payload_in: z.enum(['message', 'bucket']),
});
export type MailEvent = z.infer<typeof MailEvent>;

/** Payloads above this go to the object bucket; the event then carries the reference. */
export const INLINE_PAYLOAD_MAX_BYTES = 512 * 1024;

/** Digest of the raw bytes, made once a transaction. */
export const digestOfRaw = (raw: Uint8Array): Buffer => createHash('sha256').update(raw).digest();

/** What two copies of one mail share: address, envelope sender and raw bytes. Goes out as `Nats-Msg-Id`. */
export function foldDigest(addressId: string, mailFrom: string, rawDigest: Uint8Array): string {
  return createHash('sha256').update(`${addressId}\0${mailFrom}\0`).update(rawDigest).digest('hex');
}

/** The partition a digest belongs to: JetStream folds repeats within one stream, so copies must meet there. */
export function partitionOf(digest: string, partitions: number): number {
  return Number.parseInt(digest.slice(0, 8), 16) % partitions;
}

const address = (event: MailEvent) => `${event.account_id}.${event.address_id}.${event.event_id}`;

export const subjects = {
  mail: (partition: number, event: MailEvent) => `mail.${partition}.${address(event)}`,
  retry: (partition: number, event: MailEvent) => `retry.${partition}.${address(event)}`,
  failed: (event: MailEvent) => `failed.${address(event)}`,
};
