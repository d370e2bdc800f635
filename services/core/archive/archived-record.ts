/**
 * What a file of the archive says of a record: no personal data, so that an erasure or the end of an
 * account has nothing to do there (D83). The fields are named one by one: a new field of a record does
 * not get into the archive by itself. Names are those of the API.
 */
import { storedFileKeys } from '../bucket/stored-files.ts';
import { attemptCount, type Delivery } from '../delivery/delivery.ts';
import { addressIdOfEvent } from '../delivery/mail-event.ts';
import { actorOf } from '../actor.ts';
import type { UsageEvent } from '../event/usage-event.ts';
import { timestamp } from '../timestamp.ts';

/** A line of a file. `id` is that of the email's delivery, or of the event. */
export type ArchivedRecord = {
  id: string;
  account_id: string;
  environment: string;
  address_id: string | null;
  receiver_id?: string;
};

export function archivedDelivery(delivery: Delivery) {
  const { event_id: id, account_id, environment, status, size_bytes, verdict } = delivery;
  const { received_at, updated_at, released_at, canceled_at, content_erased_at } = delivery;
  const { stored_files: files } = delivery;
  return {
    id,
    account_id,
    environment,
    address_id: addressIdOfEvent(delivery),
    receiver_id: delivery.address_id,
    status,
    size_bytes,
    has_attachments: delivery.has_attachments ?? false,
    verdict: verdict ?? null,
    tags: delivery.tags ?? [],
    received_at: timestamp(received_at),
    updated_at: timestamp(updated_at),
    released_at: time(released_at),
    canceled_at: time(canceled_at),
    ended_as: delivery.ended_as ?? null,
    content_erased_at: time(content_erased_at),
    attempt_count: attemptCount(delivery),
    attempts: delivery.attempts.map(({ at, outcome, status_code, duration_ms, error }) => ({
      time: timestamp(at),
      outcome,
      status_code,
      latency_ms: duration_ms,
      error,
    })),
    storage: files
      ? { endpoint: files.endpoint, bucket: files.bucket, keys: storedFileKeys(files) }
      : null,
  } satisfies ArchivedRecord & Record<string, unknown>;
}

const time = (at: Date | undefined): string | null => (at ? timestamp(at) : null);

/** Without names of people and where they were. */
export function archivedEvent(event: UsageEvent) {
  const { id, account_id, environment, address_id, type, data } = event;
  return {
    id,
    account_id,
    environment,
    address_id,
    type,
    timestamp: timestamp(event.timestamp),
    actor: actorOf(event) ?? null,
    member_id: event.member_id ?? null,
    token_id: event.token_id ?? null,
    session_id: event.session_id ?? null,
    request_id: event.request_id ?? null,
    data: Object.fromEntries(
      Object.entries(data).filter(
        ([name, value]) => typeof value === 'string' && ARCHIVED_DATA.test(name),
      ),
    ),
  } satisfies ArchivedRecord & Record<string, unknown>;
}

const ARCHIVED_DATA = /(^|_)id$|^(reason|resource|tool)$/;
