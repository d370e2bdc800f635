/**
 * An email in the queue: the event that accompanies the payload, its subjects, and how repeats fold
 * (D32).
 */
import { hash } from 'node:crypto';
import { z } from 'zod';

import { StorageOrder } from '../bucket/stored-files.ts';
import { Environment } from '../resource/environment.ts';
import { newId, sameTimeId } from '../id/ids.ts';
import { ExpectedEmail } from '../address/expectation.ts';
import { Ruling } from './ruling.ts';
import { MailVerdict } from './search-terms.ts';
import { TextWords } from '../mail/text-words.ts';
import { UNSENT } from './delivery-end.ts';
import { cutText } from '../text/text.ts';

/** The address that got the email, and the event of that address. */
export const EmailOf = z.object({ address_id: z.string(), event_id: z.string() });
export type EmailOf = z.infer<typeof EmailOf>;

/**
 * What a dispatcher needs to know without reading the payload. Sent as JSON in the header
 * `Inlet-Event`.
 */
export const MailEvent = z.object({
  event_id: z.string(),
  account_id: z.string(),
  environment: Environment,
  /** The receiver: of an address its own id, else the id of a further receiver or a notification. */
  address_id: z.string(),
  /** The email of a further receiver; absent for the address's own and for notifications. */
  email: EmailOf.optional(),
  /** Envelope sender; empty for the null sender. */
  mail_from: z.string(),
  /**
   * From and Subject as text for the delivery record, see {@link headerForRecord}; null when
   * absent.
   */
  from: z.string().nullable(),
  subject: z.string().nullable(),
  /** Raw message. */
  size_bytes: z.int(),
  /** End of DATA, milliseconds since 1970. */
  received_at_ms: z.int(),
  /** Length of the payload's JSON. */
  payload_bytes: z.int(),
  /**
   * Where the payload is stored: in the message, or in the bucket under the event id (claim check).
   */
  payload_in: z.enum(['message', 'bucket']),
  /** How the payload in the message is encrypted (adapters/stream/objects/sealed-content.ts); absent when it is not. */
  seal: z.string().optional(),
  /** Mailboxes of the address that the client named, see {@link recipientsForRecord}. */
  recipients: z.array(z.string()).optional(),
  verdict: MailVerdict.optional(),
  /** Absent when a webhook is to be sent, and in events of further receivers, which have one. */
  unsent: z.enum(UNSENT).optional(),
  /** Why the filter of the receiver failed; absent when it did not. */
  filter_error: z.string().optional(),
  /** The conversation of the email at its address (thread.ts); absent without message ids. */
  thread_id: z.string().optional(),
  /** Added by rules; absent for none. */
  tags: z.array(z.string()).optional(),
  /** Absent when it has none. Images within the HTML do not count. */
  has_attachments: z.literal(true).optional(),
  /** What rules decided; absent when none was evaluated. */
  ruling: Ruling.optional(),
  /** Files to store in a bucket of the customer; absent for none. */
  storage: StorageOrder.optional(),
  /** Absent unless the address expects it, and in events of further receivers. */
  expected: ExpectedEmail.optional(),
  /** Absent unless the text is searched. */
  text_words: TextWords.optional(),
});
export type MailEvent = z.infer<typeof MailEvent>;

/** What a gateway knows of an email before its payload is written. */
export type MailFacts = Omit<MailEvent, 'payload_bytes' | 'payload_in' | 'seal'>;

/** JetStream limits the headers of a message, which include this event, to 64 KiB. */
const RECORDED_HEADER_MAX_CHARS = 1000;

/** The part of a header that a delivery record shows. The payload has all of it. */
export const headerForRecord = (text: string | null): string | null =>
  text && cutText(text, RECORDED_HEADER_MAX_CHARS);

const RECORDED_RECIPIENTS_MAX = 5;
const RECORDED_MAILBOX_MAX_CHARS = 320;

/** The recipients that a delivery record names: a catch-all can have many. */
export const recipientsForRecord = (mailboxes: Iterable<string>): string[] =>
  [...mailboxes]
    .slice(0, RECORDED_RECIPIENTS_MAX)
    .map((mailbox) => cutText(mailbox, RECORDED_MAILBOX_MAX_CHARS));

/** Whether a person would say so: images that the HTML shows do not count. */
export const hasAttachments = (
  parts: readonly { contentType: string; contentId: string | null }[],
): boolean =>
  parts.some(
    ({ contentType, contentId }) => contentId === null || !contentType.startsWith('image/'),
  );

