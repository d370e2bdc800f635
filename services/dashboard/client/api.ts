/** Calls of the REST API, typed by its OpenAPI document. The session's cookie authenticates them. */
import { createCall, pathOf } from '../../core/api/calls.ts';
import { shellText } from '../strings/shell.ts';
import { isAttended } from './attention.ts';

/** A response other than a success, or none at all (status 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The field that the API rejected, such as `webhook_url`. */
  readonly field: string | undefined;
  /** The rule that the field breaks, such as `not_https`. */
  readonly code: string | undefined;

  constructor(
    status: number,
    message: string,
    { field, code }: { field?: string; code?: string } = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.status = status;
    this.field = field;
    this.code = code;
  }
}

/** @throws ApiError */
export const call = createCall((method, path, body, signal) =>
  request(method, `/v1${path}`, body, signal),
);

/** The path below the host, for links and frames, too. */
export const apiPath = (...place: Parameters<typeof pathOf>): string => `/v1${pathOf(...place)}`;

let onSignedOut: () => void = () => undefined;
/** @param handler runs when the API no longer accepts the session */
export const whenSignedOut = (handler: () => void): void => void (onSignedOut = handler);

let onNoResponse: () => void = () => undefined;
/** @param handler runs when the API does not respond */
export const whenNoResponse = (handler: () => void): void => void (onNoResponse = handler);

/** @param path with `/v1` @throws ApiError */
export async function request(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: {
      ...(method !== 'GET' && { 'Inlet-Dashboard': '1' }),
      ...(method === 'GET' && !isAttended() && { 'Inlet-Dashboard': 'unattended' }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    onNoResponse();
    throw new ApiError(0, shellText.noResponse, {}, cause);
  });
  if (response.ok) return response;
  if (response.status === 401) onSignedOut();
  throw await errorOf(response);
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as {
    message?: string;
    details?: { field?: string; code?: string };
  };
  const message = body.message ?? shellText.failedWith(response.status);
  return new ApiError(response.status, message, body.details);
}
