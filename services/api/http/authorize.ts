/**
 * Admission of a request: authentication, rate limits (spec 8), suspension, limit (D69), permission
 * (D10). In this order, so that every response to a valid token has the rate-limit headers. The first two run
 * at the same time for a credential that this process knows: together they cost one round trip to
 * MongoDB, and usually none. A guess writes nothing, so an unknown one is checked first.
 */
import type { ParameterizedContext } from 'koa';

import type { RateLimits } from '../../adapters/mongo/limit/rate-windows.ts';
import { AppError } from '../../core/error/app-error.ts';
import { openerOf } from '../../core/member/session.ts';
import { type AddressCaller, isSignedIn, type TokenIdentity } from '../../core/token/token.ts';
import { outsideLimit } from '../../core/token/token-limit.ts';
import type { ApiConfig } from '../process/config.ts';
import { type Authenticate, requirePermission, requireSession } from './authentication.ts';
import type { Access } from './endpoint.ts';
import { rateLimitExceeded } from './errors.ts';
import type { LimitState, RequestLimits } from './limits/request-limits.ts';
import type { Reach, ReachOf } from './reach.ts';
import type { ApiState } from './state/state.ts';

/**
 * @param permission null: any valid token may
 * @param reach of the endpoint
 * @param isPull whether it counts against the limits of consumers, which ask all the time
 * @param isOpenToMembers whether the session of a member needs no permission
 * @throws AppError `unauthorized`, `rate_limit_exceeded`, `forbidden`, or `not_found` beyond its limit
 */
export type Authorize = (
  ctx: ParameterizedContext<ApiState>,
  permission: Access,
  reach: Reach,
  isOpenToMembers?: boolean,
  isPull?: boolean,
) => Promise<AddressCaller>;

type Limits = Pick<RequestLimits, 'count'>;

/**
 * Counts a request. Spec 8 reports the hourly limit, unless the burst limit refuses the request.
 */
export async function countedBy(limits: Limits, id: string): Promise<LimitState> {
  const { burst, rate } = await limits.count(id);
  return rate === undefined || burst.isExceeded ? burst : rate;
}

/** A consumer asks again after each batch, and acknowledges it: its limits are this many times larger. */
const CONSUMER_FACTOR = 30;

type RateSettings = Pick<ApiConfig, 'RATE_LIMIT_PER_HOUR' | 'RATE_LIMIT_PER_MINUTE'>;

export function rateLimits(
  config: RateSettings,
  perSession: RateLimits,
): Record<'perToken' | 'perSession' | 'perConsumer', RateLimits> {
  const { RATE_LIMIT_PER_HOUR: perHour, RATE_LIMIT_PER_MINUTE: perMinute } = config;
  return {
    perToken: { perHour, perMinute },
    perSession,
    perConsumer: { perHour: perHour * CONSUMER_FACTOR, perMinute: perMinute * CONSUMER_FACTOR },
  };
}

/** @throws AppError `rate_limit_exceeded` */
export function refuseAbove({ isExceeded, resetAt }: LimitState): void {
  if (isExceeded) throw rateLimitExceeded(resetAt);
}

/**
 * @param sessionLimits all sessions of one opener have a budget together, which is larger than a
 * token's
 */
export const createAuthorize = (
  authenticate: Authenticate,
  reachOf: ReachOf,
  tokenLimits: Limits,
  sessionLimits: Limits,
  pullLimits: Limits = tokenLimits,
): Authorize => {
  const count = (
    { id, account_id, member, session }: TokenIdentity,
    isPull: boolean,
  ): Promise<LimitState> => {
    if (isPull) return countedBy(pullLimits, `pulls of ${id}`);
    return session === undefined
      ? countedBy(tokenLimits, id)
      : countedBy(
          sessionLimits,
          `sessions of ${openerOf({ account_id, member_id: member?.id ?? null, ...session })}`,
        );
  };

  return async function authorize(ctx, permission, reach, isOpenToMembers = false, isPull = false) {
    let counting: ReturnType<typeof count> | undefined;
    const { identity: caller, accountIsSuspended } = await authenticate(ctx.req, (expected) => {
      counting = count(expected, isPull);
      counting.catch(() => undefined); // awaited below, unless the credential is no longer valid
    });
    ctx.state.caller = caller;
    const state = await (counting ?? count(caller, isPull));
    setLimitHeaders(ctx, state);
    refuseAbove(state);
    if (accountIsSuspended)
      throw new AppError(
        'forbidden',
        'This account is suspended. Contact the operator of this service',
      );
    if (reach === 'account' && caller.limit !== null) throw outsideLimit();
    if (permission === 'session') requireSession(caller);
    else if (
      permission !== null &&
      permission !== 'any' &&
      !(isOpenToMembers && isSignedIn(caller))
    )
      requirePermission(caller, permission);
    return reachOf(caller);
  };
};

function setLimitHeaders(
  ctx: ParameterizedContext<ApiState>,
  { limit, remaining, resetAt }: LimitState,
): void {
  ctx.set('X-RateLimit-Limit', String(limit));
  ctx.set('X-RateLimit-Remaining', String(remaining));
  // spec 8: a Unix timestamp
  ctx.set('X-RateLimit-Reset', String(Math.ceil(resetAt.getTime() / 1_000)));
}
