/**
 * The record of one event's delivery: its attempts and its status (spec 3). Attempts are counted
 * here, not by the stream.
 */
import type { FileDeletion } from '../bucket/file-deletion.ts';
import type { StorageOrder, StoredFiles } from '../bucket/stored-files.ts';
import type { Environment } from '../resource/environment.ts';
import type { AttemptHeaders } from './attempt-headers.ts';
import type { EmailOf, MailEvent, StoredAt } from './mail-event.ts';
import type { Ruling } from './ruling.ts';
import type { DeliveryEnd } from './delivery-end.ts';
import type { Unread } from './unread.ts';
import type { Outcome } from './retry.ts';
import type { MailVerdict, SearchKeys } from './search-terms.ts';

/**
 * `pending` is an email without an attempt. `held` waits for a release, and `dropped` gets no webhook:
 * rules decided so, or a request (D55).
 */
export type DeliveryStatus = 'pending' | 'retrying' | 'delivered' | 'failed' | 'held' | 'dropped';

export type Attempt = {
  at: Date;
  duration_ms: number;
  outcome: Outcome['kind'];
  /** null without a response. */
  status_code: number | null;
  /** Why there was no response, for the owner of the address; null with a response. */
  error: string | null;
  /** First KiB of the response body as text; null without a body. */
  excerpt: string | null;
  /** Location of a redirect, which is not followed; absent without one. */
  location?: string;
  /** The response of an authorization server that gave no token; absent otherwise. */
  token_status?: number;
};

/** What a request did to a delivery. */
export const REQUESTED = ['released', 'dropped', 'replayed', 'retried', 'canceled'] as const;
/** Who asked for it. */
export type RequestedBy = {
  token_id?: string;
  session_id?: string;
  member_id?: string;
  user?: string;
};
export type DeliveryRequest = { at: Date; did: (typeof REQUESTED)[number] } & RequestedBy;

/** So many entries of `requests` are kept. */
export const REQUESTS_KEPT = 20;

/** The headers of the attempt that has this number among all attempts, from 1. */
type NumberedHeaders = AttemptHeaders & { attempt: number };

export type Delivery = {
  event_id: string;
  account_id: string;
  environment: Environment;
  /** The receiver: see MailEvent. */
  address_id: string;
  /** The email that a further receiver gets; absent for the address's own receiver. */
  email?: EmailOf;
  status: DeliveryStatus;
  mail_from: string;
  from: string | null;
  subject: string | null;
  /** Mailboxes that the sender named; absent in records of earlier releases, like the next two. */
  recipients?: string[];
  verdict?: MailVerdict;
  /** Made of the fields of this record and of the words of the text: a change must make it again. */
  search?: SearchKeys;
  /** Why the filter of a further receiver failed, and so counted as true; absent otherwise. */
  filter_error?: string;
  /** The conversation, as the headers of the email claim it; absent without message ids. */
  thread_id?: string;
  /** Added by rules; absent for none. */
  tags?: readonly string[];
  /** Absent when it has none, and in records of earlier releases. */
  has_attachments?: true;
  /** What rules decided; absent when none was evaluated. */
  ruling?: Ruling;
  /** When a request released it; absent for an email that was not held or dropped. */
  released_at?: Date;
  requests?: DeliveryRequest[];
  size_bytes: number;
  received_at: Date;
  stored_at: StoredAt;
  payload_in: MailEvent['payload_in'] | 'removed';
  /** The last {@link ATTEMPTS_KEPT} attempts. */
  attempts: Attempt[];
  /** Headers of the last attempts that called the receiver; absent for none. */
  attempt_headers?: NumberedHeaders[];
  /** Number of all attempts; absent in records of earlier releases, which kept all of them. */
  attempt_count?: number;
  /** Attempts before the last replay, which starts the schedule again; 0 without a replay. */
  attempts_before_replay: number;
  /** Not before this time; null when nothing is due. Of an unread one, when it ends as failed. */
  next_attempt_at: Date | null;
  /** Set when a request ended the delivery; absent after a replay. */
  canceled_at?: Date;
  /** Why it ended without an attempt of the dispatcher; absent otherwise, and after a replay. */
  ended_as?: DeliveryEnd;
  /** When a replay or a release started the schedule again; absent without one. */
  began_at?: Date;
  /** How often a request changed when it is attempted; absent for never. */
  revision?: number;
  /** Absent unless consumers ask for it and none has ended it. */
  unread?: Unread;
  /** When a sweep queued it again, because no stream had its message; absent after a request. */
  requeued_at?: Date;
  /** When the retention of the content ends; absent before the delivery and without a limit. */
  content_until?: Date;
  /** When a request erased the content; absent otherwise. */
  content_erased_at?: Date;
  /** What is to be stored in a bucket of the customer; absent for nothing. */
  storage_order?: StorageOrder;
  /** Files in a bucket of the customer; absent until they are stored. */
  stored_files?: StoredFiles;
  /** The deletion of those files; absent until a request erases the email. */
  file_deletion?: FileDeletion;
  updated_at: Date;
};

