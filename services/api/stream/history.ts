/** Reads the events of an account after a cursor or since a time, for a client that resumes. */
import type { RecentEvents } from '../../adapters/mongo/audit/recent-events.ts';
import type { StoredMail } from '../../adapters/stream/events/headers.ts';
import type { ReceiversInScope } from '../../adapters/mongo/receiver/receiver-ids.ts';
import type { LiveHeaders } from '../../adapters/stream/events/live-headers.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import {
  type Cursor,
  formatCursor,
  type LiveEvent,
  liveMail,
  liveUsageEvent,
} from '../../core/event/live-event.ts';

/** `isComplete` is false when some events are missing: there are too many, or they are too old. */
type History = { events: { event: LiveEvent; cursor: string }[]; isComplete: boolean };

type HistoryRequest = {
  from: Cursor | Date;
  isWanted: (event: LiveEvent) => boolean;
  /** Called when its turn has come. If it throws, nothing is read. */
  begin: () => void;
};

export type ReadHistory = (scope: AddressScope, requested: HistoryRequest) => Promise<History>;

/** The most events of the past that are sent in all. */
const MAX_EVENTS = 1_000;
/** Reads at the same time, each of which holds up to {@link MAX_EVENTS} records; one an account. */
const READS = 4;
/** Events are written a little after their time, so the last ones before a cursor are read again. */
const OVERLAP_MS = 2_000;

type Placed = { event: LiveEvent; order: number; mail?: StoredMail };

export function createHistory(
  feed: Pick<LiveHeaders, 'read'>,
  recent: RecentEvents,
  receiversInScope: ReceiversInScope,
): ReadHistory {
  const turns = new Map<string, Promise<unknown>>();
  let reads = 0;

  const read: ReadHistory = async (scope, { from, isWanted, begin }) => {
    begin();
    const after = from instanceof Date ? from : new Date(from.t - OVERLAP_MS);
    const positions = from instanceof Date ? from : from.m;
    const receiverIds = await receiversInScope(scope);
    const [mails, stored] = await Promise.all([
      feed.read({ accountId: scope.account_id, receiverIds }, positions, MAX_EVENTS),
      recent.read(scope, after, MAX_EVENTS),
    ]);
    const placed = [
      ...placedMails(mails.mails, scope),
      ...stored.events.flatMap(({ event, delivery }): Placed[] => {
        const live = liveUsageEvent(event, delivery);
        return live ? [{ event: live, order: live.at.getTime() }] : [];
      }),
    ].toSorted((one, other) => one.order - other.order);
    const known = mails.partitions.flatMap((one) => {
      const position = from instanceof Date ? undefined : from.m[one];
      return position === undefined ? [] : [[one, position] as const];
    });
    // a client may have invented other partitions
    const cursor: Cursor = { t: after.getTime(), m: Object.fromEntries(known) };
    const events: History['events'] = [];
    for (const { event, mail } of placed) {
      if (mail) cursor.m[mail.storedAt.partition] = mail.storedAt.sequence;
      else cursor.t = Math.max(cursor.t, event.at.getTime());
      if (!isWanted(event)) continue;
      if (events.length === MAX_EVENTS) return { events, isComplete: false };
      events.push({ event, cursor: formatCursor(cursor) });
    }
    return { events, isComplete: mails.isComplete && stored.isComplete };
  };

  /** Works after the others of this queue. */
  const inTurn = async <T>(queue: string, work: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(queue) ?? Promise.resolve()).then(work, work);
    turns.set(queue, turn);
    try {
      return await turn;
    } finally {
      if (turns.get(queue) === turn) turns.delete(queue);
    }
  };

  return async function readHistory(scope, requested) {
    return inTurn(scope.account_id, () =>
      inTurn(String(reads++ % READS), () => read(scope, requested)),
    );
  };
}

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
