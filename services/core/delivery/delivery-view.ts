/** Deliveries as the API shows them, and which of them can be replayed. */
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../resource/api-reference.ts';
import type { DateRange } from '../time/date-range.ts';
import {
  attemptCount,
  ATTEMPTS_KEPT,
  type Delivery,
  type DeliveryStatus,
  REQUESTS_KEPT,
} from './delivery.ts';
import { ENDS } from './delivery-end.ts';
import {
  attemptsWithHeaders,
  AttemptView,
  attemptView,
  DeliveryAttempt,
  Handling,
  historyOf,
  OUTCOMES,
} from './attempt-view.ts';
import { addressIdOfEvent, emailOf } from './mail-event.ts';
import { UNSENT } from './delivery-end.ts';
import type { Outcome } from './retry.ts';
import { Ruling } from './ruling.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { mailTrace } from '../id/trace-context.ts';
import { StoredFilesView, storedFilesView } from '../bucket/stored-files-view.ts';
import { orNull } from '../resource/described.ts';

export const DELIVERY_STATUSES = [
  'pending',
  'retrying',
  'delivered',
  'failed',
  'held',
  'dropped',
] as const satisfies readonly DeliveryStatus[];
/** Statuses without an attempt in flight or scheduled. */
export const FINAL_STATUSES = [
  'delivered',
  'failed',
  'held',
  'dropped',
] as const satisfies readonly DeliveryStatus[];

export const isFinal = (status: DeliveryStatus): boolean =>
  (FINAL_STATUSES as readonly DeliveryStatus[]).includes(status);

/** Statuses of emails whose next attempt is still to come: the filter `waiting`. */
export const WAITING_STATUSES = [
  'pending',
  'retrying',
] as const satisfies readonly DeliveryStatus[];
export const STATUS_FILTERS = [...DELIVERY_STATUSES, 'waiting'] as const;

/** Statuses that a bulk replay can select: of `retrying` deliveries, it makes the next attempt due. */
export const REPLAY_STATUSES = [...FINAL_STATUSES, 'retrying'] as const;
type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/** Filters of lists and bulk replays. The range is of the time of receipt. */
export type DeliveryFilter = DateRange & {
  /** Addresses for their own receivers, further receivers, or a notification. */
  receiver_ids?: readonly string[] | undefined;
  status?: DeliveryStatus | 'waiting' | undefined;
};

/** The filters of a bulk replay. A delivery must have all `terms`, as in a search. */
export type ReplayFilter = DeliveryFilter & {
  status: ReplayStatus;
  terms?: readonly string[] | undefined;
};

/** Item of GET /deliveries. */
export const DeliveryListItem = z.object({
  event_id: z.string().describe("the payload's event_id"),
  address_id: z.string().describe('id of the address, or of the notification (ntf_…)'),
  receiver_id: z
    .string()
    .describe('further receiver of the address (rcv_…), or the same as address_id'),
  email_id: z
    .string()
    .describe('the same for the deliveries of an email to all receivers of its address'),
  status: z
    .enum(DELIVERY_STATUSES)
    .describe(
      'pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; ' +
        'delivered: the receiver accepted it, or it is stored and there is no webhook to send: see ' +
        'outcome; held: waits for a release; dropped: gets no webhook',
    ),
  outcome: orNull(
    z.enum([...OUTCOMES, 'canceled', ...ENDS]),
    'of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any ' +
      'more), expired (no attempt succeeded in time), unread (no consumer acknowledged it in time), ' +
      'backlog_full (too many emails waited); or why ' +
      'a delivered email was stored without a webhook: no_url (its address has no webhook_url), ' +
      'disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt',
  ),
  mail_from: z
    .string()
    .describe('SMTP envelope sender; empty for bounces, and when redacted or erased'),
  recipient: orNull(
    z.string(),
    'the name of the address in RCPT, as the sender wrote it; null when erased, for ' +
      'notifications, and for emails of earlier versions',
  ),
  from: z.string().nullable().describe('From header; null when absent, redacted or erased'),
  subject: z
    .string()
    .nullable()
    .describe('Subject header, null when absent, redacted or erased; the type of a notification'),
  size_bytes: z.int().describe('size of the raw mail'),
  received_at: Timestamp,
  next_attempt_at: Timestamp.nullable().describe(
    'not before this time; null when nothing is due. Of an email that a consumer asks for: from when ' +
      'on it can be leased, or when its lease ends',
  ),
  updated_at: Timestamp.describe('of the last change of this record'),
  content_erased_at: Timestamp.nullable().describe(
    'when a request erased the content; null when none did',
  ),
  attempt_count: z.int().describe('number of all attempts'),
  status_code: z
    .int()
    .nullable()
    .describe('of the response to the last attempt; null before one, and without a response'),
  error: z
    .string()
    .nullable()
    .describe('why the last attempt got no response; null when it got one, and before one'),
  tags: z.array(z.string()).describe('that rules added'),
  dmarc: z.string().nullable().describe('fail: perhaps From is forged; null when not checked'),
  thread_id: orNull(
    z.string(),
    'the conversation of the email at its address, as its headers claim it; null without message ' +
      'ids, and for emails of earlier versions',
  ),
});
describeSchema(DeliveryListItem, 'DeliveryListItem', {
  event_id: EXAMPLE.event_id,
  address_id: EXAMPLE.address_id,
  receiver_id: EXAMPLE.address_id,
  email_id: EXAMPLE.event_id,
  status: 'delivered',
  outcome: 'accepted',
  mail_from: 'ann@sender.example',
  recipient: 'orders@in.example.com',
  from: 'Ann <ann@sender.example>',
  subject: 'Order 7',
  size_bytes: 812,
  received_at: '2026-11-21T08:00:01Z',
  next_attempt_at: null,
  updated_at: EXAMPLE.now,
  content_erased_at: null,
  attempt_count: 1,
  status_code: 200,
  error: null,
  tags: [],
  dmarc: 'pass',
  thread_id: 'thr_5n8q2w4y6a9c1e3g7j0m2p4r6t',
});

