/** The way in: whose token it is, whether it has asked too often (spec 8), whether its account is suspended, whether it may (D10). In this order, so that every answer to a valid token tells its limits. */
import type { ParameterizedContext } from 'koa';

import type { LimitState, RequestLimits } from '../../adapters/mongo/rate-limits.ts';
import { AppError } from '../../core/app-error.ts';
import type { Permission } from '../../core/account/permission.ts';
import type { TokenIdentity } from '../../core/account/token.ts';
import { type Authenticate, requirePermission } from './authentication.ts';
import { rateLimitExceeded } from './errors.ts';
import type { ApiState } from './state.ts';

/** @throws AppError `unauthorized`, `rate_limit_exceeded` or `forbidden` */
export type Authorize = (
  ctx: ParameterizedContext<ApiState>,
  permission: Permission,
) => Promise<TokenIdentity>;

export const createAuthorize = (authenticate: Authenticate, limits: RequestLimits): Authorize =>
  async function authorize(ctx, permission) {
    const { identity: caller, accountIsSuspended } = await authenticate(ctx.req);
    ctx.state.caller = caller;
    const { burst, rate } = await limits.count(caller.id);
    const shown = rate === undefined || burst.isExceeded ? burst : rate; // the limit that spec 8 calls the rate, unless it is the other that refuses
    tell(ctx, shown);
    if (shown.isExceeded) throw rateLimitExceeded(shown.resetAt);
    if (accountIsSuspended)
      throw new AppError('forbidden', 'This account is suspended: ask those who run this service');
    requirePermission(caller, permission);
    return caller;
  };

function tell(
  ctx: ParameterizedContext<ApiState>,
  { limit, remaining, resetAt }: LimitState,
): void {
  ctx.set('X-RateLimit-Limit', String(limit));
  ctx.set('X-RateLimit-Remaining', String(remaining));
  ctx.set('X-RateLimit-Reset', String(Math.ceil(resetAt.getTime() / 1_000))); // spec 8: a Unix timestamp
}
