/** Assembles what the API needs for sessions of the dashboard. */
import type { Mongo } from '../../adapters/mongo/connection.ts';
import { createDashboardLinks } from '../../adapters/mongo/sessions/dashboard-links.ts';
import { createSessions } from '../../adapters/mongo/sessions/sessions.ts';
import type { Tokens } from '../../adapters/mongo/tokens.ts';
import type { Audit } from '../../platform/audit.ts';
import { createDashboardLink, createDashboardSessions } from '../../platform/dashboard-sessions.ts';
import type { ApiConfig } from '../config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { FailureLimit } from '../http/limits/failure-limit.ts';
import { createSessionCredentials, type SessionCredentials } from './session-authentication.ts';
import { sessionEndpoints } from './session-endpoints.ts';

type Needs = {
  db: Mongo['db'];
  tokens: Pick<Tokens, 'authenticate'>;
  audit: Audit;
  failures: FailureLimit;
  clock: () => Date;
};

export type Sessions = {
  credentials: SessionCredentials;
  endpoints: Endpoint[];
  sweep(now: Date): Promise<void>;
};

export function assembleSessions(
  config: ApiConfig,
  { db, tokens, audit, failures, clock }: Needs,
): Sessions {
  const links = createDashboardLinks(db);
  const sessions = createDashboardSessions({
    sessions: createSessions(db),
    links,
    tokens,
    audit,
    limits: { idleMs: config.SESSION_IDLE_TIMEOUT, lifetimeMs: config.SESSION_LIFETIME },
  });
  const { TRUSTED_PROXIES: trustedProxies, PUBLIC_API_URL: publicUrl } = config;
  return {
    credentials: createSessionCredentials(sessions, trustedProxies, clock),
    endpoints: sessionEndpoints({
      sessions,
      createLink: createDashboardLink(links),
      failures,
      trustedProxies,
      publicOrigin: publicUrl && new URL(publicUrl).origin,
    }),
    sweep: (now) => sessions.sweep(now),
  };
}
