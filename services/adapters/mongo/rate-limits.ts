/** How often something may be done: requests of a token counted in MongoDB, exactly over all processes, and failures of a source counted in this process. */
import type { Db, MongoClient } from 'mongodb';
import { RateLimiterMemory, RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';

import type { CollectionIndexes } from './connection.ts';

const COLLECTION = 'rate_limits';
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

export const rateLimitIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [
    { key: { key: 1 }, name: 'key', unique: true },
    { key: { expire: 1 }, name: 'expired_goes', expireAfterSeconds: 0 },
  ],
};

/** Where a limit stands; its window begins with the first request and ends at `resetAt`. */
export type LimitState = { isExceeded: boolean; limit: number; remaining: number; resetAt: Date };

export type RequestLimits = {
  /** Counts one request of this token: `burst` within a minute, `rate` within an hour. What the burst limit refuses does not count for the hour. */
  count(tokenId: string): Promise<{ burst: LimitState; rate?: LimitState }>;
};

export type RequestLimitOptions = { perHour: number; perMinute: number };

export function createRequestLimits(
  client: MongoClient,
  db: Db,
  { perHour, perMinute }: RequestLimitOptions,
): RequestLimits {
  // The counts of a fallen primary may be lost: waiting for a majority at every request would cost more than that.
  const storeClient = client.db(db.databaseName, { writeConcern: { w: 1 } });
  const limiter = (keyPrefix: string, points: number, duration: number) =>
    new RateLimiterMongo({
      storeClient,
      tableName: COLLECTION,
      disableIndexesCreation: true,
      keyPrefix,
      points,
      duration,
      inMemoryBlockOnConsumed: points, // a token whose window is used up is refused without asking MongoDB
    });
  const burst = limiter('minute', perMinute, MINUTE_SECONDS);
  const rate = limiter('hour', perHour, HOUR_SECONDS);

  return {
    count: async function countRequest(tokenId) {
      const burstState = await consume(burst, tokenId);
      return burstState.isExceeded
        ? { burst: burstState }
        : { burst: burstState, rate: await consume(rate, tokenId) };
    },
  };
}

export type FailureLimit = {
  /** Counts a failure of this source; how long it must wait when there were too many. */
  count(source: string): Promise<LimitState>;
  state(source: string): Promise<LimitState>;
};

/** Failures within a minute, counted in this process alone: they need only be few, not exact. */
export function createFailureLimit({ perMinute }: { perMinute: number }): FailureLimit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: MINUTE_SECONDS });
  return {
    count: (source) => consume(limiter, source),
    state: async function stateOfFailures(source) {
      const known = await limiter.get(source);
      return stateOf(
        known ?? new RateLimiterRes(perMinute, 0, 0),
        perMinute,
        known !== null && known.consumedPoints >= perMinute,
      );
    },
  };
}

async function consume(
  limiter: Pick<RateLimiterMongo, 'consume' | 'points'>,
  key: string,
): Promise<LimitState> {
  try {
    return stateOf(await limiter.consume(key), limiter.points, false);
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return stateOf(refused, limiter.points, true);
    throw refused;
  }
}

const stateOf = (
  { remainingPoints, msBeforeNext }: RateLimiterRes,
  limit: number,
  isExceeded: boolean,
): LimitState => ({
  isExceeded,
  limit,
  remaining: isExceeded ? 0 : Math.max(0, remainingPoints),
  resetAt: new Date(Date.now() + Math.max(0, msBeforeNext)),
});
