/**
 * Admission of a request: authentication, rate limits (spec 8), suspension, permission (D10). In
 * this order, so that every response to a valid token has the rate-limit headers. The first two run
 * at the same time for a credential that this process knows: together they cost one round trip to
 * MongoDB, and usually none. A guess writes nothing, so an unknown one is checked first.
 */
import type { ParameterizedContext } from 'koa';

import { AppError } from '../../core/app-error.ts';
import type { TokenIdentity } from '../../core/account/token.ts';
import { type Authenticate, requirePermission, requireSession } from './authentication.ts';
import type { Access } from './endpoint.ts';
import { rateLimitExceeded } from './errors.ts';
import type { LimitState, RequestLimits } from './limits/request-limits.ts';
import type { ApiState } from './state.ts';

/**
 * @param permission null: any valid token may
 * @throws AppError `unauthorized`, `rate_limit_exceeded` or `forbidden`
 */
export type Authorize = (
  ctx: ParameterizedContext<ApiState>,
  permission: Access,
) => Promise<TokenIdentity>;

/** @param sessionLimits sessions have a budget of their own, which is larger than a token's */
export const createAuthorize = (
  authenticate: Authenticate,
  tokenLimits: Pick<RequestLimits, 'count'>,
  sessionLimits: Pick<RequestLimits, 'count'>,
): Authorize => {
  const count = ({ id, session }: TokenIdentity) =>
    (session === undefined ? tokenLimits : sessionLimits).count(id);

  return async function authorize(ctx, permission) {
    let counting: ReturnType<typeof count> | undefined;
    const { identity: caller, accountIsSuspended } = await authenticate(ctx.req, (expected) => {
      counting = count(expected);
      counting.catch(() => undefined); // awaited below, unless the credential is no longer valid
    });
    ctx.state.caller = caller;
    const { burst, rate } = await (counting ?? count(caller));
    // spec 8 reports the hourly limit, unless the burst limit refuses the request
    const shown = rate === undefined || burst.isExceeded ? burst : rate;
    setLimitHeaders(ctx, shown);
    if (shown.isExceeded) throw rateLimitExceeded(shown.resetAt);
    if (accountIsSuspended)
      throw new AppError(
        'forbidden',
        'This account is suspended. Contact the operator of this service',
      );
    if (permission === 'session') requireSession(caller);
    else if (permission !== null && permission !== 'any') requirePermission(caller, permission);
    return caller;
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
