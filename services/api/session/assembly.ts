/** Assembles what the API needs for sessions of the dashboard. */
import type { Stores } from '../../adapters/mongo/stores.ts';
import { createOidcProvider } from '../../adapters/oidc/provider.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Audit } from '../../platform/audit.ts';
import { createDashboardLink } from '../../platform/session/dashboard-link.ts';
import { createMemberOperations } from '../../platform/member/member-operations.ts';
import { createDashboardSessions } from '../../platform/session/dashboard-sessions.ts';
import { createMemberOfSignIn } from '../../platform/member/single-sign-on-members.ts';
import { signInRules } from '../../platform/settings/single-sign-on.ts';
import type { ApiConfig } from '../process/config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { SourceLimit } from '../http/limits/source-limit.ts';
import { memberEndpoints } from '../member/member-endpoints.ts';
import { createSessionCredentials, type SessionCredentials } from './session-authentication.ts';
import { sessionEndpoints } from './session-endpoints.ts';
import { singleSignOnEndpoints } from './single-sign-on-endpoints.ts';

type SessionDependencies = {
  stores: Pick<Stores, 'accounts' | 'links' | 'members' | 'sessions' | 'tokens'>;
  audit: Audit;
  /** Makes every process read its cached credentials again. */
  announce: () => void;
  failures: SourceLimit;
  /** Counts a request for this token. @throws AppError `rate_limit_exceeded` */
  countToken: (tokenId: string) => Promise<void>;
  clock: () => Date;
  log: Log;
};

type Sessions = {
  credentials: SessionCredentials;
  endpoints: Endpoint[];
  sweep(now: Date): Promise<void>;
};

export function assembleSessions(
  config: ApiConfig,
  { stores, audit, announce, failures, countToken, clock, log }: SessionDependencies,
): Sessions {
  const sessions = createDashboardSessions({
    ...stores,
    memberOfSignIn: createMemberOfSignIn({ ...stores, audit, announce }),
    audit,
    limits: { idleMs: config.SESSION_IDLE_TIMEOUT, lifetimeMs: config.SESSION_LIFETIME },
  });
  const { TRUSTED_PROXIES: trustedProxies, PUBLIC_API_URL: publicUrl } = config;
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = config;
  const provider =
    issuer === undefined || clientId === undefined
      ? undefined
      : createOidcProvider(
          {
            issuer,
            clientId,
            clientSecret: config.OIDC_CLIENT_SECRET,
            caFile: config.OIDC_CA_FILE,
            scopes: config.OIDC_RULES.scopes,
          },
          clock,
        );
  return {
    credentials: createSessionCredentials(sessions, trustedProxies, clock),
    endpoints: [
      ...sessionEndpoints({
        sessions,
        createLink: createDashboardLink(stores.links),
        failures,
        countToken,
        trustedProxies,
        publicOrigin,
      }),
      ...memberEndpoints({
        members: createMemberOperations({ ...stores, audit, announce }),
        trustedProxies,
        publicOrigin,
      }),
      ...singleSignOnEndpoints({
        sessions,
        provider,
        rules: signInRules(config),
        failures,
        trustedProxies,
        publicOrigin,
        log,
      }),
    ],
    sweep: (now) => sessions.sweep(now),
  };
}