/** Digest of the raw bytes, computed once per transaction. */
export const digestOfRaw = (raw: Uint8Array): string => hash('sha256', raw);

/**
 * The event id of a transaction at one address. A gateway that handles a transaction again, because
 * the thread of large emails ended, gets the same id and does not take its own event for a repeat.
 * @param transactionId random
 */
export const eventIdOf = (transactionId: string, addressId: string, receivedAt: Date): string =>
  newId('evt', receivedAt, hash('sha256', `${transactionId}\0${addressId}`, 'buffer'));

/**
 * The event id of the same email at a further receiver. It follows from the event id at the address,
 * so a repeated email gets the same one.
 */
export const receiverEventId = (eventId: string, receiverId: string): string =>
  sameTimeId(eventId, hash('sha256', `${eventId}\0${receiverId}`, 'buffer'));

type WithReceiver = { event_id: string; address_id: string; email?: EmailOf | undefined };

/** The address of an email, whichever receiver it is for. A notification has its own id there. */
export const addressIdOfEvent = ({ address_id, email }: Omit<WithReceiver, 'event_id'>): string =>
  email?.address_id ?? address_id;

/** What events of the audit trail say about a further receiver; nothing for the address itself. */
export const furtherReceiverFields = ({ address_id, email }: Omit<WithReceiver, 'event_id'>) =>
  email === undefined ? {} : { receiver_id: address_id };

/** The event of an email at its address, whichever receiver it is for. */
export const emailOf = ({ event_id, address_id, email }: WithReceiver): EmailOf =>
  email ?? { address_id, event_id };

/** Identifies an email that never folds: only the same transaction shares it. */
export const eventDigest = (eventId: string): string => hash('sha256', eventId);

/**
 * The same for two copies of one email: a digest of the address, the mailboxes named at this
 * address, the envelope sender, the raw bytes, and which checks passed. A forged copy passes other
 * checks than the true one, and must not take its place (D32).
 */
export function foldDigest(
  addressId: string,
  mailboxes: readonly string[],
  mailFrom: string,
  rawDigest: string,
  { spf, dkim, dmarc, spam }: MailVerdict,
): string {
  const passed = [spf, dkim, dmarc].map((word) => String(word === 'pass'));
  const named = [addressId, ...mailboxes.toSorted(), '', mailFrom, rawDigest, ...passed, spam];
  return hash('sha256', named.join('\0'));
}

/**
 * The partition of a digest. JetStream folds repeats within one stream, so copies must share it.
 */
export function partitionOf(digest: string, partitions: number): number {
  return Number.parseInt(digest.slice(0, 8), 16) % partitions;
}

/** Whether an event is a notification and not an email (notification-payload.ts). */
export const isNotification = (eventId: string): boolean => eventId.startsWith('nevt_');

/** Whether the `address_id` of an event is the id of a notification, and not of an address. */
export const isNotificationId = (id: string): boolean => id.startsWith('ntf_');

type Of = Pick<MailEvent, 'account_id' | 'address_id' | 'event_id'>;

/**
 * Subjects of the lanes. MAIL has one per address and not one per event: the server holds every
 * subject in memory, and delivered mail stays for its replay window.
 */
export const subjects = {
  mail: (partition: number, of: Of) => `mail.${partition}.${targetOf(of)}`,
  retry: (partition: number, of: Of) => `retry.${partition}.${targetOf(of)}.${of.event_id}`,
  failed: (of: Of) => `failed.${targetOf(of)}.${of.event_id}`,
};

/** Readers of the emails of an account must not find its notifications. */
const targetOf = ({ account_id, address_id }: Of): string =>
  isNotificationId(address_id)
    ? `notifications.${account_id}.${address_id}`
    : `${account_id}.${address_id}`;

/** The place in a MAIL partition where an event was stored when its email was accepted. */
export const StoredAt = z.object({
  partition: z.int(),
  sequence: z.int(),
  /** Whose NATS stores it, when several regions share one MongoDB (D87); absent without `REGION`. */
  region: z.string().optional(),
});
export type StoredAt = z.infer<typeof StoredAt>;

export const storedIn = (
  region: string | undefined,
  partition: number,
  sequence: number,
): StoredAt => ({ partition, sequence, ...(region !== undefined && { region }) });

/** Whether the NATS of this region stores the email. Others can neither read nor replay it. */
export const isStoredIn = (
  { stored_at }: { stored_at: StoredAt },
  region: string | undefined,
): boolean => stored_at.region === region;
