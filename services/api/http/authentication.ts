/** Identifies the caller of a request by its credential, and checks permissions (spec 5.1, D10). */
import type { IncomingMessage } from 'node:http';

import type { Log } from '../../adapters/process/log.ts';
import type { Tokens, TokenUse } from '../../adapters/mongo/token/tokens.ts';
import { AppError } from '../../core/error/app-error.ts';
import type { Permission } from '../../core/token/permission.ts';
import { timestamp } from '../../core/time/timestamp.ts';
import {
  hasExpired,
  hashOf,
  isTokenShaped,
  may,
  type TokenIdentity,
  useIsWorthNoting,
} from '../../core/token/token.ts';
import type { CredentialCache } from '../../platform/account/credential-cache.ts';
import { rateLimitExceeded } from './errors.ts';
import type { SourceLimit } from './limits/source-limit.ts';
import { type ForwardingProxies, sourceOf } from './source-address.ts';

type Caller = { identity: TokenIdentity; accountIsSuspended: boolean };

/** A credential that was valid. */
type Ended = { refusal: string };

/** A credential of a request that has not been checked yet. */
type Credential = {
  /** A hash, by which the cache knows it. */
  key: string;
  /** The message of the response when it is not valid. */
  refusal: string;
  /** Resolves with its caller, or with why it has ended; undefined when it is not valid. */
  resolve(): Promise<Caller | Ended | undefined>;
  /** The same for a request that is still open, which does not count as a use of the session. */
  recheck(): Promise<Caller | undefined>;
};

/** Finds one kind of credential in a request; undefined when there is none. */
export type ReadCredential = (request: IncomingMessage) => Credential | undefined;

/**
 * @param expected gets, before the credential is checked, the caller that it had when this process
 * last saw it
 * @throws AppError `unauthorized`, or `rate_limit_exceeded` for a source with too many failures
 */
export type Authenticate = (
  request: IncomingMessage,
  expected?: (caller: TokenIdentity) => void,
) => Promise<Caller>;

/** The present caller of an open request; undefined when its credential is no longer valid. */
export type Recheck = (request: IncomingMessage) => Promise<Caller | undefined>;

type AuthenticationDependencies = {
  /** The kinds of credentials; the first one that a request has counts. */
  credentials: readonly ReadCredential[];
  /** The caller of a credential that was valid when this process last saw it. */
  lastKnown: (key: string) => TokenIdentity | undefined;
  /** Failed authentications of each source. */
  failures: SourceLimit;
  proxies: ForwardingProxies;
};

export function createAuthentication({
  credentials,
  lastKnown,
  failures,
  proxies,
}: AuthenticationDependencies): {
  authenticate: Authenticate;
  recheck: Recheck;
} {
  const credentialOf: ReadCredential = (request) => {
    for (const read of credentials) {
      const credential = read(request);
      if (credential) return credential;
    }
    return undefined;
  };

  const authenticate: Authenticate = async (request, expected) => {
    const credential = credentialOf(request);
    const known = credential && lastKnown(credential.key);
    // a client that guesses must not lock out others behind the same address
    if (known !== undefined) expected?.(known);
    else {
      const { isExceeded, resetAt } = failures.state(sourceOf(request, proxies));
      if (isExceeded) throw rateLimitExceeded(resetAt);
    }
    const caller = await credential?.resolve();
    if (caller !== undefined && !('refusal' in caller)) return caller;
    failures.count(sourceOf(request, proxies));
    throw new AppError(
      'unauthorized',
      credential === undefined
        ? 'Missing API token. Send the header Authorization: Bearer <API_TOKEN>'
        : (caller ?? credential).refusal,
    );
  };
  return {
    authenticate,
    // no guess, so failures of its source do not matter
    recheck: async (request) => credentialOf(request)?.recheck(),
  };
}

const nobody = async () => undefined;

/** API tokens in the header Authorization. */
export function createTokenCredentials(
  tokens: Pick<Tokens, 'authenticate' | 'noteUse'>,
  cache: CredentialCache<TokenUse>,
  clock: () => Date,
  log: Log,
): ReadCredential {
  const noteUse = (use: TokenUse) => {
    const now = clock();
    if (!useIsWorthNoting(use.lastUsedAt, now)) return;
    const { id } = use.identity;
    use.lastUsedAt = now;
    tokens
      .noteUse(id, now)
      // not awaited: the request does not depend on it
      .catch((error: unknown) => log.debug('token.use_not_recorded', { token_id: id, error }));
  };

  const refusal = 'The API token is not valid';
  return function readToken(request) {
    // RFC 6750 §2.1; the scheme is case-insensitive (RFC 9110 §11.1)
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    if (!isTokenShaped(token)) return { key: '', refusal, resolve: nobody, recheck: nobody };
    const key = hashOf(token).toString('base64');
    const known = () => cache.get(key, () => tokens.authenticate(token));
    return {
      key,
      refusal,
      resolve: async () => {
        const use = await known();
        if (use?.expiresAt && hasExpired(use.expiresAt, clock())) return expired(use.expiresAt);
        if (use) noteUse(use);
        return use;
      },
      recheck: async () => {
        const use = await known();
        return use && hasExpired(use.expiresAt, clock()) ? undefined : use;
      },
    };
  };
}

const expired = (at: Date): Ended => ({
  refusal: `The API token expired at ${timestamp(at)}. Create a new one`,
});

/** @throws AppError `forbidden` */
export function requirePermission(caller: TokenIdentity, permission: Permission): void {
  const credential = caller.session === undefined ? 'API token' : 'session';
  if (!may(caller, permission))
    throw new AppError('forbidden', `The ${credential} does not have the permission ${permission}`);
}

/** A test token, or a session of one, changes nothing that is live (D11). @throws AppError `forbidden` */
export function refuseTest({ environment }: TokenIdentity, action: string): void {
  if (environment === 'test') throw new AppError('forbidden', `A test token cannot ${action}`);
}

/** @throws AppError `unauthorized` */
export function requireSession(caller: TokenIdentity): void {
  if (caller.session === undefined)
    throw new AppError('unauthorized', 'This call needs the cookie of a session, not a token');
}
