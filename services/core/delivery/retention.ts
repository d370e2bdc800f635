/**
 * When the content of a delivered email is removed, and what records have of it (D44). The content of
 * an email that is not delivered is never removed early.
 */
import type { Redactable } from '../address/content-settings.ts';
import { AppError } from '../error/app-error.ts';
import type { DeliveryState } from './delivery.ts';
import type { StoredAt } from './mail-event.ts';

const HOUR_MS = 3_600_000;

/** The end of the retention of an email that is delivered now; undefined without one. */
export const contentUntil = (deliveredAt: Date, hours: number | undefined): Date | undefined =>
  hours === undefined ? undefined : new Date(deliveredAt.getTime() + hours * HOUR_MS);

type Described = { mail_from: string; from: string | null; subject: string | null };

/** The envelope sender names the same person as From. The payload has all of them. */
export function redacted<Facts extends Described>(
  facts: Facts,
  fields: readonly Redactable[] = [],
): Facts {
  if (fields.length === 0) return facts;
  return {
    ...facts,
    ...(fields.includes('subject') && { subject: null }),
    ...(fields.includes('from') && { from: null, mail_from: '' }),
  };
}

type ContentState = {
  /** Absent without a retention of the address or its account. */
  content_until?: Date | undefined;
  /** Absent unless a request erased the content. */
  content_erased_at?: Date | undefined;
};

/** Whether the content of a delivery may still be read and replayed. */
export const contentIsOffered = (
  { content_until, content_erased_at }: ContentState,
  now: Date,
): boolean =>
  content_erased_at === undefined && (content_until === undefined || content_until > now);

/** For a reader of content that is not offered, or no longer found. */
export function noLongerStored({
  content_erased_at,
  stored_at: { region },
}: ContentState & { stored_at: StoredAt }): AppError {
  if (content_erased_at !== undefined)
    return new AppError('not_found', 'The content of this delivery was erased');
  const elsewhere =
    region === undefined ? '' : `, or only in the region ${region}, where it arrived`;
  return new AppError('not_found', `The email of this delivery is no longer stored${elsewhere}`);
}

/**
 * A replay that was accepted before the end may still be on its way to its stream, and so may a copy
 * that a dispatcher was moving when the content was erased. Removal waits for both.
 */
const REMOVAL_DELAY_MS = 60_000;

/** Contents whose retention ended before this time are removed. */
export const removableBefore = (now: Date): Date => new Date(now.getTime() - REMOVAL_DELAY_MS);

/**
 * How far back delivered emails can be replayed now.
 * @param promisedMs the retention of the installation
 * @param keptFrom of the partitions that had to make room for new email
 */
export const replayableMs = (promisedMs: number, keptFrom: readonly Date[], now: Date): number =>
  Math.min(promisedMs, ...keptFrom.map((from) => now.getTime() - from.getTime()));

/**
 * Whether the body and the files of an email may go to make room for new email. They are kept for
 * replays only: the email was delivered, or will never be.
 */
export const makesRoom = (state: Pick<DeliveryState, 'status'> | undefined): boolean =>
  state?.status === 'delivered' || state?.status === 'dropped';
