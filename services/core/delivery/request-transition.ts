/**
 * What requests and sweeps make of a record. Each that changes it raises its revision (D165): then a
 * message of that revision, which the caller puts into RETRY, is the only one that makes an attempt.
 */

import {
  type Attempt,
  attemptCount,
  type DeliveryStatus,
  revisionOf,
  tallyOf,
  type DeliveryRequest,
  type RequestedBy,
  REQUESTS_KEPT,
} from './delivery.ts';
import type {
  DeliveryRecord,
  Effect,
  RequestEvent,
  SweepEvent,
  Transition,
} from './delivery-event.ts';
import { isFinal } from './delivery-view.ts';
import type { FailedEnd } from './delivery-end.ts';
import { endOfOverdue, isOverdue, LOST_AFTER_MS, sleeps } from './overdue-delivery.ts';

export const unchanged = <T>(record: T, ...effects: Effect[]): Transition<T> => ({
  record,
  effects,
});

/** Usage counts the change of the status, and so each email once. */
export function counted(
  before: DeliveryStatus | undefined,
  { status, email }: DeliveryRecord,
): Effect[] {
  const tally = tallyOf(before, status, email !== undefined);
  return Object.values(tally).every((count) => count === 0) ? [] : [{ kind: 'count', tally }];
}

const REQUESTS: {
  [Kind in RequestEvent['kind']]: (
    before: DeliveryRecord,
    event: Extract<RequestEvent, { kind: Kind }>,
    now: Date,
  ) => Transition;
} = {
  retry_asked: (before, { by, dueAt, revision, asOf }, now) => {
    const isAsRead = (revision ?? revisionOf(before)) === revisionOf(before);
    if (!isAsRead || !sleeps(before, asOf ?? now)) return unchanged(before);
    const asked = requested(before, 'retried', by, now);
    const { next_attempt_at: at, unread } = before;
    if (unread?.until === undefined)
      return queued(asked, at !== null && at < dueAt ? at : dueAt, now);
    // a consumer can lease it now, also if one holds it
    const leasable = { at: now, bytes: unread.bytes, until: unread.until };
    return changed(before, { ...asked, unread: leasable, updated_at: now });
  },
  canceled: (before, { by, asOf }, now) =>
    sleeps(before, asOf ?? now)
      ? failed(requested(before, 'canceled', by, now), 'canceled', by, now)
      : unchanged(before),
  replayed: (before, event, now) =>
    isFinal(before.status) || isOverdue(before, event.asOf ?? now)
      ? replayed(before, event, now)
      : unchanged(before),
  released: (before, { by, at }, now) => {
    const isRuled = awaitsRelease(before) && ['held', 'dropped', 'pending'].includes(before.status);
    if (!isRuled) return unchanged(before);
    const released = { status: 'pending', next_attempt_at: null, released_at: at } as const;
    const record = { ...requested(before, 'released', by, at), ...released, updated_at: now };
    return changed(before, record);
  },
  drop_asked: (before, { by, at }, now) => {
    const isPending = before.status === 'pending' && awaitsRelease(before);
    if (before.status !== 'held' && !isPending) return unchanged(before);
    const dropped = { status: 'dropped', next_attempt_at: null, updated_at: now } as const;
    return changed(before, { ...requested(before, 'dropped', by, at), ...dropped });
  },
  erased: (before, { by, ends }, now) => {
    if (isFinal(before.status)) return withoutContent(before, now);
    return ends === 'nothing' ? unchanged(before) : canceledAndErased(before, by, now);
  },
  closed: (before, { by, isErased }, now) => {
    if (isFinal(before.status) && before.status !== 'held')
      return isErased ? withoutContent(before, now) : unchanged(before);
    return isErased ? canceledAndErased(before, by, now) : failed(before, 'canceled', by, now);
  },
};

export const ofRequest = (before: DeliveryRecord, event: RequestEvent, now: Date): Transition =>
  REQUESTS[event.kind](before, event as never, now);

/** It is still as overdue as when the sweep looked for its message. */
export function ofSweep(before: DeliveryRecord, event: SweepEvent, now: Date): Transition {
  const isAsFound = revisionOf(before) === event.revision && isOverdue(before, now, LOST_AFTER_MS);
  const end = isAsFound ? endOfOverdue(before, event.where, now) : 'none';
  if (end === 'none') return unchanged(before);
  if (end === 'requeue') return queued({ ...before, requeued_at: now }, now, now);
  const { record, effects } = failed({ ...before, ended_as: end }, end, {}, now);
  const lost = { kind: 'note', as: { type: 'email.lost' } } as const;
  return { record, effects: end === 'lost' ? [...effects, lost] : effects };
}

