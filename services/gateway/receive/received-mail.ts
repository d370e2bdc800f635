/** An email at the end of its DATA, and what became of it. */
import type { MailFacts, StoredAt } from '../../core/delivery/mail-event.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import type { LinkedFile } from '../../core/signed-link.ts';
import type { Envelope, ParsedAttachment } from '../../core/webhook/payload.ts';
import type { ParseWarning } from '../../core/webhook/parse-warning.ts';

/**
 * A recipient that RCPT accepted, and the mailboxes by which the client named it: several reach one
 * catch-all.
 */
export type AcceptedRecipient = { recipient: Recipient; named: Map<string, string> };

export type ReceivedMail = {
  /** Random; the same when the email is handled again. */
  transactionId: string;
  /** As the client sent it: what signatures and digests cover, and what counts as its size. */
  raw: Buffer;
  /** The email with our Received headers prepended, in one buffer. This is parsed and stored. */
  withReceived: Buffer;
  envelope: Envelope;
  recipients: readonly AcceptedRecipient[];
  /** Whether the client reads UTF-8 in replies (RFC 6531). */
  isUtf8: boolean;
  /** End of DATA. */
  receivedAt: Date;
  /** When the client gets 451 if the email is not stored by then. */
  replyBy: Date;
  /** When set, the email is not parsed as a whole, and carries this warning. */
  unparsed?: ParseWarning | undefined;
  /** When set, an email whose files unpack to more is not handled: UnpacksTooMuch is thrown. */
  unpackedMaxBytes?: number;
};

/** Stores the files that payloads link to, or that dispatchers copy to a bucket. */
export type MailFiles = {
  storeRaw(eventId: string, raw: Uint8Array): Promise<void>;
  storeAttachments(eventId: string, attachments: readonly ParsedAttachment[]): Promise<void>;
};

/** A link to a file of an event. */
export type FileLink = (eventId: string, file: LinkedFile, receivedAt: Date) => string;

/** An event that was folded into the first one of an equal email (D32). */
export type Repeat = {
  event: MailFacts;
  /** The id is undefined when the first email is no longer on the stream. */
  first: { eventId: string | undefined; storedAt: StoredAt };
};

/** The event of one recipient, or of a further receiver of it. */
export type StoredEvent = {
  /** For a duplicate, the id of the first event. */
  eventId: string;
  accountId: string;
  addressId: string;
  isRepeat: boolean;
  /** When JetStream got it, and how long it took to store it. */
  storedFrom: Date;
  storeMs: number;
};

export type Stored = {
  /** One for each recipient. Those of further receivers are not in it. */
  events: StoredEvent[];
  repeats: Repeat[];
  /** A CR or LF of the email is not part of a CRLF. */
  bareLineEnds: boolean;
};

/**
 * Resolves once all events are on disk. @throws SmtpRefusal, or any other error when the sender
 * should try again
 */
export type Receive = (received: ReceivedMail) => Promise<Stored>;
