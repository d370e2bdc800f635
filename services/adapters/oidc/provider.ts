/**
 * An OpenID provider: the authorization code flow with PKCE. The library is loaded with the first
 * sign-in, so an installation without single sign-on does not pay for it.
 */
import type { ClientAuth, Configuration } from 'openid-client';

import { OIDC_TIMEOUT_MS } from '../../core/network/deadlines.ts';
import type { Claims, SignInProof } from '../../core/member/single-sign-on.ts';
import { isTlsCode, tlsFaultText } from '../http/tls-fault.ts';
import { createTrustingFetch } from '../http/trusting-fetch.ts';
import { createCoalescedRead } from '../async/coalesce.ts';

type OidcClient = {
  /** Plain HTTP is accepted if this URL has it. */
  issuer: string;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  /** PEM file with authorities to trust in addition to the public ones. */
  caFile: string | undefined;
  scopes: string;
};

export type OidcProvider = {
  /** Where the user signs in. @throws Error when the provider does not answer as one */
  authorizationUrl(redirectUri: string, proof: SignInProof): Promise<URL>;
  /** Exchanges the code in this URL, to which the provider sent the browser. */
  redeem(callback: URL, proof: SignInProof): Promise<Redeemed>;
};

/**
 * `claims`: of an ID token whose signature, issuer, audience, nonce and times are right. `refused`:
 * the provider reports an error instead of a code.
 */
type Redeemed =
  | { kind: 'claims'; claims: Claims }
  | { kind: 'refused' | 'invalid' | 'unavailable'; error: Error };

/** The library reads new signing keys by itself; endpoints change rarely. */
const METADATA_LIFETIME_MS = 3_600_000;

type Library = typeof import('openid-client');

export function createOidcProvider(
  { issuer, clientId, clientSecret, caFile, scopes }: OidcClient,
  clock: () => Date,
): OidcProvider {
  const discoverOnce = createCoalescedRead<Configuration>();
  let known: { configuration: Configuration; until: Date } | undefined;

  const discovered = async (library: Library): Promise<Configuration> => {
    if (known && clock() < known.until) return known.configuration;
    const configuration = await discoverOnce('', async () =>
      library.discovery(
        new URL(issuer),
        clientId,
        {},
        clientSecret === undefined ? library.None() : secretAuth(library, clientSecret),
        {
          timeout: OIDC_TIMEOUT_MS / 1_000,
          [library.customFetch]: await createTrustingFetch(caFile, OIDC_TIMEOUT_MS),
          execute: [
            library.enableNonRepudiationChecks, // verify signatures, not only the connection
            ...(issuer.startsWith('http:') ? [library.allowInsecureRequests] : []),
          ],
        },
      ),
    );
    known = { configuration, until: new Date(clock().getTime() + METADATA_LIFETIME_MS) };
    return configuration;
  };

  return {
    authorizationUrl: async function authorizationUrl(redirectUri, { state, nonce, verifier }) {
      const library = await import('openid-client');
      const configuration = await discovered(library).catch((cause: unknown) => {
        throw asError(cause);
      });
      return library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopes,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
    },
    redeem: async function redeemCode(callback, { state, nonce, verifier }) {
      const library = await import('openid-client');
      let configuration: Configuration;
      try {
        configuration = await discovered(library);
      } catch (error) {
        return { kind: 'unavailable', error: asError(error) };
      }
      try {
        const tokens = await library.authorizationCodeGrant(configuration, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
        });
        return { kind: 'claims', claims: tokens.claims() ?? {} };
      } catch (error) {
        return faultOf(library, error);
      }
    },
  };
}

/** RFC 6749 §2.3.1: servers must support Basic; most expect the secret in the body. */
const secretAuth = (library: Library, secret: string): ClientAuth => {
  const [inBody, basic] = [library.ClientSecretPost(secret), library.ClientSecretBasic(secret)];
  return (server, ...rest) =>
    (server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ? inBody : basic)(
      server,
      ...rest,
    );
};

/** The library's codes for a response that is not OpenID, and for a missing response. */
const NO_ANSWER: ReadonlySet<unknown> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

function faultOf(library: Library, cause: unknown): Redeemed {
  if (cause instanceof library.AuthorizationResponseError)
    return { kind: 'refused', error: new Error(`the provider reports ${cause.error}`) };
  if (cause instanceof library.ResponseBodyError) {
    const error = new Error(`the token endpoint reports ${cause.error}`);
    // RFC 6749 §5.2: any other error is about the client, not about this sign-in
    return { kind: cause.error === 'invalid_grant' ? 'invalid' : 'unavailable', error };
  }
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const hasFailedToConnect = cause instanceof TypeError && code === undefined;
  return {
    kind: hasFailedToConnect || NO_ANSWER.has(code) ? 'unavailable' : 'invalid',
    error: asError(cause),
  };
}

/** A fault of TLS names the setting that helps. */
function asError(cause: unknown): Error {
  for (let error = cause; error instanceof Error; error = error.cause)
    if ('code' in error && isTlsCode(String(error.code)))
      return new Error(tlsFaultText(String(error.code), error.message, PROVIDER));
  return cause instanceof Error ? cause : new Error(String(cause));
}

const PROVIDER = {
  program: 'Inlet',
  server: 'provider',
  setting: 'OIDC_CA_FILE',
  advice: 'check OIDC_ISSUER',
};
