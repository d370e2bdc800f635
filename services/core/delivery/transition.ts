/**
 * The life of a delivery: what each event makes of its record, and what must follow. Requests and
 * sweeps raise the revision of the record (D165), so an event of an older revision comes too late: it
 * decides nothing, unless a receiver accepted the webhook. What has ended stays so until a replay.
 * docs/architecture.md has the table of statuses and events.
 */
import { HEADERS_OF_ATTEMPTS } from './attempt-headers.ts';
import {
  attemptCount,
  ATTEMPTS_KEPT,
  type DeliveryStatus,
  pendingDelivery,
  revisionOf,
} from './delivery.ts';
import type {
  DeliveryEvent,
  DeliveryRecord,
  DispatchEvent,
  Effect,
  Note,
  Transition,
} from './delivery-event.ts';
import { isFinal } from './delivery-view.ts';
import { settlementBy } from './resume.ts';
import { isSameLease } from './unread.ts';
import { counted, ofRequest, ofSweep, unchanged, withoutWords } from './request-transition.ts';

/** A message makes the record of an email that has none; no other event does. */
export function transition(record: DeliveryRecord, event: DeliveryEvent, now: Date): Transition;
export function transition(
  record: DeliveryRecord | undefined,
  event: DeliveryEvent,
  now: Date,
): Transition<DeliveryRecord | undefined>;
export function transition(
  record: DeliveryRecord | undefined,
  event: DeliveryEvent,
  now: Date,
): Transition<DeliveryRecord | undefined> {
  if ('mail' in event) return ofMessage(record, event, now);
  if (record === undefined) return unchanged(record);
  return 'by' in event ? ofRequest(record, event, now) : ofSweep(record, event, now);
}

/** The record before its first event: nothing has decided about the email. */
function created({ mail, storedAt, ...event }: DispatchEvent): DeliveryRecord {
  const { ended_as: _, ...record } = pendingDelivery(mail, storedAt);
  const beganAt = event.kind === 'delayed' ? event.beganAt : undefined;
  return { ...record, status: 'pending', ...(beganAt && { began_at: beganAt }) };
}

function ofMessage(found: DeliveryRecord | undefined, event: DispatchEvent, now: Date): Transition {
  const before = found ?? created(event);
  const { record, effects } = inRecord(before, event, now);
  if (found !== undefined)
    return { record, effects: [...effects, ...counted(found.status, record)] };
  return {
    record: record.updated_at === now ? record : { ...record, updated_at: now },
    effects: [...effects, ...counted(undefined, record)],
  };
}

function inRecord(before: DeliveryRecord, event: DispatchEvent, now: Date): Transition {
  const isLate = revisionOf(before) > event.revision;
  if (event.kind === 'attempted') return attempted(before, event, isLate, now);
  if (isLate) return unchanged(before, { kind: 'redeliver' });
  if (isFinal(before.status)) return unchanged(before, settlementBy(before));
  if (event.kind === 'stored') return unchanged(before);
  if (event.kind === 'delayed') return delayed(before, event, now);
  if (event.kind === 'kept') return kept(before, event, now);
  if (event.kind === 'held') return ended(before, 'held', now, {}, { type: 'email.held' });
  if (event.kind === 'dropped')
    return ended(before, 'dropped', now, { ...untilOf(event) }, { type: 'email.dropped' });
  if (event.kind === 'unsent')
    return ended(before, 'delivered', now, { ended_as: event.as, ...untilOf(event) });
  const note = { type: 'webhook.failed', outcome: event.as, by: {} } as const;
  const { record, effects } = ended(before, 'failed', now, { ended_as: event.as }, note);
  // a copy in FAILED would fill the disk of the backlog, too
  return event.as === 'backlog_full'
    ? { record, effects: effects.map((one) => (one.kind === 'keep' ? ACKNOWLEDGE : one)) }
    : { record, effects };
}

function delayed(
  before: DeliveryRecord,
  {
    until,
    foundDueAt,
    beganAt,
    storedFiles,
    revision,
  }: Extract<DispatchEvent, { kind: 'delayed' }>,
  now: Date,
): Transition {
  const retry = { kind: 'retry', at: until, revision } as const;
  // another dispatcher has delayed it
  if (before.next_attempt_at?.getTime() !== foundDueAt?.getTime()) return unchanged(before, retry);
  const record = {
    ...before,
    next_attempt_at: until,
    updated_at: now,
    ...(beganAt && { began_at: beganAt }),
    ...(storedFiles && { stored_files: storedFiles }),
  };
  return { record, effects: [retry] };
}

