/**
 * The rate windows of API tokens in MongoDB. Processes reserve requests in blocks, so that the
 * limits are exact across all of them without a query for each request.
 */
import type { AnyBulkWriteOperation, Db, Document } from 'mongodb';

import type { CollectionIndexes } from '../database/connection.ts';

const COLLECTION = 'rate_windows';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A process reserves at most 1/8 of the remaining requests in advance. */
const SHARE_IN_ADVANCE = 8;

export const rateWindowIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [{ key: { expires_at: 1 }, name: 'expired_goes', expireAfterSeconds: 0 }],
};

export type WindowName = 'minute' | 'hour';
export const WINDOW_NAMES: readonly WindowName[] = ['minute', 'hour'];

/** `need`: requests that wait now. `extra`: requests that probably follow. */
export type ReservationRequest = { need: number; extra: number };

export type Reservation = {
  granted: number;
  /** Requests that no process has reserved. */
  remaining: number;
  /** Identifies the window. A window begins with its first request. */
  endsAt: Date;
  /** Until `endsAt`, by the clock of MongoDB, which all processes share. */
  msLeft: number;
};

export type UnusedRequests = { tokenId: string; window: WindowName; endsAt: Date; count: number };

export type RateWindows = {
  reserve(
    tokenId: string,
    requests: Record<WindowName, ReservationRequest>,
  ): Promise<Record<WindowName, Reservation>>;
  /** Returns requests to their windows. Those of ended windows are ignored. */
  giveBack(unused: readonly UnusedRequests[]): Promise<void>;
};

type StoredWindow = { ends_at: Date; used: number; granted: number };
type StoredWindows = { _id: string; at: Date } & Record<WindowName, StoredWindow>;

export type RateLimits = { perHour: number; perMinute: number };

export function createRateWindows(db: Db, { perHour, perMinute }: RateLimits): RateWindows {
  // A failover may lose some counts. Waiting for a majority write would cost more.
  const windows = db.client
    .db(db.databaseName, { writeConcern: { w: 1 } })
    .collection<StoredWindows>(COLLECTION);
  const limits: Record<WindowName, number> = { minute: perMinute, hour: perHour };
  const current = [
    { $set: { minute: windowAt('minute', MINUTE_MS), hour: windowAt('hour', HOUR_MS) } },
  ];

  return {
    reserve: async function reserveRequests(tokenId, requests) {
      const stored = await windows.findOneAndUpdate(
        { _id: tokenId },
        [
          ...current,
          {
            $set: eachWindow((name) => ({ granted: grantOf(name, limits[name], requests[name]) })),
          },
          {
            $set: {
              ...eachWindow((name) => ({ used: { $add: [`$${name}.used`, `$${name}.granted`] } })),
              at: '$$NOW',
              expires_at: { $max: ['$minute.ends_at', '$hour.ends_at'] },
            },
          },
        ],
        { upsert: true, returnDocument: 'after' },
      );
      if (stored === null) throw new Error(`no rate windows for ${tokenId}`);
      const reservationIn = (name: WindowName): Reservation => {
        const { ends_at: endsAt, used, granted } = stored[name];
        const remaining = Math.max(0, limits[name] - used);
        return { granted, remaining, endsAt, msLeft: endsAt.getTime() - stored.at.getTime() };
      };
      return { minute: reservationIn('minute'), hour: reservationIn('hour') };
    },

    giveBack: async function giveBackRequests(unused) {
      if (unused.length === 0) return;
      await windows.bulkWrite(
        unused.map(({ tokenId, window, endsAt, count }): AnyBulkWriteOperation<StoredWindows> => ({
          updateOne: {
            filter: { _id: tokenId, [`${window}.ends_at`]: endsAt },
            update: { $inc: { [`${window}.used`]: -count } },
          },
        })),
        { ordered: false },
      );
    },
  };
}

/** The stored window, or a new one that begins now. */
const windowAt = (name: WindowName, lengthMs: number): Document => ({
  $cond: [
    { $gt: [`$${name}.ends_at`, '$$NOW'] },
    `$${name}`,
    { ends_at: { $add: ['$$NOW', lengthMs] }, used: 0 },
  ],
});

function grantOf(name: WindowName, limit: number, { need, extra }: ReservationRequest): Document {
  const remaining = { $max: [0, { $subtract: [limit, `$${name}.used`] }] };
  const inAdvance = {
    $min: [extra, { $floor: { $divide: [remaining, SHARE_IN_ADVANCE] } }],
  };
  return { $min: [remaining, { $add: [need, inAdvance] }] };
}

/** `{ 'minute.granted': …, 'hour.granted': … }` */
const eachWindow = (fieldsOf: (name: WindowName) => Document): Document =>
  Object.fromEntries(
    WINDOW_NAMES.flatMap((name) =>
      Object.entries(fieldsOf(name)).map(([field, value]) => [`${name}.${field}`, value]),
    ),
  );
