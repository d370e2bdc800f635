/** Reads the events of an account after a cursor or since a time, for a client that resumes. */
import type { RecentEvents } from '../../adapters/mongo/audit/recent-events.ts';
import type { StoredMail } from '../../adapters/stream/headers.ts';
import type { LiveHeaders } from '../../adapters/stream/live-headers.ts';
import type { AddressScope } from '../../core/address/address.ts';
import {
  type Cursor,
  formatCursor,
  type LiveEvent,
  liveMail,
  liveUsageEvent,
} from '../../core/event/live-event.ts';

/** `isComplete` is false when some events are missing: there are too many, or they are too old. */
export type History = { events: { event: LiveEvent; cursor: string }[]; isComplete: boolean };

export type ReadHistory = (scope: AddressScope, from: Cursor | Date) => Promise<History>;

const MAX_EVENTS = 1_000;
/** Events are written a little after their time, so the last ones before a cursor are read again. */
const OVERLAP_MS = 2_000;

type Placed = { event: LiveEvent; order: number; mail?: StoredMail };

export const createHistory =
  (feed: Pick<LiveHeaders, 'read'>, recent: RecentEvents): ReadHistory =>
  async (scope, from) => {
    const after = from instanceof Date ? from : new Date(from.t - OVERLAP_MS);
    const positions = from instanceof Date ? from : from.m;
    const [mails, stored] = await Promise.all([
      feed.read({ accountId: scope.account_id }, positions, MAX_EVENTS),
      recent.read(scope, after, MAX_EVENTS),
    ]);
    const placed = [
      ...placedMails(mails.mails, scope),
      ...stored.events.flatMap(({ event, delivery }): Placed[] => {
        const live = liveUsageEvent(event, delivery);
        return live ? [{ event: live, order: live.at.getTime() }] : [];
      }),
    ].toSorted((one, other) => one.order - other.order);

    const cursor: Cursor = {
      t: after.getTime(),
      m: from instanceof Date ? {} : { ...from.m },
    };
    const events = placed.map(({ event, mail }) => {
      if (mail) cursor.m[mail.storedAt.partition] = mail.storedAt.sequence;
      else cursor.t = Math.max(cursor.t, event.at.getTime());
      return { event, cursor: formatCursor(cursor) };
    });
    return { events, isComplete: mails.isComplete && stored.isComplete };
  };

/**
 * Sorts by time of receipt, but keeps the order of each partition, because a cursor counts all emails
 * up to its sequence.
 */
function placedMails(mails: readonly StoredMail[], { environment }: AddressScope): Placed[] {
  const latest = new Map<number, number>();
  return mails
    .filter(({ event }) => event.environment === environment)
    .map((mail) => {
      const { partition } = mail.storedAt;
      const order = Math.max(mail.event.received_at_ms, latest.get(partition) ?? 0);
      latest.set(partition, order);
      return { event: liveMail(mail.event, mail.storedAt), order, mail };
    });
}
