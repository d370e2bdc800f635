/** Changes of deliveries: what each adds to the counters, and to the audit trail. */
import {
  type Attempt,
  type DeliveryState,
  type DeliveryStatus,
  revisionOf,
  statusNow,
  tallyOf,
} from '../../../core/delivery/delivery.ts';
import type { ExpectedEmail } from '../../../core/address/expectation.ts';
import { isSameOffer, type Offer } from '../../../core/delivery/offer.ts';
import type { EndedAs } from '../../../core/delivery/end.ts';
import type { AttemptHeaders } from '../../../core/delivery/attempt-headers.ts';
import { isFinal } from '../../../core/delivery/delivery-view.ts';
import { receiverNews } from '../../../core/delivery/failing.ts';
import {
  addressIdOfEvent,
  furtherReceiverFields,
  type MailEvent,
  type StoredAt,
} from '../../../core/delivery/mail-event.ts';
import type { StoredFiles } from '../../../core/bucket/stored-files.ts';
import { addressWrite, expectedWrite } from './address-writes.ts';
import { createUsageSums } from '../usage/counters.ts';
import type { NewUsageEvent } from '../audit/events.ts';

/** A change of one event's delivery: an attempt, or that the email waits for its first one. */
export type DeliveryChange = {
  event: MailEvent;
  storedAt: StoredAt;
  /**
   * undefined when the email waits, which creates the record, or sets the next attempt of one that is
   * still as `found`; and when rules hold or drop it, or no webhook is sent of it.
   */
  attempt: Attempt | undefined;
  /** The headers of the attempt; undefined when nothing was sent. */
  headers?: AttemptHeaders | undefined;
  status: DeliveryStatus;
  nextAttemptAt: Date | null;
  /** The record as its dispatcher read it; undefined without one. */
  found?: Pick<DeliveryState, 'next_attempt_at' | 'revision' | 'offer'> | undefined;
  /** What a pull receiver can have of it from now on; absent removes what it could have. */
  offer?: Offer | undefined;
  /** Why it ended without an attempt. */
  endedAs?: EndedAs | undefined;
  /** When the time of the email begins, if not with its receipt. */
  beganAt?: Date | undefined;
  /** The event has no record, as far as its dispatcher knows. */
  isNew?: boolean | undefined;
  contentUntil?: Date | undefined; // of a delivered attempt, when the customer limits the retention
  /** That this attempt, or an earlier one, stored in a bucket. */
  storedFiles?: StoredFiles | undefined;
};

/** Whether it says more than that the email waits: an attempt, or an end without one. */
export const isOutcome = ({ attempt, status }: DeliveryChange): boolean =>
  attempt !== undefined || isFinal(status);

/** A request changed the record after the attempt had begun (D165). */
export const isOvertaken = (
  { found }: DeliveryChange,
  before: Pick<DeliveryState, 'revision'> | undefined,
): boolean => before !== undefined && revisionOf(before) > revisionOf(found ?? {});

/** A consumer has leased, renewed or ended the offer that this change is about. */
export const isOfOtherOffer = (
  { found }: DeliveryChange,
  before: Pick<DeliveryState, 'offer'> | undefined,
): boolean => before !== undefined && !isSameOffer(found?.offer, before.offer);

/** Each attempt is an event of the audit trail (D15), and so is what rules decide (D55). */
export function outcomeEvent(
  { event, attempt, status, endedAs }: DeliveryChange,
  now: Date,
): NewUsageEvent[] {
  const { event_id, account_id, environment } = event;
  if (status === 'held' || status === 'dropped')
    return [
      {
        account_id,
        environment,
        type: `email.${status}`,
        address_id: addressIdOfEvent(event),
        timestamp: now,
        data: { event_id, ...furtherReceiverFields(event), ...reasonOf(event) },
      },
    ];
  if (status === 'pending' || (attempt === undefined && (!endedAs || status === 'delivered')))
    return [];
  const timestamp = attempt ? new Date(attempt.at.getTime() + attempt.duration_ms) : now;
  return [
    {
      account_id,
      environment,
      type: `webhook.${status}`,
      address_id: addressIdOfEvent(event),
      timestamp,
      data: {
        event_id,
        ...furtherReceiverFields(event),
        status_code: attempt?.status_code ?? null,
        ...(endedAs && { outcome: endedAs }),
      },
    },
  ];
}

function reasonOf({ ruling }: MailEvent): { reason?: string; rule?: string } {
  const rule = ruling?.rules.find(({ result, action }) => result === 'matched' && action !== 'tag');
  return { ...(ruling?.reason && { reason: ruling.reason }), ...(rule && { rule: rule.name }) };
}

/** The counter changes of a batch, with one write for each counter document. */
export function countersOf(
  changes: readonly DeliveryChange[],
  before: ReadonlyMap<string, Pick<DeliveryState, 'status' | 'revision'>>,
  isEmail: boolean,
) {
  const receivers = new Map<string, { received: number; attempts: Attempt[] }>();
  const expected = new Map<string, ExpectedEmail>();
  const usage = createUsageSums();
  for (const change of changes) {
    const { event, status, attempt } = change;
    const found = before.get(event.event_id);
    const is = statusNow(found?.status, status, isOvertaken(change, found));
    const tally = tallyOf(found?.status, is, event.email !== undefined);
    const of = receivers.get(event.address_id) ?? { received: 0, attempts: [] };
    if (isEmail) of.received += tally.received;
    if (tally.received > 0 && event.expected)
      expected.set(event.address_id, latest(event.expected, expected.get(event.address_id)));
    if (attempt) of.attempts.push(attempt);
    receivers.set(event.address_id, of);
    if (isEmail) usage.add({ ...event, received_at: new Date(event.received_at_ms) }, tally);
  }
  const news = [...receivers].map(
    ([id, { received, attempts }]) => [id, received, receiverNews(attempts)] as const,
  );
  return {
    accepted: news.flatMap(([id, , { hasAccepted }]) => (hasAccepted ? [id] : [])),
    receivers: [
      ...news.flatMap((of) => addressWrite(...of).map((write) => ({ id: of[0], write }))),
      ...[...expected].map(([id, email]) => ({ id, write: expectedWrite(id, email) })),
    ],
    usage,
  };
}

/** The latest email of a batch. If the address changed meanwhile, emails of its newest expectation count. */
const latest = (one: ExpectedEmail, other: ExpectedEmail | undefined): ExpectedEmail =>
  other &&
  (other.since_ms > one.since_ms ||
    (other.since_ms === one.since_ms && other.until_ms > one.until_ms))
    ? other
    : one;
