/** How a change of a delivery is written: as a new record, an outcome, or a time to wait until. */
import type { AnyBulkWriteOperation } from 'mongodb';

import {
  ATTEMPTS_KEPT,
  type DeliveryState,
  newDelivery,
  statusNow,
} from '../../../core/delivery/delivery.ts';
import { HEADERS_OF_ATTEMPTS } from '../../../core/delivery/attempt-headers.ts';
import type { DeliveryDocument } from '../documents/delivery-documents.ts';
import { type DeliveryChange, isOvertaken } from './changes.ts';

/** The part of a record that a change needs. */
export type Recorded = Pick<
  DeliveryState,
  'status' | 'attempts' | 'revision' | 'offer' | 'content_erased_at'
> & {
  /** When the last attempts began. */
  last: Date[];
};

/** More attempts than are made of an email while its dispatcher repeats a write. */
export const LAST_ATTEMPTS = 5;

/** Whether the record already has this attempt, or this end without an attempt. */
export const isWritten = ({ attempt, status }: DeliveryChange, record: Recorded): boolean =>
  attempt === undefined
    ? record.status === status
    : record.last.some((at) => at.getTime() === attempt.at.getTime());

/** An outcome, or the first record of an email. */
export function deliveryWrite(
  change: DeliveryChange,
  before: Recorded | undefined,
  now: Date,
): AnyBulkWriteOperation<DeliveryDocument> {
  const { event, storedAt, status, nextAttemptAt, contentUntil, storedFiles, offer } = change;
  const { endedAs, beganAt } = change;
  const { attempt, headers } = before?.content_erased_at ? withoutContent(change) : change;
  const number = (before?.attempts ?? 0) + 1;
  const attempt_headers = attempt && headers && [{ attempt: number, ...headers }];
  const overtaken = isOvertaken(change, before);
  const after = statusNow(before?.status, status, overtaken);
  const ends = !overtaken || after === status; // else the request has decided what is next
  const current = {
    ...(ends && { status: after, next_attempt_at: after === status ? nextAttemptAt : null }),
    ...(ends && after === status && endedAs && { ended_as: endedAs }),
    ...(before === undefined && beganAt && { began_at: beganAt }),
    ...(offer && ends && after === status && { offer }),
    updated_at: now,
    ...(attempt && { attempt_count: number }),
    ...(contentUntil && { content_until: contentUntil }),
    ...(storedFiles && { stored_files: storedFiles }),
    // what an attempt stored, or began to store, after an erasure
    ...(event.storage &&
      before?.content_erased_at && {
        storage_order: event.storage,
        file_deletion: { at: now, failures: 0 },
      }),
  };
  if (before === undefined) {
    const { event_id: _id, ...record } = newDelivery(event, storedAt);
    return {
      insertOne: {
        document: {
          _id,
          ...record,
          status: after,
          ...current,
          attempts: attempt ? [attempt] : [],
          ...(attempt_headers && { attempt_headers }),
        },
      },
    };
  }
  const added = attempt && {
    attempts: { $each: [attempt], $slice: -ATTEMPTS_KEPT },
    ...(attempt_headers && {
      attempt_headers: { $each: attempt_headers, $slice: -HEADERS_OF_ATTEMPTS },
    }),
  };
  return {
    updateOne: {
      filter: { _id: event.event_id },
      update: {
        $set: current,
        ...(before.offer && !('offer' in current) && { $unset: { offer: '' as const } }),
        ...(added && { $push: added }),
      },
    },
  };
}

/** What may be recorded of an attempt that ends after an erasure. */
const withoutContent = ({
  attempt,
}: DeliveryChange): Pick<DeliveryChange, 'attempt' | 'headers'> => {
  if (attempt === undefined) return { attempt };
  const { location: _, ...facts } = attempt;
  return { attempt: { ...facts, excerpt: null } };
};

/**
 * The time until which an email waits for its receiver (D35). It changes nothing when an attempt or
 * a request has changed the record.
 */
export const waitWrite =
  (now: Date) =>
  ({
    event,
    found,
    nextAttemptAt,
    beganAt,
    offer,
    storedFiles,
  }: DeliveryChange): AnyBulkWriteOperation<DeliveryDocument> => ({
    updateOne: {
      filter: {
        _id: event.event_id,
        status: { $in: ['pending', 'retrying'] },
        next_attempt_at: found?.next_attempt_at ?? null,
        revision: found?.revision ?? { $exists: false },
        'offer.at': found?.offer?.at ?? { $exists: false },
        'offer.lease.id': found?.offer?.lease?.id ?? { $exists: false },
      },
      update: {
        $set: {
          next_attempt_at: nextAttemptAt,
          updated_at: now,
          ...(beganAt && { began_at: beganAt }),
          ...(offer && { offer }),
          ...(storedFiles && { stored_files: storedFiles }),
        },
      },
    },
  });