/** A record has at most this many attempts, so that it does not grow without end. */
export const ATTEMPTS_KEPT = 100;
/** A delivery with this many attempts is not replayed again. */
export const ATTEMPTS_MAX = 1_000;

/** An earlier release adds attempts without counting them. */
export const attemptCount = ({
  attempts,
  attempt_count = 0,
}: Pick<Delivery, 'attempts' | 'attempt_count'>): number =>
  Math.max(attempt_count, attempts.length);

/** What a lane needs from the record of a redelivered event. */
export type DeliveryState = {
  status: DeliveryStatus;
  /** Number of all attempts. */
  attempts: number;
  /** Attempts before the last replay, which starts the schedule again; 0 without a replay. */
  attempts_before_replay: number;
  next_attempt_at: Date | null;
  began_at?: Date;
  revision?: number;
  unread?: Unread;
  content_erased_at?: Date;
  released_at?: Date;
  stored_files?: StoredFiles;
};

/**
 * Requests raise the revision of a record first, and then put a message of that revision into the
 * RETRY lane (D165). An older copy of the message makes no attempt, wherever it still is, and an
 * attempt that began with an older revision ends nothing unless the receiver accepted it. So no clock
 * decides which of two writes is the later one.
 */
export const revisionOf = ({ revision = 0 }: { revision?: number }): number => revision;

/** The status of an email that rules hold or drop, until a request releases it; otherwise undefined. */
export const ruledStatus = (
  { ruling }: Pick<MailEvent, 'ruling'>,
  state: Pick<DeliveryState, 'released_at'> | undefined,
): 'held' | 'dropped' | undefined =>
  !ruling?.action || state?.released_at !== undefined
    ? undefined
    : ruling.action === 'hold'
      ? 'held'
      : 'dropped';

/**
 * The record of an event before any attempt, without the terms of the search, which only the stored
 * record needs.
 */
export function pendingDelivery(event: MailEvent, stored_at: StoredAt): Delivery {
  const received_at = new Date(event.received_at_ms);
  return {
    event_id: event.event_id,
    account_id: event.account_id,
    environment: event.environment,
    address_id: event.address_id,
    ...(event.email && { email: event.email }),
    status: ruledStatus(event, undefined) ?? (event.unsent ? 'delivered' : 'pending'),
    mail_from: event.mail_from,
    from: event.from,
    subject: event.subject,
    ...(event.recipients && { recipients: event.recipients }),
    ...(event.verdict && { verdict: event.verdict }),
    ...(event.unsent && { ended_as: event.unsent }),
    ...(event.filter_error !== undefined && { filter_error: event.filter_error }),
    ...(event.thread_id !== undefined && { thread_id: event.thread_id }),
    ...(event.tags && { tags: event.tags }),
    ...(event.has_attachments && { has_attachments: true }),
    ...(event.ruling && { ruling: event.ruling }),
    ...(event.storage && { storage_order: event.storage }),
    size_bytes: event.size_bytes,
    received_at,
    stored_at,
    payload_in: event.payload_in,
    attempts: [],
    attempts_before_replay: 0,
    next_attempt_at: null,
    updated_at: received_at,
  };
}

/**
 * Counter changes that one step of an event causes (D14, D28): an event counts once, however often
 * it is redelivered. An email counts at its address. At further receivers, only its deliveries count.
 */
export type Tally = {
  received: number;
  delivered: number;
  failed: number;
  /** Absent for none. */
  held?: number;
  dropped?: number;
  further_delivered?: number;
  further_failed?: number;
};

export function tallyOf(
  before: DeliveryStatus | undefined,
  after: DeliveryStatus,
  isFurther = false,
): Tally {
  const is = (status: DeliveryStatus) => Number(after === status) - Number(before === status);
  if (isFurther)
    return {
      received: 0,
      delivered: 0,
      failed: 0,
      further_delivered: is('delivered'),
      further_failed: is('failed'),
    };
  return {
    received: before === undefined ? 1 : 0,
    delivered: is('delivered'),
    failed: is('failed'),
    ...heldOrDropped({ held: is('held'), dropped: is('dropped') }),
  };
}

export const heldOrDropped = ({ held, dropped }: { held: number; dropped: number }) => ({
  ...(held !== 0 && { held }),
  ...(dropped !== 0 && { dropped }),
});
