/**
 * One signed POST to a receiver: which addresses it may connect to, how long it may take and how
 * much of the response it reads (docs/project/internals.md).
 */
import { attemptHeaders, type AttemptHeaders } from '../../core/delivery/attempt-headers.ts';
import { outcomeOf, type Outcome } from '../../core/delivery/retry.ts';
import { createSecretMask } from '../../core/webhook/secret-mask.ts';
import { type AgentOptions, type ConnectionOptions, createAgents } from './agents.ts';
import { exchange, faultOf, type Seen } from './exchange.ts';
import { ProxyFailed } from './proxy-tunnel.ts';
import { createParsedUrls } from './parsed-url.ts';

export type WebhookResult = {
  outcome: Outcome;
  durationMs: number;
  /** Beginning of the response body as text, as a rule 1 KiB; null when there was no body. */
  excerpt: string | null;
  /** The beginning of a redirect's Location, printable. */
  location?: string;
  /** Absent unless they were asked for and the request began. */
  headers?: AttemptHeaders;
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
  /** Absent for the limit of the whole exchange. */
  firstByteMs?: number | undefined;
  /** How much of the response is in `excerpt`; absent for 1 KiB. */
  excerptBytes?: number;
  /** The result has the headers of both sides. */
  withHeaders?: boolean;
  /** Further headers, whose values the result masks wherever the receiver repeats them. */
  credentials?: Readonly<Record<string, string>>;
};

const EXCERPT_BYTES = 1024;
const LOCATION_CHARS = 256;

export function createWebhooks(options: AgentOptions): Webhooks {
  const agents = createAgents(options);
  const targetOf = createParsedUrls(options.allowedNetworks);
  return {
    post: async (url, headers, body, requested = {}) => {
      const { connection, timeoutMs, firstByteMs, excerptBytes, withHeaders } = requested;
      const { credentials = {} } = requested;
      const seen: Seen = {};
      const startedAt = performance.now();
      const target = targetOf(url);
      const mask = createSecretMask(credentials);
      const result = ({
        excerpt,
        error,
        location,
        ...rest
      }: Omit<WebhookResult, 'durationMs'>) => ({
        ...rest,
        excerpt: excerpt && mask(excerpt),
        error: error && mask(error),
        ...(location !== undefined && { location: shortened(mask(location)) }),
        durationMs: Math.round(performance.now() - startedAt),
        ...(target.port !== undefined && { unusualPort: target.port }),
        ...(withHeaders &&
          seen.hasStarted && { headers: attemptHeaders(headers, credentials, seen.fields, mask) }),
      });
      try {
        if (target.refusal) throw target.refusal;
        const response = await exchange(
          agents.agentFor(connection),
          target,
          { method: 'POST', headers: { ...headers, ...credentials }, body },
          {
            seen,
            timeoutMs: timeoutMs ?? options.timeoutMs,
            firstByteMs,
            excerptBytes: excerptBytes ?? EXCERPT_BYTES,
          },
        );
        const { status, excerpt, header } = response;
        const location = redirectOf(status, header('location'));
        return result({
          outcome: outcomeOf(status, header('retry-after'), new Date()),
          excerpt,
          ...(location !== undefined && { location }),
          error: null,
        });
      } catch (error) {
        const { outcome, text, hidden } = faultOf(error, target);
        const detail = hidden ?? (error instanceof ProxyFailed ? error.detail : undefined);
        const failed = { outcome, excerpt: null, error: text };
        return result(detail === undefined ? failed : { ...failed, detail });
      }
    },
    [Symbol.asyncDispose]: () => agents[Symbol.asyncDispose](),
  };
}

const redirectOf = (status: number, location: string | undefined): string | undefined =>
  status >= 300 && status < 400 ? location : undefined;

/** A URL is ASCII (RFC 3986 §2): other characters could only deceive its reader. */
const shortened = (location: string): string =>
  location.slice(0, LOCATION_CHARS).replaceAll(/[^\x20-\x7e]/g, '?');
