/** The error responses of the OpenAPI document, by name, each with an example per error code. */
import type { AppErrorKind } from '../../core/error/app-error.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { type ErrorBody, STATUS } from '../http/errors.ts';
import type { Response } from './document.ts';

type Status = (typeof STATUS)[AppErrorKind];

/** Component names; the status of each is the key. */
const NAMES: Record<Status, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'ValidationFailed',
  429: 'RateLimitExceeded',
  431: 'HeadersTooLarge',
  500: 'InternalError',
  503: 'Unavailable',
};

const MEANING: Record<AppErrorKind, string> = {
  bad_request: 'The request is not valid HTTP',
  invalid_json: 'The body is not valid JSON in UTF-8',
  unauthorized: 'The API token is missing or not valid',
  forbidden: 'The API token does not have the permission, or the link is invalid or expired',
  https_required: 'The request did not arrive over HTTPS',
  not_found: 'The account has no such resource',
  method_not_allowed: 'The resource does not support this method',
  request_timeout: 'The request was not received in time',
  conflict: 'The request conflicts with the state of the resource',
  payload_too_large: 'The body is too large: 64 KiB, or what the call says',
  unsupported_media_type: 'The body is not application/json, or is compressed',
  validation_failed:
    'A field of the query or the body is invalid: details names the field and the rule',
  rate_limit_exceeded: 'Too many requests: wait retry_after seconds',
  headers_too_large: 'The request headers are too large',
  internal_error: 'Internal error. Quote the request id to support',
  unavailable: 'The service is temporarily unavailable: retry after Retry-After seconds',
};

/** Headers of every response to a valid token. */
export const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
/** Errors before the limits of a token are known: it is not valid, or MongoDB is unavailable. */
const UNLIMITED: readonly Status[] = [401, 503];

/** Messages that differ from the meaning. */
const EXAMPLES: Partial<Record<AppErrorKind, Partial<ErrorBody>>> = {
  forbidden: { message: 'The API token does not have the permission addresses:write' },
  conflict: {
    message: 'This address is taken',
    details: { field: 'local_part', code: 'conflict' },
  },
  validation_failed: {
    message: 'webhook_url must be an https URL',
    details: { field: 'webhook_url', code: 'not_https' },
  },
  rate_limit_exceeded: {
    message: 'Rate limit exceeded. Wait 17 seconds before the next request',
    retry_after: 17,
  },
};

/** References by status. The possible errors depend on what an endpoint accepts. */
export function errorReferences({
  method,
  path,
  permission,
  reach = 'account',
  errors = [],
}: Endpoint): Record<string, { $ref: string }> {
  const kinds: AppErrorKind[] = [
    'forbidden',
    'validation_failed',
    'internal_error',
    'unavailable',
    ...errors,
  ];
  if (permission !== null) kinds.push('unauthorized', 'rate_limit_exceeded');
  // D69: a limited token reaches nothing else of its account
  if (path.includes('{') || (permission !== null && reach === 'account')) kinds.push('not_found');
  if (method !== 'GET') kinds.push('conflict');
  if (method === 'POST' || method === 'PATCH')
    kinds.push('invalid_json', 'request_timeout', 'payload_too_large', 'unsupported_media_type');
  return Object.fromEntries(
    kinds.map((kind) => [STATUS[kind], { $ref: `#/components/responses/${NAMES[STATUS[kind]]}` }]),
  );
}

/** Every error response that an operation can reference. */
export function errorResponses(): Record<string, Response> {
  const kinds = Object.keys(STATUS) as AppErrorKind[];
  const unreferenced: Status[] = [405, 431]; // sent before an operation is found
  return Object.fromEntries(
    Object.entries(Object.groupBy(kinds, (kind) => STATUS[kind]))
      .map(([status, ofStatus]) => [Number(status) as Status, ofStatus] as const)
      .filter(([status]) => !unreferenced.includes(status))
      .map(([status, ofStatus]) => [NAMES[status], errorResponse(status, ofStatus)]),
  );
}

function errorResponse(status: Status, kinds: readonly AppErrorKind[]): Response {
  const headers = [
    'X-Request-Id',
    ...(UNLIMITED.includes(status) ? [] : LIMIT_HEADERS),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ];
  return {
    description: kinds.map((kind) => `${kind}: ${MEANING[kind]}`).join('. '),
    headers: Object.fromEntries(
      headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(
          kinds.map((kind) => [
            kind,
            { value: { error: kind, message: MEANING[kind], ...EXAMPLES[kind] } },
          ]),
        ),
      },
    },
  };
}
