/**
 * One HTTP request over a connection whose address was checked: how long it may take, and how much of
 * the response it reads (docs/project/internals.md).
 */
import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';

import type { Outcome } from '../../core/delivery/retry.ts';
import { byteLengthOf } from '../../core/webhook/payload-bytes.ts';
import { BlockedName } from './checked-lookup.ts';
import { BlockedUrl, type ParsedUrl } from './parsed-url.ts';
import { isTlsCode, tlsFaultText } from './tls-fault.ts';

export type HttpRequest = {
  method: 'POST' | 'PUT' | 'DELETE';
  headers: Record<string, string>;
  body: Uint8Array | readonly Uint8Array[];
};

export type HttpResponse = {
  status: number;
  header: (name: string) => string | undefined;
  /** Beginning of the body as text; null when there was no body. */
  excerpt: string | null;
};

const RESPONSE_MAX_BYTES = 64 * 1024;

class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

type IncomingFields = Record<string, string | string[] | undefined>;

/** What became known of an exchange, also when it fails. */
export type Seen = { hasStarted?: true; fields?: IncomingFields };

type ExchangeOptions = {
  timeoutMs: number;
  /** For a receiver that has not answered lately; undefined for no other limit than the first. */
  firstByteMs?: number | undefined;
  excerptBytes: number;
  seen?: Seen;
};

/**
 * Sends a request and reads its response, so that the connection can be reused, unless the response
 * is too long. undici's request API would add a stream and an abort signal to each POST.
 * @throws TimedOut, or the error of the connection
 */
export function exchange(
  agent: Agent,
  { origin, path }: ParsedUrl,
  request: HttpRequest,
  { timeoutMs, firstByteMs, excerptBytes, seen = {} }: ExchangeOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let failure: Error | undefined;
    const stopTimers = (): void => {
      clearTimeout(timer);
      clearTimeout(firstByte);
    };
    const fail = (error: Error): void => {
      stopTimers();
      failure ??= error;
      controller?.abort(error);
      reject(error);
    };
    const timeOut = (ms: number) =>
      setTimeout(() => fail(new TimedOut(`no response within ${ms / 1000} s`)), ms);
    const timer = timeOut(timeoutMs);
    const firstByte =
      firstByteMs !== undefined && firstByteMs < timeoutMs ? timeOut(firstByteMs) : undefined;
    let status = 0;
    let bytes = 0;
    const chunks: Buffer[] = [];
    const succeed = (): void => {
      stopTimers();
      const text = bytes === 0 ? null : Buffer.concat(chunks).toString('utf8', 0, excerptBytes);
      resolve({ status, header: (name) => oneHeader(seen.fields?.[name]), excerpt: text });
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started;
        seen.hasStarted = true;
        if (failure) started.abort(failure);
      },
      onResponseStart: (_, statusCode, headers) => {
        clearTimeout(firstByte);
        status = statusCode; // an informational response first, then the final one
        seen.fields = headers;
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
      agent.dispatch({ origin, path, ...written(request) }, handler);
    } catch (error) {
      fail(error as Error);
    }
  });
}

/**
 * Writes a body of several pieces one piece at a time, as fast as the receiver reads. Encrypting
 * all of it in one step would block the event loop.
 */
function written({ method, headers, body }: HttpRequest) {
  const pieces = body instanceof Uint8Array ? [body] : body;
  if (pieces.length === 1 && pieces[0]) return { method, headers, body: pieces[0] };
  return {
    method,
    headers: { ...headers, 'content-length': String(byteLengthOf(pieces)) },
    body: Readable.from(pieces, { objectMode: false }),
  };
}

const oneHeader = (value: string | string[] | undefined) =>
  Array.isArray(value) ? value[0] : value;

const DNS_CODES: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EBADNAME',
  'ENODATA',
  'ESERVFAIL',
]);
const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

type Fault = {
  outcome: Outcome;
  /** Why there was no response, for the customer. */
  text: string;
  /** Why a name was not used: customers must not learn which private addresses it has. */
  hidden?: string;
};

export function faultOf(error: unknown, { hostname }: Pick<ParsedUrl, 'hostname'>): Fault {
  const outcome = outcomeOfFault(error);
  const text = faultText(error);
  return outcome.kind === 'unreachable' && outcome.reason === 'dns'
    ? { outcome, text: `${hostname} does not resolve to a public address`, hidden: text }
    : { outcome, text };
}

function outcomeOfFault(error: unknown): Outcome {
  if (error instanceof BlockedUrl) return { kind: 'blocked', reason: error.message };
  if (error instanceof BlockedName) return { kind: 'unreachable', reason: 'dns' };
  const code = codeOf(error);
  if (error instanceof TimedOut || TIMEOUT_CODES.has(code))
    return { kind: 'unreachable', reason: 'timeout' };
  if (DNS_CODES.has(code)) return { kind: 'unreachable', reason: 'dns' };
  return { kind: 'unreachable', reason: isTlsCode(code) ? 'tls' : 'connection' };
}

function faultText(error: unknown): string {
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
