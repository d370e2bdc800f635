/** Who calls: tokens and sessions, what each may reach, and how often it may call. */
import type { RateLimits } from '../adapters/mongo/limit/rate-windows.ts';
import type { Stores } from '../adapters/mongo/stores.ts';
import type { TokenUse } from '../adapters/mongo/token/tokens.ts';
import type { Log } from '../adapters/process/log.ts';
import type { Nats } from '../adapters/stream/connection/connection.ts';
import { createCredentialCache } from '../platform/account/credential-cache.ts';
import type { Audit } from '../platform/audit.ts';
import { createAuthentication, createTokenCredentials } from './http/authentication.ts';
import { countedBy, createAuthorize, rateLimits, refuseAbove } from './http/authorize.ts';
import { createRequestLimits } from './http/limits/request-limits.ts';
import { createSourceLimit } from './http/limits/source-limit.ts';
import { createReachOf, createRecheckReach } from './http/reach.ts';
import type { ApiConfig } from './process/config.ts';
import type { ApiConstants } from './process/constants.ts';
import { assembleSessions } from './session/assembly.ts';

type AccessDependencies = {
  stores: Stores;
  nats: Nats;
  audit: Audit;
  clock: () => Date;
  /** Ends with them. */
  parts: AsyncDisposableStack;
};

export function assembleAccess(
  config: ApiConfig,
  constants: ApiConstants,
  { stores, nats, audit, clock, parts }: AccessDependencies,
  log: Log,
) {
  const tokenCache = parts.use(
    createCredentialCache<TokenUse>(nats, stores.credentialRevision, log),
  );
  const limitsOf = (limits: RateLimits) =>
    parts.use(createRequestLimits(stores.rateWindows(limits), limits, log));
  const failures = createSourceLimit({ perMinute: constants.authFailuresPerMinute });
  const { perToken, perSession, perConsumer } = rateLimits(config, constants.sessionLimits);
  const tokenLimits = limitsOf(perToken);
  const sessions = assembleSessions(config, {
    stores,
    audit,
    announce: tokenCache.announceChange,
    failures,
    countToken: async (id) => refuseAbove(await countedBy(tokenLimits, id)),
    clock,
    log,
  });
  const tokenCredentials = createTokenCredentials(stores.tokens, tokenCache, clock, log);
  const { authenticate, recheck } = createAuthentication({
    credentials: [tokenCredentials, sessions.credentials.read],
    lastKnown: (key) => tokenCache.lastKnown(key)?.identity ?? sessions.credentials.lastKnown(key),
    failures,
    proxies: proxiesOf(config),
  });
  const reachOf = createReachOf(stores.addresses, clock);
  const ofOthers = [limitsOf(perSession), limitsOf(perConsumer)] as const;
  return {
    sessions,
    authorize: createAuthorize(authenticate, reachOf, tokenLimits, ...ofOthers),
    /** For open streams. */
    recheckReach: createRecheckReach(recheck, reachOf),
    /** Makes every process read its cached tokens again. */
    announceTokens: tokenCache.announceChange,
  };
}

export const proxiesOf = ({ TRUSTED_PROXIES: networks, TRUSTED_PROXY_HOPS: hops }: ApiConfig) => ({
  networks,
  hops,
});
