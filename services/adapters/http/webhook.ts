/**
 * One signed POST to a receiver: which addresses it may connect to, how long it may take and how
 * much of the response it reads (docs/architecture.md).
 */
import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';

import { byteLengthOf } from '../../core/webhook/payload-bytes.ts';
import { outcomeOf, type Outcome } from '../../core/delivery/retry.ts';
import { type AgentOptions, type ConnectionOptions, createAgents } from './agents.ts';
import { BlockedName } from './checked-lookup.ts';
import { ProxyFailed } from './proxy-tunnel.ts';
import { isTlsCode, tlsFaultText } from './tls-fault.ts';
import { BlockedUrl, createParsedUrls, type ParsedUrl } from './parsed-url.ts';

export type WebhookResult = {
  outcome: Outcome;
  durationMs: number;
  /** Beginning of the response body as text, as a rule 1 KiB; null when there was no body. */
  excerpt: string | null;
  /** The beginning of a redirect's Location, printable. */
  location?: string;
  /** Why there was no response; null when there was one. */
  error: string | null;
  /** For the log only: why a name was not used, or the proxy failed. Tenants must not see this. */
  detail?: string;
  /** The port, when it is not 443. Any port is allowed; the log shows unusual ones. */
  unusualPort?: number;
};

export type Webhooks = AsyncDisposable & {
  /** Never throws: a failure is an outcome. */
  post(
    url: string,
    headers: Record<string, string>,
    body: Uint8Array | readonly Uint8Array[],
    options?: PostOptions,
  ): Promise<WebhookResult>;
};

export type PostOptions = {
  /** Absent unless the receiver has a client certificate or is a Service. */
  connection?: ConnectionOptions | undefined;
  /** Absent for the limit of all. */
  timeoutMs?: number;
  /** How much of the response is in `excerpt`; absent for 1 KiB. */
  excerptBytes?: number;
};

const RESPONSE_MAX_BYTES = 64 * 1024;
const EXCERPT_BYTES = 1024;
const LOCATION_CHARS = 256;

class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

export function createWebhooks(options: AgentOptions): Webhooks {
  const agents = createAgents(options);
  const targetOf = createParsedUrls(options.allowedNetworks);
  return {
    post: async (url, headers, body, { connection, timeoutMs, excerptBytes } = {}) => {
      const startedAt = performance.now();
      const target = targetOf(url);
      const result = (rest: Omit<WebhookResult, 'durationMs'>) => ({
        ...rest,
        durationMs: Math.round(performance.now() - startedAt),
        ...(target.port !== undefined && { unusualPort: target.port }),
      });
      try {
        if (target.refusal) throw target.refusal;
        const response = await exchange(
          agents.agentFor(connection),
          target,
          requestOf(headers, body),
          {
            timeoutMs: timeoutMs ?? options.timeoutMs,
            excerptBytes: excerptBytes ?? EXCERPT_BYTES,
          },
        );
        const { status, retryAfter, excerpt, location } = response;
        return result({
          outcome: outcomeOf(status, retryAfter, new Date()),
          excerpt,
          ...(location !== undefined && { location }),
          error: null,
        });
      } catch (error) {
        const outcome = failureOf(error);
        const reason = reasonOf(error);
        const detail = error instanceof ProxyFailed && { detail: error.detail };
        if (outcome.kind !== 'unreachable' || outcome.reason !== 'dns')
          return result({ outcome, excerpt: null, error: reason, ...detail });
        const shown = `${target.hostname} does not resolve to a public address`;
        return result({ outcome, excerpt: null, error: shown, detail: reason });
      }
    },
    [Symbol.asyncDispose]: () => agents[Symbol.asyncDispose](),
  };
}

/**
 * Writes a body of several pieces one piece at a time, as fast as the receiver reads. Encrypting
 * all of it in one step would block the event loop.
 */
function requestOf(
  headers: Record<string, string>,
  body: Uint8Array | readonly Uint8Array[],
): PostRequest {
  const pieces = body instanceof Uint8Array ? [body] : body;
  if (pieces.length === 1 && pieces[0]) return { headers, body: pieces[0] };
  return {
    headers: { ...headers, 'content-length': String(byteLengthOf(pieces)) },
    body: Readable.from(pieces, { objectMode: false }),
  };
}

type PostRequest = { headers: Record<string, string>; body: Uint8Array | Readable };
type Response = {
  status: number;
  retryAfter: string | undefined;
  excerpt: string | null;
  location: string | undefined;
};

/**
 * Sends a request and reads its response, so that the connection can be reused, unless the response
 * is too long. undici's request API would add a stream and an abort signal to each POST.
 * @throws TimedOut, or the error of the connection
 */
function exchange(
  agent: Agent,
  { origin, path }: ParsedUrl,
  request: PostRequest,
  { timeoutMs, excerptBytes }: { timeoutMs: number; excerptBytes: number },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let failure: Error | undefined;
    const fail = (error: Error): void => {
      clearTimeout(timer);
      failure ??= error;
      controller?.abort(error);
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new TimedOut(`no response within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    let status = 0;
    let bytes = 0;
    let retryAfter: string | undefined;
    let location: string | undefined;
    const chunks: Buffer[] = [];
    const succeed = (): void => {
      clearTimeout(timer);
      const text = bytes === 0 ? null : Buffer.concat(chunks).toString('utf8', 0, excerptBytes);
      resolve({ status, retryAfter, excerpt: text, location });
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started;
        if (failure) started.abort(failure);
      },
      onResponseStart: (_, statusCode, headers) => {
        status = statusCode; // an informational response first, then the final one
        retryAfter = oneHeader(headers['retry-after']);
        location = redirectOf(status, oneHeader(headers.location));
      },
      onResponseData: (current, chunk) => {
        if (bytes < excerptBytes) chunks.push(chunk);
        bytes += chunk.byteLength;
        if (bytes <= RESPONSE_MAX_BYTES) return;
        succeed();
        current.abort(new Error('response too long')); // closes the connection
      },
      onResponseEnd: succeed,
      onResponseError: (_, error) => {
        controller = undefined; // has ended
        fail(error);
      },
    };
    try {
      agent.dispatch({ origin, path, method: 'POST', ...request }, handler);
    } catch (error) {
      fail(error as Error);
    }
  });
}

const oneHeader = (value: string | string[] | undefined) =>
  Array.isArray(value) ? value[0] : value;

/** A URL is ASCII (RFC 3986 §2): other characters could only deceive its reader. */
const redirectOf = (status: number, location: string | undefined): string | undefined =>
  status >= 300 && status < 400
    ? location?.slice(0, LOCATION_CHARS).replaceAll(/[^\x20-\x7e]/g, '?')
    : undefined;

const DNS_CODES: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'ENODATA',
  'ESERVFAIL',
]);
const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

function failureOf(error: unknown): Outcome {
  if (error instanceof BlockedUrl) return { kind: 'blocked', reason: error.message };
  if (error instanceof BlockedName) return { kind: 'unreachable', reason: 'dns' };
  const code = codeOf(error);
  if (error instanceof TimedOut || TIMEOUT_CODES.has(code))
    return { kind: 'unreachable', reason: 'timeout' };
  if (DNS_CODES.has(code)) return { kind: 'unreachable', reason: 'dns' };
  return { kind: 'unreachable', reason: isTlsCode(code) ? 'tls' : 'connection' };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner =
    error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  const code = codeOf(inner);
  return (
    (isTlsCode(code) ? tlsFaultText(code, inner.message) : inner.message) || code || inner.name
  );
}

function codeOf(error: unknown): string {
  // one error per address that was tried
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
