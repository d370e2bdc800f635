/**
 * OAuth 2.0 client credentials (RFC 6749 §4.4) for a receiver that wants a bearer token: the
 * settings, the request for a token, and what its response says (D52).
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { jsonOf } from '../text/text.ts';

const TOKEN_URL_MAX_CHARS = 2048;

const Printable = z
  .string()
  .min(1)
  .max(2048)
  .regex(/^[ -~]*$/, 'must be printable ASCII characters'); // RFC 6749 appendix A
const Words = z
  .string()
  .regex(
    /^[!#-[\]-~]+( [!#-[\]-~]+)*$/,
    'must be words of printable ASCII characters, separated by single spaces',
  ); // RFC 6749 §3.3

export const OAuthClient = z.strictObject({
  token_url: z
    .string()
    .max(TOKEN_URL_MAX_CHARS)
    .meta({ format: 'uri', pattern: '^[^#]*$' }) // D27: no fragment
    .describe('HTTPS URL of the token endpoint; the rules for webhook URLs apply'),
  client_id: Printable.max(256),
  client_secret: Printable,
  scope: Words.max(1024).optional().describe('scopes, separated by spaces'),
  audience: Printable.max(1024).optional().describe('for servers that want one, such as Auth0'),
  client_auth: z
    .enum(['basic', 'post'])
    .optional()
    .describe(
      'how the client authenticates: HTTP Basic, or fields of the body (RFC 6749 §2.3.1); default: ' +
        'basic',
    ),
});
export type OAuthClient = z.infer<typeof OAuthClient>;
describeSchema(OAuthClient, 'OAuthClient', {
  token_url: 'https://login.example.com/oauth/token',
  client_id: 'inlet',
  client_secret: 'a secret of the authorization server',
  scope: 'inbound:write',
});

export const OAuthClientView = OAuthClient.omit({ client_secret: true }).extend({
  scope: z.string().nullable(),
  audience: z.string().nullable(),
  client_auth: z.enum(['basic', 'post']),
});
export type OAuthClientView = z.infer<typeof OAuthClientView>;

export const oauthClientView = (client: OAuthClient): OAuthClientView => ({
  token_url: client.token_url,
  client_id: client.client_id,
  scope: client.scope ?? null,
  audience: client.audience ?? null,
  client_auth: client.client_auth ?? 'basic',
});

/** The request for a token, to `token_url`. */
export function tokenRequest(client: OAuthClient): {
  headers: Record<string, string>;
  body: string;
} {
  const { client_id, client_secret, scope, audience, client_auth = 'basic' } = client;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
    ...(client_auth === 'post' && { client_id, client_secret }),
  });
  const credentials = [client_id, client_secret].map(formEncoded).join(':');
  return {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(client_auth === 'basic' && {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      }),
    },
    body: body.toString(),
  };
}

/** RFC 6749 §2.3.1 and appendix B. */
const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);

export type AccessToken = { authorization: string; lifetimeMs: number };

const LIFETIME_MS = { assumed: 300_000, longest: 86_400_000 };

const TokenResponse = z.object({
  access_token: z
    .string()
    .regex(/^[!-~]{1,16384}$/, 'must be 1 to 16384 printable ASCII characters without spaces'),
  // RFC 6749 §5.1 requires it, and some servers leave it out or write BearerToken
  token_type: z
    .string()
    .trim()
    .regex(/^bearer([ _-]?token)?$/i, 'must be Bearer')
    .nullish(),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});

/** Undefined for a response that has no bearer token. */
export function accessToken(response: string | null): AccessToken | undefined {
  const parsed = TokenResponse.safeParse(jsonOf(response));
  if (!parsed.success) return undefined;
  const { access_token, expires_in } = parsed.data;
  const lifetimeMs =
    expires_in === undefined
      ? LIFETIME_MS.assumed
      : Math.min(expires_in * 1000, LIFETIME_MS.longest);
  return { authorization: `Bearer ${access_token}`, lifetimeMs };
}

const ErrorResponse = z.object({
  error: z.string().regex(/^[a-z_]{1,40}$/, 'must be an error code of OAuth'),
});

/** The `error` code of a refusal (RFC 6749 §5.2); undefined without one. No other text is shown. */
export const tokenError = (response: string | null): string | undefined =>
  ErrorResponse.safeParse(jsonOf(response)).data?.error;