/** Rules hold or drop it, and no request has decided otherwise. */
const awaitsRelease = ({ ruling, released_at }: DeliveryRecord): boolean =>
  Boolean(ruling?.action) && released_at === undefined;

/** The record with one more request. */
const requested = (
  before: DeliveryRecord,
  did: DeliveryRequest['did'],
  { token_id, session_id, member_id, user }: RequestedBy,
  at: Date,
): DeliveryRecord => {
  const request: DeliveryRequest = {
    at,
    did,
    ...(token_id !== undefined && { token_id }),
    ...(session_id !== undefined && { session_id }),
    ...(member_id !== undefined && { member_id }),
    ...(user !== undefined && { user }),
  };
  return { ...before, requests: [...(before.requests ?? []), request].slice(-REQUESTS_KEPT) };
};

/** @param before of whose status usage has counted */
const changed = (
  before: Pick<DeliveryRecord, 'status'>,
  record: DeliveryRecord,
  ...effects: Effect[]
): Transition => ({
  record: { ...record, revision: revisionOf(record) + 1 },
  effects: [...effects, ...counted(before.status, record)],
});

/** A message of the new revision is to be in RETRY. */
function queued(before: DeliveryRecord, at: Date, now: Date): Transition {
  const { unread: _, ...record } = before;
  const retry = { kind: 'retry', at, revision: revisionOf(before) + 1 } as const;
  return changed(before, { ...record, next_attempt_at: at, updated_at: now }, retry);
}

/** An end that a request or a sweep decided. */
function failed(
  before: DeliveryRecord,
  outcome: 'canceled' | Extract<FailedEnd, 'lost' | 'unread'>,
  by: RequestedBy,
  now: Date,
): Transition {
  const canceled = outcome === 'canceled' && { canceled_at: now };
  const end = { status: 'failed', next_attempt_at: null, updated_at: now, ...canceled } as const;
  const note = { kind: 'note', as: { type: 'webhook.failed', outcome, by } } as const;
  const { unread: _, ...record } = before;
  return changed(before, { ...record, ...end }, note, { kind: 'keep' });
}

/** The schedule begins again. Content that was erased cannot be sent. */
function replayed(
  before: DeliveryRecord,
  { dueAt, by }: Extract<RequestEvent, { kind: 'replayed' }>,
  now: Date,
): Transition {
  if (before.content_erased_at !== undefined) return unchanged(before);
  const isReleased = before.status === 'held' || before.status === 'dropped';
  const {
    canceled_at: _canceled,
    ended_as: _ended,
    requeued_at: _requeued,
    content_until: _until, // it begins again with the next delivery
    ...kept
  } = requested(before, isReleased ? 'released' : 'replayed', by, now);
  const record = {
    ...kept,
    status: 'pending' as const,
    attempts_before_replay: attemptCount(before),
    began_at: now,
    ...(isReleased && { released_at: now }),
  };
  const { record: after, effects } = queued(record, dueAt, now);
  return { record: after, effects: [...effects, ...counted(before.status, after)] };
}

function canceledAndErased(before: DeliveryRecord, by: RequestedBy, now: Date): Transition {
  const { record, effects } = failed(before, 'canceled', by, now);
  if (before.content_erased_at !== undefined) return { record, effects };
  const erased = withoutContent({ ...record, revision: revisionOf(before) }, now);
  return { record: erased.record, effects: [...effects, ...erased.effects] };
}

/** What is recorded from now on has no content either: dispatchers discard every copy of the email. */
function withoutContent(before: DeliveryRecord, now: Date): Transition {
  const removal = { kind: 'remove_content' } as const;
  if (before.content_erased_at !== undefined) return unchanged(before, removal);
  const {
    recipients: _recipients,
    thread_id: _thread,
    ruling: _ruling, // its facts
    attempt_headers: _headers,
    ...kept
  } = before;
  // also files of an upload that stopped half-way
  const hasFiles = before.stored_files !== undefined || before.storage_order !== undefined;
  const record: DeliveryRecord = {
    ...kept,
    mail_from: '',
    from: null,
    subject: null,
    attempts: before.attempts.map(withoutWords),
    payload_in: 'removed',
    content_erased_at: now,
    content_until: now, // the janitor erases once more: see removableBefore
    ...(hasFiles && { file_deletion: before.file_deletion ?? { at: now, failures: 0 } }),
    updated_at: now,
  };
  return changed(before, record, removal);
}

/** An attempt without what the receiver replied. */
export function withoutWords(attempt: Attempt): Attempt {
  const { location: _, ...kept } = attempt;
  return { ...kept, excerpt: null };
}
