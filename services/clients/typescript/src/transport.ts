/** Sends requests: token, timeouts, and retries where they are safe. */
import { VERSION } from './operations.generated.ts';
import { errorOf, InletError } from './error.ts';
import type { CallOptions } from './operation.ts';
import { pauseBeforeRetryMs, sleep } from './retry.ts';

export type ClientOptions = {
  /** Such as `https://mail.example.com/v1`. `/v1` is added to an origin. */
  apiUrl: string;
  /** `svc_live_…` or `svc_test_…` */
  token: string;
  /** For one attempt, in milliseconds: 30,000 unless it says otherwise. */
  timeoutMs?: number | undefined;
  /** How often a failed call is repeated: twice, unless it says otherwise. */
  maxRetries?: number | undefined;
  /** Instead of the global fetch: for proxies, private authorities, and tests. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Allows an `http:` URL of another machine, which sends the token unencrypted. */
  allowHttp?: boolean | undefined;
};

export type ApiRequest = {
  method: string;
  /** Below /v1, with the query. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Takes an Idempotency-Key. */
  isKeyed?: boolean;
  /** How long the API itself waits before it responds. */
  waitSeconds?: number;
  /** The body is read by the caller, for as long as it wants. */
  isStream?: boolean;
};

/** Resolves with a success. @throws InletError for every other response, and without one */
export type Send = (request: ApiRequest, options?: CallOptions) => Promise<Response>;

const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 2;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export function createSend(client: ClientOptions): Send {
  const apiUrl = checkedApiUrl(client);
  const request = client.fetch ?? ((one: Request) => fetch(one));

  return async function send(wanted, options = {}) {
    const { signal, maxRetries = client.maxRetries ?? MAX_RETRIES } = options;
    const key = options.idempotencyKey ?? (wanted.isKeyed ? crypto.randomUUID() : undefined);
    const headers = new Headers({
      authorization: `Bearer ${client.token}`,
      'user-agent': `inlet-client-typescript/${VERSION}`,
      ...wanted.headers,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...options.headers,
    });
    const timeoutMs =
      (options.timeoutMs ?? client.timeoutMs ?? TIMEOUT_MS) + (wanted.waitSeconds ?? 0) * 1_000;
    const isRepeatable =
      SAFE_METHODS.has(wanted.method) || (wanted.method === 'POST' && key !== undefined);
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptOnce(wanted, headers, timeoutMs, signal);
      } catch (error) {
        if (!(error instanceof InletError)) throw error;
        const tries = { attempt, maxRetries };
        const pauseMs = pauseBeforeRetryMs(error, tries, isRepeatable, Math.random());
        if (pauseMs === undefined) throw error;
        await sleep(pauseMs, signal);
      }
    }
  };

  async function attemptOnce(
    { method, path, body, isStream }: ApiRequest,
    headers: Headers,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const signals = signal ? [signal, timeout.signal] : [timeout.signal];
    try {
      const response = await request(
        new Request(`${apiUrl}${path}`, {
          method,
          headers,
          ...(body !== undefined && { body: body as string | Uint8Array<ArrayBuffer> }),
          redirect: 'manual', // the API sends none, and a token is for one server
          signal: AbortSignal.any(signals),
        }),
      );
      if (!response.ok) throw errorOf(response, await response.text());
      if (isStream) return response;
      const content = await response.arrayBuffer(); // the connection may break here, too
      return new Response(content.byteLength === 0 ? null : content, response);
    } catch (cause) {
      if (cause instanceof InletError) throw cause;
      signal?.throwIfAborted();
      if (timeout.signal.aborted)
        throw new InletError('timeout', `No response within ${timeoutMs} ms`, { cause });
      throw new InletError('unreachable', `The API at ${apiUrl} does not respond`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** @throws TypeError unless the text is a URL, and for a URL that would send the token unencrypted */
function checkedApiUrl({ apiUrl, allowHttp }: ClientOptions): string {
  const { protocol, hostname, origin, pathname } = new URL(apiUrl);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError(`${apiUrl} is not an HTTP URL`);
  if (protocol === 'http:' && !allowHttp && !LOOPBACK.test(hostname))
    throw new TypeError(`${apiUrl} would send the token unencrypted: use https`);
  const path = pathname.replace(/\/+$/, '');
  return `${origin}${path === '' ? '/v1' : path}`;
}
