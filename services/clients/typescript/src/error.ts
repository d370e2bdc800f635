/** Failures of calls. */
import type { Error as ErrorBody } from '../../../core/api/api-types.generated.ts';

/**
 * `error` of the response, or: `unreachable` (no response), `timeout` (none in time),
 * `unexpected_response` (a server that is not Inlet answered), `no_email` (`waitForEmail` got none).
 */
export type ErrorKind =
  ErrorBody['error'] | 'unreachable' | 'timeout' | 'unexpected_response' | 'no_email';

type Facts = {
  status?: number | undefined;
  requestId?: string | undefined;
  details?: ErrorBody['details'];
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
};

/** Decide by `kind` and `details.code`. The message is for people and may change. */
export class InletError extends Error {
  readonly kind: ErrorKind;
  /** The HTTP status of the response, if there was one. */
  readonly status: number | undefined;
  /** Quote it to support. */
  readonly requestId: string | undefined;
  /** For `validation_failed`, and some `conflict`: the field at fault and the rule that it breaks. */
  readonly details: ErrorBody['details'];
  /** When the API says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, message: string, facts: Facts = {}) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.name = 'InletError';
    this.kind = kind;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** @param text the body of a response without success */
export function errorOf(response: Response, text: string): InletError {
  const { status, headers } = response;
  const body = parsed(text);
  const facts = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    details: body.details,
    retryAfterSeconds: retryAfterOf(headers, body.retry_after),
  };
  if (typeof body.error !== 'string' || typeof body.message !== 'string')
    return new InletError('unexpected_response', `The server responded with ${status}`, facts);
  const field = body.details?.field === undefined ? '' : ` (field ${body.details.field})`;
  return new InletError(body.error, `${body.message}${field}`, facts);
}

function parsed(text: string): Partial<ErrorBody> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** Retry-After in seconds, which is the only form that Inlet sends; else the end of the window. */
function retryAfterOf(headers: Headers, fromBody: unknown): number | undefined {
  const header = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(header)) return Number(header);
  if (typeof fromBody === 'number') return fromBody;
  const reset = headers.get('x-ratelimit-reset') ?? '';
  if (headers.get('x-ratelimit-remaining') !== '0' || !/^\d{1,12}$/.test(reset)) return undefined;
  return Math.max(0, Number(reset) - Math.floor(Date.now() / 1000));
}
