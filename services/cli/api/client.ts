/** Calls of the REST API. Types and paths are generated from its OpenAPI document. */
import createClient, { type Client } from 'openapi-fetch';

import { ExitCode, Failure } from '../failure.ts';
import { causesOf, isCertificateFault } from '../fault-text.ts';
import type { Connection } from './connection.ts';
import type { Fetch } from './fetch.ts';
import type { components, paths } from './openapi.golden.ts';

export type Api = Client<paths>;
export type Schemas = components['schemas'];

const EXIT_CODES: Record<number, ExitCode> = {
  401: ExitCode.notAllowed,
  403: ExitCode.notAllowed,
  404: ExitCode.notFound,
};
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);

export function createApi(
  { apiUrl, token, request: send }: Pick<Connection, 'apiUrl' | 'token'> & { request: Fetch },
  userAgent: string,
  stopped: AbortSignal,
): Api {
  return createClient<paths>({
    baseUrl: apiUrl,
    headers: { authorization: `Bearer ${token}`, 'user-agent': userAgent },
    fetch: async (request) => {
      try {
        const signal = AbortSignal.any([stopped, request.signal]);
        const response = await send(new Request(request, { signal }));
        const body = await response.arrayBuffer(); // the connection may break here, too
        return new Response(body.byteLength === 0 ? null : body, response);
      } catch (error) {
        if (stopped.aborted) throw error;
        throw unreachable(apiUrl, error);
      }
    },
  });
}

export const unreachable = (apiUrl: string, error: unknown): Failure =>
  new Failure(`the API at ${apiUrl} does not respond (${causesOf(error)})`, ExitCode.unreachable, {
    isTemporary: !isCertificateFault(error),
  });

/** The data of a success. @throws Failure with the message of the API */
export async function dataOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw refusal(response, error);
  return data;
}

/** Undefined when the API responds with 404. */
export async function found<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Failure && error.exitCode === ExitCode.notFound) return undefined;
    throw error;
  }
}

/** @param body of the response, parsed if it was JSON */
export function refusal(response: Response, body: unknown): Failure {
  const { error, message, details } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Partial<Schemas['Error']>;
  const field = (details as { field?: unknown } | undefined)?.field;
  const requestId = response.headers.get('x-request-id');
  const text = [
    message ?? `the API responded with ${response.status}`,
    typeof field === 'string' ? ` (field ${field})` : '',
    error === undefined ? '' : ` [${error}]`,
    response.status >= 500 && requestId ? ` [request ${requestId}]` : '',
  ];
  return new Failure(text.join(''), EXIT_CODES[response.status] ?? ExitCode.failed, {
    isTemporary: TEMPORARY.has(response.status),
  });
}
