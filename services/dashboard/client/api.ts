/** Calls of the REST API, typed by its OpenAPI document. The session's cookie authenticates them. */
import { shellText } from '../strings/shell.ts';
import type { Calls } from '../api-types.golden.ts';

/** A response other than a success, or none at all (status 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The field that the API rejected, such as `webhook_url`. */
  readonly field: string | undefined;

  constructor(status: number, message: string, field?: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.field = field;
  }
}

type Field<Name extends string, T> = unknown extends T
  ? unknown
  : T extends undefined
    ? unknown
    : { [K in Name]: T };

type Input<C extends keyof Calls> = Field<'params', Calls[C]['params']> &
  Field<'body', Calls[C]['body']> & {
    query?: Calls[C]['query'];
    signal?: AbortSignal;
  };

type AnyInput = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
};

/** @param name method and path, such as `GET /deliveries/{event_id}` @throws ApiError */
export async function call<C extends keyof Calls>(
  name: C,
  input: Input<C>,
): Promise<Calls[C]['response']> {
  const { params = {}, query = {}, body, signal } = input as AnyInput;
  const [method = 'GET', template = ''] = name.split(' ');
  const response = await request(method, apiPath(template, params, query), body, signal);
  return (await response.json()) as Calls[C]['response'];
}

/** The path below the host, for links and frames, too. */
export function apiPath(
  template: string,
  params: Record<string, string> = {},
  query: Record<string, unknown> = {},
): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(params[field] ?? ''),
  );
  const fields = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(fields.map(([field, value]) => [field, String(value)]));
  return `/v1${path}${search.size > 0 ? `?${search}` : ''}`;
}

let onSignedOut: () => void = () => undefined;
/** @param handler runs when the API no longer accepts the session */
export const whenSignedOut = (handler: () => void): void => void (onSignedOut = handler);

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
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new ApiError(0, shellText.noResponse, undefined, cause);
  });
  if (response.ok) return response;
  if (response.status === 401) onSignedOut();
  throw await errorOf(response);
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as {
    message?: string;
    details?: { field?: string };
  };
  const message = body.message ?? shellText.failedWith(response.status);
  return new ApiError(response.status, message, body.details?.field);
}
