/**
 * How far the audit trail has been exported, and which process exports it now. Ids of events are in
 * the order of their times.
 */
import type { Db } from 'mongodb';

import { AUDIT_LOG_TYPES } from '../../../core/event/audit-log.ts';
import type { UsageEvent } from '../../../core/event/usage-event.ts';
import { firstIdAt } from '../../../core/id/ids.ts';
import { type StoredUsageEvent, USAGE_EVENTS } from './events.ts';

export const AUDIT_EXPORTS = 'audit_exports';

/** Everything with a lower id has been exported, and no event of a time before `until` has a higher one. */
export type ExportCursor = { after: string; until: Date };

type StoredCursor = ExportCursor & { _id: string; holder: string | null; held_until: Date };

/** A process that dies is replaced after this time. */
const LEASE_MS = 60_000;
const ID = 'otlp';

export type AuditExports = {
  /** Undefined while another process exports. The first export begins now: not with the past. */
  claim(holder: string, now: Date): Promise<ExportCursor | undefined>;
  /** Events to export from the cursor on, before this time, in their order. */
  events(cursor: ExportCursor, before: Date, limit: number): Promise<UsageEvent[]>;
  /** False when another process has taken over. */
  advance(holder: string, cursor: ExportCursor, now: Date): Promise<boolean>;
  release(holder: string): Promise<void>;
};

const heldUntil = (now: Date): Date => new Date(now.getTime() + LEASE_MS);

export function createAuditExports(db: Db): AuditExports {
  const cursors = db.collection<StoredCursor>(AUDIT_EXPORTS);
  const events = db.collection<StoredUsageEvent>(USAGE_EVENTS);

  return {
    claim: async function claimExport(holder, now) {
      await cursors.updateOne(
        { _id: ID },
        {
          $setOnInsert: {
            after: firstIdAt('evt', now),
            until: now,
            holder: null,
            held_until: new Date(0),
          },
        },
        { upsert: true },
      );
      const held = await cursors.findOneAndUpdate(
        { _id: ID, $or: [{ holder: null }, { holder }, { held_until: { $lt: now } }] },
        { $set: { holder, held_until: heldUntil(now) } },
      );
      return held === null ? undefined : { after: held.after, until: held.until };
    },

    events: async function eventsToExport({ after }, before, limit) {
      const found = await events
        .find(
          {
            _id: { $gt: after, $lt: firstIdAt('evt', before) },
            type: { $in: [...AUDIT_LOG_TYPES] },
          },
          { hint: '_id_', projection: { to_notify: 0, notified_by: 0 } },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id, ...event }) => ({ id: _id, ...event }));
    },

    advance: async function advanceExport(holder, { after, until }, now) {
      const { matchedCount } = await cursors.updateOne(
        { _id: ID, holder },
        { $set: { after, until, held_until: heldUntil(now) } },
      );
      return matchedCount === 1;
    },

    release: async function releaseExport(holder) {
      await cursors.updateOne({ _id: ID, holder }, { $set: { holder: null } });
    },
  };
}
