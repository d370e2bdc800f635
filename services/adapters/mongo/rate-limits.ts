/**
 * Rate limits: requests of a token, counted in MongoDB and exact across all processes; failures of
 * a source, counted per process.
 */
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

/** The state of a limit. Its window begins with the first request and ends at `resetAt`. */
export type LimitState = { isExceeded: boolean; limit: number; remaining: number; resetAt: Date };

export type RequestLimits = {
  /**
   * Counts one request: `burst` is the minute, `rate` the hour. Requests refused by the burst limit
   * do not count for the hour.
   */
  count(tokenId: string): Promise<{ burst: LimitState; rate?: LimitState }>;
};

export type RequestLimitOptions = { perHour: number; perMinute: number };

export function createRequestLimits(
  client: MongoClient,
  db: Db,
  { perHour, perMinute }: RequestLimitOptions,
): RequestLimits {
  // A failover may lose some counts. Waiting for a majority write on every request would cost more.
  const storeClient = client.db(db.databaseName, { writeConcern: { w: 1 } });
  const limiter = (keyPrefix: string, points: number, duration: number) =>
    new RateLimiterMongo({
      storeClient,
      tableName: COLLECTION,
      disableIndexesCreation: true,
      keyPrefix,
      points,
      duration,
      inMemoryBlockOnConsumed: points, // an exhausted token is refused without a query
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
  /** Counts a failure of this source. Resolves with the state of its limit. */
  count(source: string): Promise<LimitState>;
  state(source: string): Promise<LimitState>;
};

/** Failures per minute, counted in this process only, because this limit need not be exact. */
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
