/** Turns every error into a response: HTTP status and body (spec section 7, D4, D5). */
import type { Middleware } from 'koa';
import { z } from 'zod';

import { describeSchema } from '../../core/resource/api-reference.ts';
import { RecipientResult } from '../../core/smtp/intake.ts';
import type { Log } from '../../adapters/process/log.ts';
import { isTemporary } from '../../adapters/mongo/database/errors.ts';
import {
  AppError,
  type AppErrorKind,
  FIELD_RULES,
  RETRY_AFTER_SECONDS,
  unavailable,
} from '../../core/error/app-error.ts';
import type { ApiState } from './state/state.ts';

export const STATUS = {
  bad_request: 400,
  invalid_json: 400,
  unauthorized: 401,
  forbidden: 403,
  https_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limit_exceeded: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const satisfies Record<AppErrorKind, number>;

/** Error body of spec section 7. */
export const ErrorBody = z.object({
  error: z.enum(Object.keys(STATUS) as AppErrorKind[]),
  message: z.string().describe('human-readable explanation'),
  details: z
    .object({
      field: z.string(),
      code: z.enum(FIELD_RULES),
      position: z
        .int()
        .optional()
        .describe('for an invalid expression: where its error is, in characters from 0'),
    })
    .optional()
    .describe(
      'for validation_failed: the first invalid field and the rule that it violates; for ' +
        'conflict: the field whose value is not available, if one is the cause',
    ),
  retry_after: z.int().optional().describe('for rate_limit_exceeded: seconds to wait'),
  recipients: z
    .array(RecipientResult)
    .optional()
    .describe('for a submitted email: what became of each recipient'),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
describeSchema(ErrorBody, 'Error');

/** Spec 7: the message states how long to wait. */
export function rateLimitExceeded(resetAt: Date): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil((resetAt.getTime() - Date.now()) / 1_000));
  return new AppError(
    'rate_limit_exceeded',
    `Rate limit exceeded. Wait ${retryAfterSeconds} seconds before the next request`,
    { retryAfterSeconds },
  );
}

export const statusOf = (error: AppError): number => STATUS[error.kind];

export function errorBody(error: AppError): ErrorBody {
  const { kind, message, details, retryAfterSeconds, recipients } = error;
  return {
    error: kind,
    message,
    ...(details && { details }),
    ...(kind === 'rate_limit_exceeded' && {
      retry_after: retryAfterSeconds ?? RETRY_AFTER_SECONDS,
    }),
    ...(recipients && { recipients: [...recipients] }),
  };
}

/** Responds to every error of the middleware after it. */
export const respondToErrors = (log: Log): Middleware<ApiState> =>
  async function respondToError(ctx, next) {
    try {
      await next();
    } catch (error) {
      const sent = errorToSend(error, ctx.state.requestId, log);
      ctx.status = statusOf(sent);
      ctx.body = errorBody(sent);
      if (sent.kind === 'unauthorized') ctx.set('WWW-Authenticate', 'Bearer'); // RFC 6750 §3
      if (sent.retryAfterSeconds !== undefined)
        ctx.set('Retry-After', String(sent.retryAfterSeconds));
    }
  };

/** Logs errors that the caller did not cause, with their causes. */
export function errorToSend(error: unknown, requestId: string, log: Log): AppError {
  const sent = appErrorOf(error, requestId);
  if (sent.kind === 'internal_error')
    log.error('api.failed', {
      request_id: requestId,
      error,
      stack: error instanceof Error ? error.stack : undefined,
    });
  if (sent.kind === 'unavailable')
    log.warn('api.unavailable', { request_id: requestId, error: sent.cause });
  return sent;
}

function appErrorOf(error: unknown, requestId: string): AppError {
  if (error instanceof AppError) return error;
  if (isTemporary(error)) return unavailable(error);
  return new AppError('internal_error', `Internal error. Quote request id ${requestId} to support`);
}