/** Response of GET /deliveries/{event_id}. */
export const DeliveryView = DeliveryListItem.extend({
  trace_id: z
    .string()
    .describe('W3C trace id of the email; the `traceparent` of each of its webhooks contains it'),
  filter_error: orNull(
    z.string(),
    'why the filter of the receiver failed on this email, and so counted as true; null when it did not',
  ),
  ruling: Ruling.nullable().describe('what rules decided; null when none was evaluated'),
  released_at: Timestamp.nullable().describe('when a request released it; null when none did'),
  history: z
    .array(Handling)
    .describe(`what rules and requests did to it, oldest first: the last ${REQUESTS_KEPT + 1}`),
  storage: StoredFilesView.nullable().describe(
    'files of the email in your bucket; null when there are none',
  ),
  attempts: z.array(DeliveryAttempt).describe(`the last ${ATTEMPTS_KEPT}, oldest first`),
});
describeSchema(DeliveryView, 'Delivery', {
  ...exampleOf(DeliveryListItem),
  trace_id: mailTrace(EXAMPLE.event_id).traceId,
  filter_error: null,
  ruling: null,
  released_at: null,
  history: [],
  storage: null,
  attempts: [exampleOf(AttemptView)],
});

/** A delivery in a list: the number of its attempts instead of the attempts. */
export type DeliverySummary = Omit<
  Delivery,
  | 'attempts'
  | 'attempt_headers'
  | 'attempt_count'
  | 'attempts_before_replay'
  | 'stored_at'
  | 'payload_in'
  | 'revision'
  | 'unread'
  | 'began_at'
  | 'requeued_at'
  | 'content_until'
  | 'filter_error'
  | 'ruling'
  | 'released_at'
  | 'requests'
  | 'search'
  | 'stored_files'
  | 'storage_order'
  | 'file_deletion'
> & {
  attempt_count: number;
  last_outcome?: Outcome['kind'];
  last_status_code?: number | null;
  last_error?: string | null;
};

const endOf = ({ status, canceled_at, ended_as }: DeliverySummary) => {
  if (status === 'delivered') return UNSENT.find((unsent) => unsent === ended_as);
  if (status !== 'failed') return undefined;
  return canceled_at ? 'canceled' : ended_as;
};

export const deliveryListItem = (delivery: DeliverySummary): z.infer<typeof DeliveryListItem> => ({
  event_id: delivery.event_id,
  address_id: addressIdOfEvent(delivery),
  receiver_id: delivery.address_id,
  email_id: emailOf(delivery).event_id,
  status: delivery.status,
  outcome: endOf(delivery) ?? delivery.last_outcome ?? null,
  mail_from: delivery.mail_from,
  recipient: delivery.recipients?.[0] ?? null,
  from: delivery.from,
  subject: delivery.subject,
  size_bytes: delivery.size_bytes,
  received_at: timestamp(delivery.received_at),
  next_attempt_at: delivery.next_attempt_at && timestamp(delivery.next_attempt_at),
  updated_at: timestamp(delivery.updated_at),
  content_erased_at: delivery.content_erased_at ? timestamp(delivery.content_erased_at) : null,
  attempt_count: delivery.attempt_count,
  status_code: delivery.last_status_code ?? null,
  error: delivery.last_error ?? null,
  tags: [...(delivery.tags ?? [])],
  dmarc: delivery.verdict?.dmarc ?? null,
  thread_id: delivery.thread_id ?? null,
});

export function summaryOf({ unread, ...delivery }: Delivery): DeliverySummary {
  const last = delivery.attempts.at(-1);
  return {
    ...delivery,
    ...(unread && { next_attempt_at: unread.at }),
    attempt_count: attemptCount(delivery),
    ...(last && {
      last_outcome: last.outcome,
      last_status_code: last.status_code,
      last_error: last.error,
    }),
  };
}

/** A delivery whose attempts were read, as an item of a list. */
export const deliveryItem = (delivery: Delivery): z.infer<typeof DeliveryListItem> =>
  deliveryListItem(summaryOf(delivery));

export const deliveryView = (delivery: Delivery): z.infer<typeof DeliveryView> => ({
  ...deliveryListItem(summaryOf(delivery)),
  trace_id: mailTrace(delivery.event_id).traceId,
  filter_error: delivery.filter_error ?? null,
  ruling: delivery.ruling ?? null,
  released_at: delivery.released_at ? timestamp(delivery.released_at) : null,
  history: historyOf(delivery),
  storage: storedFilesView(delivery),
  attempts: delivery.attempts.map(attemptView),
});

export function deliveryWithHeaders(delivery: Delivery): z.infer<typeof DeliveryView> {
  const view = deliveryView(delivery);
  const first = view.attempt_count - view.attempts.length + 1;
  return { ...view, attempts: attemptsWithHeaders(view.attempts, first, delivery.attempt_headers) };
}
