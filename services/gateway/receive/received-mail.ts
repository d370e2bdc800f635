/** An email at the end of its DATA, and what became of it. */
import type { MailFacts, StoredAt } from '../../core/delivery/mail-event.ts';
import type { ContentOwner } from '../../adapters/stream/objects/objects.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import type { LinkedFile } from '../../core/secret/signed-link.ts';
import type { Spam } from '../../core/mail/spam.ts';
import type { Decision } from '../../core/decision/decision.ts';
import type { RecipientAuthor } from '../../core/decision/first-seen.ts';
import type { RecipientRefusal } from '../../core/refusal/decided-by.ts';
import type { Envelope, ParsedAttachment } from '../../core/webhook/payload.ts';
import type { ParseWarning } from '../../core/webhook/parse-warning.ts';
import type { KnownAuthor } from '../../core/decision/known-author.ts';
import type { SenderFacts } from './check-sender.ts';

/**
 * A recipient that RCPT accepted, and the mailboxes by which the client named it: several reach one
 * catch-all.
 */
export type AcceptedRecipient = { recipient: Recipient; named: Map<string, string> };

/** Each may be set; a warning says why. */
export type SkippedStages = {
  /** No authentication: its results are `temperror`. */
  sender?: true;
  /** Only the headers and the beginning of the text are read. */
  content?: ParseWarning;
  /** Rules and filters are not evaluated, and hooks are not asked: what depends on them is held. */
  rules?: ParseWarning;
};

/**
 * What was found and decided before the first event was stored. When a thread ends afterwards, the
 * email is handled again, and must be stored as the same email: a DNS server or a hook may answer
 * something else by then.
 */
export type FixedDecision = {
  sender: SenderFacts;
  spam: Spam;
  /** Whether it folds with its repeats. */
  folds: boolean;
  /** For each recipient, in their order. */
  authors: readonly RecipientAuthor[];
  decided: readonly Decision[];
};

export type ReceivedMail = {
  /** Random; the same when the email is handled again, so its event ids are, too. */
  transactionId: string;
  /** As the client sent it: what signatures and digests cover, and what counts as its size. */
  raw: Buffer;
  /** The email with our Received headers prepended, in one buffer. This is parsed and stored. */
  withReceived: Buffer;
  envelope: Envelope;
  recipients: readonly AcceptedRecipient[];
  /** Whether the client reads UTF-8 in replies (RFC 6531). */
  isUtf8: boolean;
  /** Whether the client gets a reply for each recipient: LMTP (RFC 2033 §4.2). */
  repliesEach: boolean;
  /** End of DATA. */
  receivedAt: Date;
  /** When the client gets 451 if the email is not stored by then. */
  replyBy: Date;
  /** What took too long in an earlier run, and is left out in this one. */
  skipped?: SkippedStages;
  /** What an earlier run decided before it stored anything. */
  fixed?: FixedDecision | undefined;
};

/**
 * Stores the files that payloads link to, or that dispatchers copy to a bucket. They are encrypted if
 * there is an owner.
 */
export type MailFiles = {
  storeRaw(eventId: string, raw: Uint8Array, owner: ContentOwner | undefined): Promise<void>;
  storeAttachments(
    eventId: string,
    attachments: readonly ParsedAttachment[],
    owner: ContentOwner | undefined,
  ): Promise<void>;
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
  /** One for each recipient that accepted it. Those of further receivers are not in it. */
  events: StoredEvent[];
  /** Recipients that refuse it for themselves. Over SMTP there are none: an email is refused as a whole. */
  refused: RecipientRefusal[];
  repeats: Repeat[];
  /** Whom this email makes known at its recipients. */
  authors: KnownAuthor[];
  /** A CR or LF of the email is not part of a CRLF. */
  bareLineEnds: boolean;
};

/**
 * Resolves once all events are on disk. @throws SmtpRefusal, or any other error when the sender
 * should try again
 * @param client aborted when it has closed its connection: work that waits then is dropped (RFC 5321
 * §4.1.1.10)
 */
export type Receive = (received: ReceivedMail, client?: AbortSignal) => Promise<Stored>;

/** The client has closed its connection and gets no reply. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('the client has closed its connection');
  }
}
