/**
 * Idempotency-Key on POST: a repeated request with the same key receives the first response and has
 * no second effect. Failures are not stored.
 */
import type { ParameterizedContext } from 'koa';

import type { IdempotencyKeys } from '../../adapters/mongo/limit/idempotency.ts';
import type { Log } from '../../adapters/process/log.ts';
import { AppError } from '../../core/error/app-error.ts';
import type { TokenIdentity } from '../../core/token/token.ts';
import type { ApiState } from './state/state.ts';

export const KEY_MAX_CHARS = 255;
const KEY = /^[\x21-\x7e]*$/;

/**
 * Runs `perform` unless a request with this key already did. With `performAgain`, the response is
 * not stored, and a repeated request gets the result of that. @throws AppError `conflict`
 */
export type RunIdempotently = (
  ctx: ParameterizedContext<ApiState>,
  caller: TokenIdentity,
  body: unknown,
  perform: () => Promise<unknown>,
  performAgain?: () => Promise<unknown>,
) => Promise<unknown>;

export const createRunIdempotently = (
  keys: IdempotencyKeys,
  clock: () => Date,
  log: Log,
): RunIdempotently =>
  async function runIdempotently(ctx, caller, body, perform, performAgain) {
    if (ctx.req.headers['idempotency-key'] === undefined) return perform();
    const key = ctx.get('Idempotency-Key');
    if (key === '') throw invalidKey('too_small', 'is empty');
    if (!KEY.test(key)) throw invalidKey('invalid_value', 'must be printable ASCII without spaces');
    if (key.length > KEY_MAX_CHARS)
      throw invalidKey('too_long', `is longer than ${KEY_MAX_CHARS} characters`);
    const request = {
      tokenId: caller.id,
      key,
      content: JSON.stringify([ctx.method, ctx.path, body]),
    };
    const claim = await keys.claim(request, clock());
    if (claim.kind === 'another-request')
      throw new AppError('conflict', 'This Idempotency-Key was used for another request');
    if (claim.kind === 'in-flight')
      throw new AppError(
        'conflict',
        'A request with this Idempotency-Key is still in progress. Retry to receive its response',
        { retryAfterSeconds: 1 },
      );
    if (claim.kind === 'completed') {
      ctx.set('Idempotency-Replayed', 'true');
      return performAgain ? performAgain() : (JSON.parse(claim.response) as unknown);
    }
    const response = await perform().catch(async (error: unknown) => {
      await keys
        .release(request)
        .catch((cause: unknown) => log.warn('idempotency_key.not_released', { error: cause }));
      throw error;
    });
    await keys
      .saveResponse(request, JSON.stringify(performAgain ? null : response))
      // the request itself succeeded
      .catch((error: unknown) => log.warn('idempotency_key.not_stored', { error }));
    return response;
  };

const invalidKey = (code: 'too_small' | 'invalid_value' | 'too_long', why: string) =>
  new AppError('validation_failed', `Idempotency-Key ${why}`, {
    details: { field: 'Idempotency-Key', code },
  });
