/** Idempotency-Key on POST: a request that is repeated with the same key gets the first one's answer and has no second effect. Failures are not kept. */
import type { ParameterizedContext } from 'koa';

import type { Idempotency } from '../../adapters/mongo/idempotency.ts';
import type { Log } from '../../adapters/process/log.ts';
import { AppError } from '../../core/app-error.ts';
import type { TokenIdentity } from '../../core/account/token.ts';
import type { ApiState } from './state.ts';

export const KEY_MAX_CHARS = 255;
const KEY = /^[\x21-\x7e]*$/;

/** Performs the request unless it was performed before. @throws AppError `conflict` */
export type Once = (
  ctx: ParameterizedContext<ApiState>,
  caller: TokenIdentity,
  body: unknown,
  perform: () => Promise<unknown>,
) => Promise<unknown>;

export const createOnce = (idempotency: Idempotency, clock: () => Date, log: Log): Once =>
  async function once(ctx, caller, body, perform) {
    if (ctx.req.headers['idempotency-key'] === undefined) return perform();
    const key = ctx.get('Idempotency-Key');
    if (key === '') throw faulty('too_small', 'is empty');
    if (!KEY.test(key)) throw faulty('invalid_value', 'must be printable ASCII without spaces');
    if (key.length > KEY_MAX_CHARS)
      throw faulty('too_long', `is longer than ${KEY_MAX_CHARS} characters`);
    const request = {
      tokenId: caller.id,
      key,
      content: JSON.stringify([ctx.method, ctx.path, body]),
    };
    const taken = await idempotency.take(request, clock());
    if (taken.kind === 'another-request')
      throw new AppError('conflict', 'This Idempotency-Key was used for another request');
    if (taken.kind === 'under-way')
      throw new AppError(
        'conflict',
        'A request with this Idempotency-Key is under way: come again for its answer',
        { retryAfterSeconds: 1 },
      );
    if (taken.kind === 'answered') {
      ctx.set('Idempotency-Replayed', 'true');
      return JSON.parse(taken.answer) as unknown;
    }
    const answer = await perform().catch(async (error: unknown) => {
      await idempotency
        .release(request)
        .catch((cause: unknown) => log.warn('idempotency_key.unreleased', { error: cause }));
      throw error;
    });
    await idempotency
      .keep(request, JSON.stringify(answer))
      .catch((error: unknown) => log.warn('idempotency_key.unkept', { error })); // what is done is done
    return answer;
  };

const faulty = (code: 'too_small' | 'invalid_value' | 'too_long', why: string) =>
  new AppError('validation_failed', `Idempotency-Key ${why}`, {
    details: { field: 'Idempotency-Key', code },
  });
