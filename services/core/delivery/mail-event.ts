/** A mail on its way through the stream: what travels beside the payload's bytes, where it lies and how repeats fold (design §3). */
import { hash } from 'node:crypto';
import { z } from 'zod';

import { Environment } from '../account/address.ts';

/** What a dispatcher must know of a mail without reading its payload. Travels as JSON in the `Inlet-Event` header. */
export const MailEvent = z.object({
  event_id: z.string(),
  account_id: z.string(),
  environment: Environment,
  address_id: z.string(),
  /** Envelope sender; empty for the null sender. */
  mail_from: z.string(),
  /** From and Subject headers as text, for the delivery record: see {@link headerForRecord}; null when the mail has none. */
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

/** What a gateway knows of an email before its payload is written. */
export type MailFacts = Omit<MailEvent, 'payload_bytes' | 'payload_in'>;

/** Payloads above this go to the object bucket; the event then carries the reference. */
export const INLINE_PAYLOAD_MAX_BYTES = 512 * 1024;

/** JetStream takes 64 KiB of headers with a message, and this event is one of them. */
const RECORDED_HEADER_MAX_CHARS = 1000;

/** As much of a header as a delivery record shows. The payload has all of it. */
export const headerForRecord = (text: string | null): string | null =>
  text && text.slice(0, RECORDED_HEADER_MAX_CHARS).toWellFormed();

/** Digest of the raw bytes, made once a transaction. */
export const digestOfRaw = (raw: Uint8Array): string => hash('sha256', raw);

/** What two copies of one mail share: address, the mailboxes that it was sent to there, envelope sender and raw bytes. Goes out as `Nats-Msg-Id`. */
export function foldDigest(
  addressId: string,
  mailboxes: readonly string[],
  mailFrom: string,
  rawDigest: string,
): string {
  return hash('sha256', [addressId, ...mailboxes.toSorted(), '', mailFrom, rawDigest].join('\0'));
}

/** The partition a digest belongs to: JetStream folds repeats within one stream, so copies must meet there. */
export function partitionOf(digest: string, partitions: number): number {
  return Number.parseInt(digest.slice(0, 8), 16) % partitions;
}

type Of = Pick<MailEvent, 'account_id' | 'address_id' | 'event_id'>;

/** Mail keeps its place for the replay window: a subject for each address, not each event, since the server holds every subject in memory. */
export const subjects = {
  mail: (partition: number, { account_id, address_id }: Of) =>
    `mail.${partition}.${account_id}.${address_id}`,
  retry: (partition: number, { account_id, address_id, event_id }: Of) =>
    `retry.${partition}.${account_id}.${address_id}.${event_id}`,
  failed: ({ account_id, address_id, event_id }: Of) =>
    `failed.${account_id}.${address_id}.${event_id}`,
};

/** Where an event was stored when its mail was accepted: its place in a mail partition. */
export const StoredAt = z.object({ partition: z.int(), sequence: z.int() });
export type StoredAt = z.infer<typeof StoredAt>;
