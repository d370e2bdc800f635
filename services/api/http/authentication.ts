/** Identifies the caller by the bearer token, and checks its permissions (spec 5.1, D10). */
import type { IncomingMessage } from 'node:http';

import type { Log } from '../../adapters/process/log.ts';
import type { FailureLimit } from '../../adapters/mongo/rate-limits.ts';
import type { Tokens } from '../../adapters/mongo/tokens.ts';
import { AppError } from '../../core/app-error.ts';
import type { Permission } from '../../core/account/permission.ts';
import { hashOf, may, type TokenIdentity, useIsWorthNoting } from '../../core/account/token.ts';
import { rateLimitExceeded } from './errors.ts';
import { sourceOf } from './source-address.ts';

type Needs = {
  tokens: Pick<Tokens, 'authenticate' | 'noteUse'>;
  /** Failed authentications of each source. */
  failures: FailureLimit;
  trustedProxies: readonly string[];
  clock: () => Date;
};

/** @throws AppError `unauthorized`, or `rate_limit_exceeded` for a source with too many failures */
export type Authenticate = (request: IncomingMessage) => Promise<Caller>;

export type Caller = { identity: TokenIdentity; accountIsSuspended: boolean };

/**
 * Recently valid tokens: a client that guesses tokens must not lock out others behind the same
 * address.
 */
const KNOWN_MAX = 10_000;

export function createAuthentication(
  { tokens, failures, trustedProxies, clock }: Needs,
  log: Log,
): Authenticate {
  const known = new Set<string>();

  const identify = async (token: string): Promise<Caller | undefined> => {
    const used = await tokens.authenticate(token);
    const hash = hashOf(token).toString('base64');
    if (used === undefined) {
      known.delete(hash);
      return undefined;
    }
    if (known.size >= KNOWN_MAX) known.clear();
    known.add(hash);
    const { identity, accountIsSuspended, lastUsedAt } = used;
    const now = clock();
    if (useIsWorthNoting(lastUsedAt, now)) {
      tokens
        .noteUse(identity.id, now)
        // not awaited: the request does not depend on it
        .catch((error: unknown) => log.debug('token.use_unnoted', { tokenId: identity.id, error }));
    }
    return { identity, accountIsSuspended };
  };

  return async function authenticate(request) {
    // RFC 6750 §2.1; the scheme is case-insensitive (RFC 9110 §11.1)
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const source = sourceOf(request, trustedProxies);
    const { isExceeded, resetAt } = await failures.state(source);
    if (isExceeded && (token === undefined || !known.has(hashOf(token).toString('base64'))))
      throw rateLimitExceeded(resetAt);
    const caller = token === undefined ? undefined : await identify(token);
    if (caller !== undefined) return caller;
    await failures.count(source);
    throw new AppError(
      'unauthorized',
      token === undefined
        ? 'Missing API token. Send the header Authorization: Bearer <API_TOKEN>'
        : 'The API token is not valid',
    );
  };
}

/** @throws AppError `forbidden` */
export function requirePermission(caller: TokenIdentity, permission: Permission): void {
  if (!may(caller, permission))
    throw new AppError('forbidden', `The API token does not have the permission ${permission}`);
}
