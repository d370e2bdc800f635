/**
 * One signed POST to a receiver: which addresses it may connect to, how long it may take and how
 * much of the response it reads (docs/architecture.md).
 */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { createSecureContext, getCACertificates } from 'node:tls';
import { Agent, type Dispatcher, request } from 'undici';

import { byteLengthOf } from '../../core/mail/payload.ts';
import { networkRefusal } from '../../core/delivery/public-network.ts';
import { outcomeOf, type Outcome } from '../../core/delivery/retry.ts';

export type WebhookResult = {
  outcome: Outcome;
  durationMs: number;
  /** First KiB of the response body as text; null when there was no body. */
  excerpt: string | null;
  /** Why there was no response; null when there was one. */
  error: string | null;
  /** For the log only: tells why a name was not used, which tenants must not learn. */
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
  ): Promise<WebhookResult>;
};

export type WebhookOptions = {
  /** Limit for the whole attempt, from the DNS lookup to the end of the response. */
  timeoutMs: number;
  /** CIDR ranges that are allowed although they are not public. */
  allowedNetworks: readonly string[];
  /** PEM of certificate authorities to trust in addition to the system's. */
  extraCa?: readonly string[] | undefined;
  /** Resolves names; tests replace it. */
  lookup?: LookupFunction;
};

const RESPONSE_MAX_BYTES = 64 * 1024;
const EXCERPT_BYTES = 1024;
const RESPONSE_HEADERS_MAX_BYTES = 16 * 1024;

class BlockedTarget extends Error {
  override readonly name = 'BlockedTarget';
}

/**
 * A name with an address that is not public. Tenants see the same as for a name that does not
 * resolve.
 */
class BlockedName extends Error {
  override readonly name = 'BlockedName';
}

class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

export function createWebhooks({
  timeoutMs,
  allowedNetworks,
  extraCa = [],
  lookup = systemLookup,
}: WebhookOptions): Webhooks {
  const agent = new Agent({
    connect: {
      lookup: guarded(lookup, allowedNetworks),
      timeout: timeoutMs,
      secureContext: createSecureContext({ ca: [...getCACertificates('default'), ...extraCa] }),
    },
    // HTTP/1.1 with keep-alive takes half to two thirds of the CPU of HTTP/2 (measured), and bounds
    // the response headers.
    allowH2: false,
    maxHeaderSize: RESPONSE_HEADERS_MAX_BYTES,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  return {
    post: async (url, headers, body) => {
      const startedAt = performance.now();
      const timeLimit = new AbortController();
      const timer = setTimeout(
        () => timeLimit.abort(new TimedOut(`no response within ${timeoutMs / 1000} s`)),
        timeoutMs,
      ); // cheaper than AbortSignal.timeout
      const target = URL.parse(url);
      const result = (rest: Omit<WebhookResult, 'durationMs'>) => ({
        ...rest,
        durationMs: Math.round(performance.now() - startedAt),
        ...(target?.port && { unusualPort: Number(target.port) }),
      });
      try {
        if (target) refuseLiteral(target.hostname, allowedNetworks);
        const response = await request(url, {
          method: 'POST',
          dispatcher: agent,
          ...requestOf(headers, body),
          signal: timeLimit.signal,
        });
        const excerpt = await excerptOf(response.body);
        return result({
          outcome: outcomeOf(
            response.statusCode,
            oneHeader(response.headers['retry-after']),
            new Date(),
          ),
          excerpt,
          error: null,
        });
      } catch (error) {
        const outcome = failureOf(error);
        const reason = reasonOf(error);
        if (outcome.kind !== 'unreachable' || outcome.reason !== 'dns')
          return result({ outcome, excerpt: null, error: reason });
        const shown = `${target?.hostname ?? 'the host'} does not resolve to a public address`;
        return result({ outcome, excerpt: null, error: shown, detail: reason });
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/**
 * Writes a body of several pieces one piece at a time, as fast as the receiver reads. Encrypting
 * all
 * of it in one step would block the event loop.
 */
function requestOf(
  headers: Record<string, string>,
  body: Uint8Array | readonly Uint8Array[],
): { headers: Record<string, string>; body: Uint8Array | Readable } {
  const pieces = body instanceof Uint8Array ? [body] : body;
  if (pieces.length === 1 && pieces[0]) return { headers, body: pieces[0] };
  return {
    headers: { ...headers, 'content-length': String(byteLengthOf(pieces)) },
    body: Readable.from(pieces, { objectMode: false }),
  };
}

/**
 * Checks addresses in the socket's own lookup, so that the checked address is the one it connects
 * to.
 */
function guarded(lookup: LookupFunction, allowed: readonly string[]): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      for (const { address } of addresses) {
        const refusal = networkRefusal(address, allowed);
        if (refusal) return callback(new BlockedName(`${hostname} resolves to ${refusal}`), '', 0);
      }
      const [first] = addresses;
      if (first === undefined)
        return callback(
          Object.assign(new Error(`${hostname} has no address`), { code: 'ENODATA' }),
          '',
          0,
        );
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
}

/** A literal address needs no lookup, so `guarded` never sees it. */
function refuseLiteral(hostname: string, allowed: readonly string[]): void {
  const ip = hostname.replace(/^\[|\]$/g, '');
  const refusal = isIP(ip) ? networkRefusal(ip, allowed) : undefined;
  if (refusal) throw new BlockedTarget(`${hostname} is ${refusal}`);
}

/** Reads the whole response, so that the connection can be reused, unless it is too long. */
async function excerptOf(body: Dispatcher.ResponseData['body']): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (bytes < EXCERPT_BYTES) chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > RESPONSE_MAX_BYTES) break; // closes the connection
  }
  return bytes === 0 ? null : Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8');
}

const oneHeader = (value: string | string[] | undefined) =>
  Array.isArray(value) ? value[0] : value;

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
const TLS_CODES = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO)/;

function failureOf(error: unknown): Outcome {
  if (error instanceof BlockedTarget) return { kind: 'blocked', reason: error.message };
  if (error instanceof BlockedName) return { kind: 'unreachable', reason: 'dns' };
  const code = codeOf(error);
  if (error instanceof TimedOut || TIMEOUT_CODES.has(code))
    return { kind: 'unreachable', reason: 'timeout' };
  if (DNS_CODES.has(code)) return { kind: 'unreachable', reason: 'dns' };
  return { kind: 'unreachable', reason: TLS_CODES.test(code) ? 'tls' : 'connection' };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner =
    error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  return inner.message || codeOf(inner) || inner.name;
}

function codeOf(error: unknown): string {
  // one error per address that was tried
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
