/**
 * Signing in to the dashboard through an OpenID provider (D36): the browser leaves for the provider
 * and returns with a code. A cookie binds the two, so that only the browser that started a sign-in
 * can end it.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';

import type { OidcProvider } from '../../adapters/oidc/provider.ts';
import type { Log } from '../../adapters/process/log.ts';
import {
  formatSessionSecret,
  isSessionSecret,
  SESSION_RANDOM_BYTES,
  userAgentForRecord,
} from '../../core/member/session.ts';
import {
  grantOf,
  type SignInProblem,
  signInProblemPath,
  signInProof,
  type SignInRules,
} from '../../core/member/single-sign-on.ts';
import { AppError, notFound } from '../../core/error/app-error.ts';
import type { DashboardSessions } from '../../platform/session/dashboard-sessions.ts';
import type { OpenedSession } from '../../platform/session/session-life.ts';
import { defineEndpoint, type Endpoint, Redirect } from '../http/endpoint.ts';
import type { SourceLimit } from '../http/limits/source-limit.ts';
import { cookieOf, originOf, sessionCookie, setCookie } from '../http/cookie.ts';
import { refuseLinksOfOtherSites } from './same-origin.ts';

type SingleSignOnEndpointDependencies = {
  sessions: Pick<DashboardSessions, 'openByGrant'>;
  /** Undefined when this installation has none. */
  provider: OidcProvider | undefined;
  rules: SignInRules;
  failures: SourceLimit;
  trustedProxies: readonly string[];
  /** Origin of the dashboard; undefined: as in the request. */
  publicOrigin: string | undefined;
  log: Log;
};

const CALLBACK = '/sessions/oidc/callback';
const COOKIE = 'inlet-sign-in';
/** Enough to enter a password and a second factor. */
const SIGN_IN_SECONDS = 600;

const PROBLEM_OF = {
  refused: 'provider_refused',
  invalid: 'not_confirmed',
  unavailable: 'provider_unavailable',
} as const satisfies Record<string, SignInProblem>;

/** Others count as failed attempts of the client. */
const FAULTS_OF_SERVERS: ReadonlySet<SignInProblem> = new Set([
  'provider_unavailable',
  'internal_error',
]);

/** Lax: the provider's page leads back here, which a Strict cookie would not survive. */
const signInCookie = (value: string, maxAgeSeconds: number) =>
  ({ name: COOKIE, value, maxAgeSeconds, sameSite: 'Lax' }) as const;

type Visit = { request: IncomingMessage; requestId: string; source: string; now: Date };

export function singleSignOnEndpoints({
  sessions,
  provider,
  rules,
  failures,
  trustedProxies,
  publicOrigin,
  log,
}: SingleSignOnEndpointDependencies): Endpoint[] {
  /** @throws AppError `https_required` */
  const redirectUri = (request: IncomingMessage): string => {
    const origin = originOf(request, trustedProxies);
    return `${publicOrigin ?? origin}/v1${CALLBACK}`;
  };

  const failed = (
    problem: SignInProblem,
    { requestId, source }: Pick<Visit, 'requestId' | 'source'>,
    error?: unknown,
  ): SignInProblem => {
    log.warn('sign_in.failed', {
      request_id: requestId,
      source,
      problem,
      ...(error !== undefined && { error }),
    });
    if (!FAULTS_OF_SERVERS.has(problem)) failures.count(source);
    return problem;
  };

  /** The session of the user whom the provider names in this request. */
  const finish = async (
    offered: OidcProvider,
    visit: Visit,
  ): Promise<OpenedSession | SignInProblem> => {
    const { request, source, requestId, now } = visit;
    if (failures.state(source).isExceeded) return 'too_many_attempts';
    const { search, searchParams } = new URL(request.url ?? '', 'http://callback');
    const uri = redirectUri(request);
    const secret = cookieOf(request, trustedProxies, COOKIE) ?? '';
    const proof = signInProof(secret);
    if (!isSessionSecret(secret) || searchParams.get('state') !== proof.state)
      return failed('not_started_here', visit);
    const redeemed = await offered.redeem(new URL(`${uri}${search}`), proof);
    if (redeemed.kind !== 'claims') return failed(PROBLEM_OF[redeemed.kind], visit, redeemed.error);
    const grant = grantOf(redeemed.claims, rules);
    if (typeof grant === 'string') return failed(grant, visit);
    const user_agent = userAgentForRecord(request.headers['user-agent']);
    const client = { source_ip: source, user_agent };
    const opened = await sessions.openByGrant(grant, rules.roles, client, {
      connection: { source },
      requestId,
      now,
    });
    return typeof opened === 'string' ? failed(opened, visit) : opened;
  };

  const requireProvider = (): OidcProvider => {
    if (provider === undefined) throw notFound('sign-in: this installation has no OpenID provider');
    return provider;
  };

  return [
    defineEndpoint({
      call: 'GET /sessions/oidc',
      operationId: 'getSingleSignOn',
      isBeta: true,
      summary: 'Whether the dashboard offers to sign in through an OpenID provider',
      tag: 'sessions',
      permission: null,
      example: { response: { enabled: true } },
      response: z.object({ enabled: z.boolean() }),
      handle: async () => ({ enabled: provider !== undefined }),
    }),
    defineEndpoint({
      call: 'GET /sessions/oidc/start',
      operationId: 'startSingleSignOn',
      summary: 'For browsers: begin to sign in through the OpenID provider',
      tag: 'sessions',
      permission: null,
      errors: ['not_found'],
      status: 302,
      response: Redirect,
      handle: async ({ request, connection: { source }, requestId, setHeader }) => {
        const offered = requireProvider();
        refuseLinksOfOtherSites(request);
        const secret = formatSessionSecret(randomBytes(SESSION_RANDOM_BYTES));
        const uri = redirectUri(request);
        try {
          const location = (await offered.authorizationUrl(uri, signInProof(secret))).href;
          const cookie = signInCookie(secret, SIGN_IN_SECONDS);
          setHeader('Set-Cookie', setCookie(request, trustedProxies, cookie));
          return { location };
        } catch (error) {
          const problem = failed('provider_unavailable', { requestId, source }, error);
          return { location: signInProblemPath(problem) };
        }
      },
    }),
    defineEndpoint({
      call: `GET ${CALLBACK}`,
      operationId: 'finishSingleSignOn',
      summary: 'For browsers: the OpenID provider leads back here; ends at the dashboard',
      tag: 'sessions',
      permission: null,
      errors: ['not_found'],
      query: z.looseObject({
        code: z.string().optional(),
        state: z.string().optional(),
        error: z.string().optional(),
      }), // providers add fields of their own
      status: 302,
      response: Redirect,
      handle: async ({ request, connection: { source }, requestId, setHeader, now }) => {
        const offered = requireProvider();
        const visit = { request, source, requestId, now };
        const opened = await finish(offered, visit).catch((error: unknown) => {
          if (error instanceof AppError && error.kind === 'https_required') throw error;
          return failed('internal_error', visit, error);
        });
        const used = signInCookie('', 0);
        if (typeof opened === 'string') {
          setHeader('Set-Cookie', setCookie(request, trustedProxies, used));
          return { location: signInProblemPath(opened) };
        }
        const { expires_at } = opened.facts.session;
        const maxAgeSeconds = Math.floor((expires_at.getTime() - now.getTime()) / 1_000);
        const cookies = [used, sessionCookie(opened.secret, maxAgeSeconds)];
        setHeader(
          'Set-Cookie',
          cookies.map((cookie) => setCookie(request, trustedProxies, cookie)),
        );
        return { location: '/dashboard/' };
      },
    }),
  ];
}
