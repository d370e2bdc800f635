/** Finds the cookie of a session in a request without a token, and resolves it with its caller. */
import type { IncomingMessage } from 'node:http';

import { sessionHash } from '../../core/member/session.ts';
import type { TokenIdentity } from '../../core/token/token.ts';
import type { DashboardSessions } from '../../platform/session/dashboard-sessions.ts';
import type { ReadCredential } from '../http/authentication.ts';
import { originOf, sessionSecretOf } from '../http/cookie.ts';
import { isAttended, requireSameOrigin } from './same-origin.ts';

export type SessionCredentials = {
  /** @throws AppError `forbidden` for the request of another site */
  read: ReadCredential;
  /** The identity that this process last saw; undefined when it was not valid then. */
  lastKnown: (key: string) => TokenIdentity | undefined;
};

const KNOWN_MAX = 10_000;

export function createSessionCredentials(
  sessions: Pick<DashboardSessions, 'identify'>,
  trustedProxies: readonly string[],
  clock: () => Date,
): SessionCredentials {
  const known = new Map<string, TokenIdentity>();
  return {
    read: function readSession(request: IncomingMessage) {
      const secret = sessionSecretOf(request, trustedProxies);
      if (request.headers.authorization !== undefined || secret === undefined) return undefined;
      requireSameOrigin(request, originOf(request, trustedProxies));
      const key = sessionHash(secret).toString('base64');
      const resolve = async (isUse: boolean) => {
        const identity = await sessions.identify(secret, clock(), { isUse });
        if (identity === undefined) {
          known.delete(key);
          return undefined;
        }
        if (known.size >= KNOWN_MAX) known.clear();
        known.set(key, identity);
        return { identity, accountIsSuspended: false };
      };
      return {
        key,
        refusal: 'The session has ended. Sign in again',
        resolve: () => resolve(isAttended(request)),
        recheck: () => resolve(false),
      };
    },
    lastKnown: (key) => known.get(key),
  };
}
