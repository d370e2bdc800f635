/**
 * How Inlet proves to a further receiver, or to the gateway in front of it, that a webhook may pass:
 * fixed headers, HTTP Basic, OAuth 2.0 and a client certificate. The secrets are stored encrypted and
 * never shown (D51, D52).
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { issueOf } from '../error/app-error.ts';
import {
  ClientCertificate,
  ClientCertificateView,
  clientCertificateView,
} from './client-certificate.ts';
import { OAuthClient, OAuthClientView, oauthClientView } from './oauth-client.ts';

const HEADERS_MAX = 10;

/** Names and values together. */
const HEADERS_MAX_BYTES = 4096;

const HEADER_VALUE_MAX_CHARS = 2048;

/** Inlet sets them itself, or they belong to the connection (RFC 9110 §7.6.1). */
const RESERVED_NAMES: ReadonlySet<string> = new Set(
  (
    'connection expect host keep-alive proxy-authenticate proxy-authorization ' +
    'proxy-connection te trailer transfer-encoding upgrade user-agent traceparent ' +
    'tracestate'
  ).split(' '),
);
const RESERVED_PREFIXES = ['content-', 'webhook-', 'svc-', 'ce-'];

/** @param name in any case */
function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED_NAMES.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

const HeaderName = z
  .string()
  .regex(
    /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/,
    'must be the name of a header: 1 to 64 letters, digits and hyphens',
  ); // RFC 9110 §5.6.2
/** Printable ASCII, without a space at either end (RFC 9110 §5.5). */
const HeaderValue = z
  .string()
  .max(HEADER_VALUE_MAX_CHARS)
  .regex(
    /^[!-~]([ -~]*[!-~])?$/,
    'must be printable ASCII characters, without a space at either end',
  );

const Headers = z
  .record(HeaderName, HeaderValue)
  .check(({ value, issues }) => {
    const fault = headersFault(value);
    if (fault !== undefined) issues.push(issueOf('invalid_value', value, fault));
  })
  .meta({ maxProperties: HEADERS_MAX })
  .describe(
    `headers of each webhook: at most ${HEADERS_MAX}, ${HEADERS_MAX_BYTES} bytes in all; not those ` +
      'that Inlet sets itself',
  );

function headersFault(headers: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(headers);
  if (names.length > HEADERS_MAX) return `must be at most ${HEADERS_MAX} headers`;
  if (names.some(isReservedHeader)) return 'has a header that Inlet sets itself';
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    return 'has the same header twice, in different cases';
  const bytes = Object.entries(headers).reduce(
    (sum, [n, value]) => sum + n.length + value.length,
    0,
  );
  return bytes > HEADERS_MAX_BYTES
    ? `must have at most ${HEADERS_MAX_BYTES} bytes in all`
    : undefined;
}

/** How many parts set the header Authorization. */
const authorizations = (headers: object = {}, ...others: readonly unknown[]): number =>
  Object.keys(headers).filter((name) => name.toLowerCase() === 'authorization').length +
  others.filter((part) => part !== undefined).length;

const Basic = z.strictObject({
  username: z
    .string()
    .regex(
      /^[ -9;-~\u00a0-\uffff]{0,255}$/,
      'must have at most 255 characters, without a colon or control characters',
    ) // RFC 7617 §2: no colon, no control characters
    .describe('without a colon'),
  password: z
    .string()
    .regex(
      /^[ -~\u00a0-\uffff]{0,1024}$/,
      'must have at most 1024 characters, without control characters',
    ),
});

/** As a request has it, and decrypted in memory. */
export const ReceiverAuth = z
  .strictObject({
    headers: Headers.optional(),
    basic: Basic.optional().describe('HTTP Basic; not together with a header Authorization'),
    oauth2: OAuthClient.optional().describe(
      'client credentials: Inlet gets a bearer token and sends it; not together with basic or a ' +
        'header Authorization',
    ),
    client_certificate: ClientCertificate.optional().describe('mutual TLS'),
  })
  .refine(({ headers, basic, oauth2 }) => authorizations(headers, basic, oauth2) <= 1, {
    params: { rule: 'conflict' },
  })
  .meta({ not: { required: ['basic', 'oauth2'], properties: { basic: {}, oauth2: {} } } });
export type ReceiverAuth = z.infer<typeof ReceiverAuth>;
describeSchema(ReceiverAuth, 'ReceiverAuth', {
  headers: { 'X-Api-Key': 'a key of the receiver' },
});

/** How Inlet knows a Service of the cluster: by a certificate of this authority. */
export const ClusterService = z.object({
  ca: z.string().nullable().describe('PEM; null for the authorities that all receivers have'),
});
export type ClusterService = z.infer<typeof ClusterService>;

/** What the API shows of it: no secret. */
export const ReceiverAuthView = z.object({
  headers: z.array(z.string()).describe('names of the headers; their values are never shown'),
  basic: z
    .object({ username: z.string() })
    .nullable()
    .describe('the password is never shown; null without HTTP Basic'),
  oauth2: OAuthClientView.nullable()
    .default(null)
    .describe('client_secret is never shown; null without OAuth 2.0'),
  client_certificate: ClientCertificateView.nullable()
    .default(null)
    .describe('the private key is never shown; null without mutual TLS'),
});
export type ReceiverAuthView = z.infer<typeof ReceiverAuthView>;
describeSchema(ReceiverAuthView, 'ReceiverAuthView', {
  headers: ['X-Api-Key'],
  basic: null,
  oauth2: null,
  client_certificate: null,
});

/** Null when it has no part. */
export function receiverAuthView(auth: ReceiverAuth | null | undefined): ReceiverAuthView | null {
  const { headers = {}, basic, oauth2, client_certificate: certificate } = auth ?? {};
  const names = Object.keys(headers);
  if (names.length === 0 && !basic && !oauth2 && !certificate) return null;
  return {
    headers: names,
    basic: basic ? { username: basic.username } : null,
    oauth2: oauth2 ? oauthClientView(oauth2) : null,
    client_certificate: certificate ? clientCertificateView(certificate) : null,
  };
}

/** The fixed headers of each webhook to this receiver. */
export function authHeaders(auth: ReceiverAuth | null | undefined): Record<string, string> {
  const { headers = {}, basic } = auth ?? {};
  return {
    ...Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    ...(basic && { authorization: `Basic ${base64(`${basic.username}:${basic.password}`)}` }),
  };
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