/** The content waits in FAILED, and the record for a consumer. */
function kept(
  before: DeliveryRecord,
  { unread, found, storedFiles }: Extract<DispatchEvent, { kind: 'kept' }>,
  now: Date,
): Transition {
  const keep = { kind: 'keep' } as const;
  if (!isSameLease(found, before.unread)) return unchanged(before, keep);
  const record = {
    ...before,
    unread,
    next_attempt_at: unread.until,
    updated_at: now,
    ...(storedFiles && { stored_files: storedFiles }),
  };
  return { record, effects: [keep] };
}

/** The receiver was called whatever has happened meanwhile, so the record has the attempt. */
function attempted(
  before: DeliveryRecord,
  event: Extract<DispatchEvent, { kind: 'attempted' }>,
  isLate: boolean,
  now: Date,
): Transition {
  const { attempt, step, contentUntil, storedFiles } = event;
  if (before.attempts.some(({ at }) => at.getTime() === attempt.at.getTime()))
    return unchanged(before, settlementBy(before));
  const isOther = !isSameLease(event.found, before.unread);
  if (isOther && event.found !== undefined) return unchanged(before, { kind: 'redeliver' });
  const isErased = before.content_erased_at !== undefined;
  const number = attemptCount(before) + 1;
  const recorded: DeliveryRecord = {
    ...before,
    attempts: [...before.attempts, isErased ? withoutWords(attempt) : attempt].slice(
      -ATTEMPTS_KEPT,
    ),
    attempt_count: number,
    updated_at: now,
    ...(storedFiles && { stored_files: storedFiles }),
    ...(event.headers &&
      !isErased && {
        attempt_headers: [
          ...(before.attempt_headers ?? []),
          { attempt: number, ...event.headers },
        ].slice(-HEADERS_OF_ATTEMPTS),
      }),
    // files that it stored, or began to store, after the erasure
    ...(isErased &&
      event.mail.storage && {
        storage_order: event.mail.storage,
        file_deletion: { at: now, failures: 0 },
      }),
  };
  const note = { kind: 'note', as: { type: NOTES[step.kind], attempt } } as const;
  if (before.status === 'delivered' || before.status === 'dropped')
    return { record: recorded, effects: [note, ACKNOWLEDGE] };
  if (step.kind === 'done') {
    const { ended_as: _ended, unread: _unread, ...rest } = recorded;
    const end = contentUntil && !isErased && { content_until: contentUntil };
    const record = { ...rest, status: 'delivered' as const, next_attempt_at: null, ...end };
    return { record, effects: [note, ACKNOWLEDGE, ...removal(record, now)] };
  }
  if (isLate || isOther) return { record: recorded, effects: [note, { kind: 'redeliver' }] };
  if (isFinal(before.status)) return { record: recorded, effects: [note, settlementBy(before)] };
  const { unread: _, ...rest } = recorded;
  const { unread } = event;
  const record: DeliveryRecord =
    step.kind === 'retry'
      ? {
          ...rest,
          ...(unread && { unread }),
          status: 'retrying',
          next_attempt_at: unread?.until ?? step.at,
        }
      : { ...rest, status: 'failed', next_attempt_at: null };
  return { record, effects: [note, settlementBy(record)] };
}

const NOTES = {
  done: 'webhook.delivered',
  retry: 'webhook.retrying',
  'give-up': 'webhook.failed',
} as const;

const ACKNOWLEDGE = { kind: 'acknowledge' } as const;

/** An end without an attempt. */
function ended(
  before: DeliveryRecord,
  status: DeliveryStatus,
  now: Date,
  fields: Partial<DeliveryRecord>,
  note?: Note,
): Transition {
  const { unread: _, ...rest } = before;
  const record = { ...rest, status, next_attempt_at: null, updated_at: now, ...fields };
  return {
    record,
    effects: [
      ...(note ? [{ kind: 'note', as: note } as const] : []),
      settlementBy(record),
      ...removal(record, now),
    ],
  };
}

const untilOf = ({ contentUntil }: { contentUntil?: Date | undefined }) =>
  contentUntil && { content_until: contentUntil };

/** Its retention is zero hours. */
const removal = ({ content_until }: DeliveryRecord, now: Date): Effect[] =>
  content_until && content_until <= now ? [{ kind: 'remove_content' }] : [];
