/** Signing in to the dashboard: links, sessions and their ends (D36). */
import { z } from 'zod';

import { EXAMPLE } from '../../core/resource/api-reference.ts';
import type { SourceLimit } from '../http/limits/source-limit.ts';
import {
  EXAMPLE_CODE,
  type Session,
  SessionView,
  sessionView,
  userAgentForRecord,
} from '../../core/member/session.ts';
import {
  type AddressCaller,
  isSignedIn,
  isUnlimited,
  may,
  type TokenIdentity,
} from '../../core/token/token.ts';
import { outsideLimit } from '../../core/token/token-limit.ts';
import { AppError, fieldConflict, issueOf, notFound } from '../../core/error/app-error.ts';
import type { DashboardSessions } from '../../platform/session/dashboard-sessions.ts';
import type { OpenedSession } from '../../platform/session/session-life.ts';
import { refuseTest } from '../http/authentication.ts';
import { defineEndpoint, Deleted, type Endpoint } from '../http/endpoint.ts';
import { rateLimitExceeded } from '../http/errors.ts';
import { exactlyOneOf } from '../http/input/exactly-one.ts';
import { originOf, sessionCookie, sessionSecretOf, setCookie } from '../http/cookie.ts';
import { type CreateLink, linkEndpoint } from './link-endpoint.ts';
import { refuseOtherSites } from './same-origin.ts';

type SessionEndpointDependencies = {
  sessions: DashboardSessions;
  createLink: CreateLink;
  failures: SourceLimit;
  /** Counts a request for this token. @throws AppError `rate_limit_exceeded` */
  countToken: (tokenId: string) => Promise<void>;
  trustedProxies: readonly string[];
  /** Origin of the dashboard, such as `https://inlet.example.com`; undefined: as in the request. */
  publicOrigin: string | undefined;
};

const NewSessionBody = z
  .strictObject({
    code: z.string().max(100).optional().describe('code of a single-use link'),
    token: z.string().max(100).optional().describe('an API token, instead of a code'),
    switch_account: z
      .boolean()
      .default(false)
      .describe(
        'with a code: replace the session of another account in this browser; otherwise 409, and ' +
          'the code remains valid',
      ),
  })
  .superRefine(({ code, token }, context) => {
    if (code === undefined && token === undefined)
      context.addIssue({ ...issueOf('required', code), path: ['code'] });
    if (code !== undefined && token !== undefined)
      context.addIssue({ ...issueOf('conflict', token), path: ['token'] });
  })
  .meta(exactlyOneOf('code', 'token'));

const anybody = { tag: 'sessions', permission: 'any', reach: 'limited' } as const;
const own = { tag: 'sessions', permission: 'session', reach: 'limited' } as const;

export function sessionEndpoints({
  sessions,
  createLink,
  failures,
  countToken,
  trustedProxies,
  publicOrigin,
}: SessionEndpointDependencies): Endpoint[] {
  const view = ({ facts }: Pick<OpenedSession, 'facts'>, { id }: Pick<TokenIdentity, 'id'>) =>
    sessionView(facts, sessions.limits, id);

  const all = async (caller: TokenIdentity, now: Date) =>
    (await sessions.list(caller.account_id, now)).filter(
      ({ session }) => caller.environment === 'live' || session.environment === 'test', // D11
    );

  return [
    linkEndpoint(createLink, (request) => publicOrigin ?? originOf(request, trustedProxies)),
    defineEndpoint({
      call: 'POST /sessions',
      operationId: 'createSession',
      isBeta: true,
      summary: 'Exchange the code of a link, or an API token, for a session cookie',
      tag: 'sessions',
      permission: null,
      errors: ['unauthorized', 'rate_limit_exceeded'],
      example: { request: { code: EXAMPLE_CODE } },
      body: NewSessionBody,
      status: 201,
      response: SessionView,
      handle: async ({ body, request, setHeader, connection, requestId, now }) => {
        const { code, token = '', switch_account } = body;
        const signIn = { connection, requestId, now };
        refuseOtherSites(request, originOf(request, trustedProxies));
        const { isExceeded, resetAt } = failures.state(connection.source);
        if (isExceeded) throw rateLimitExceeded(resetAt);
        const current = sessionSecretOf(request, trustedProxies);
        if (code !== undefined && current !== undefined && !switch_account)
          await refuseSwitch(sessions.switchOf(code, current, now));
        const client = {
          source_ip: connection.source,
          user_agent: userAgentForRecord(request.headers['user-agent']),
        };
        const opened = await countFailures(
          failures,
          connection.source,
          code === undefined
            ? sessions.openByToken(token, client, signIn, countToken)
            : sessions.openByCode(code, client, signIn),
        );
        if (current !== undefined) await sessions.replace(current, opened, signIn);
        const { session } = opened.facts;
        const maxAgeSeconds = Math.floor((session.expires_at.getTime() - now.getTime()) / 1_000);
        setHeader(
          'Set-Cookie',
          setCookie(request, trustedProxies, sessionCookie(opened.secret, maxAgeSeconds)),
        );
        return view(opened, session);
      },
    }),
    defineEndpoint({
      call: 'GET /sessions',
      operationId: 'listSessions',
      summary:
        'List the sessions of the account, newest first; without tokens:read only the session ' +
        'of this request, and those of the same member',
      ...anybody,
      response: z.object({ data: z.array(SessionView) }),
      handle: async ({ caller, now }) => {
        const found = await all(caller, now);
        const mayList = may(caller, 'tokens:read') && isUnlimited(caller);
        return {
          data: found
            .filter(({ session }) => mayList || isOwn(session, caller))
            .map((facts) => view({ facts }, caller)),
        };
      },
    }),
    defineEndpoint({
      call: 'GET /sessions/current',
      operationId: 'getCurrentSession',
      isBeta: true,
      summary: 'Get the session of this request',
      ...own,
      response: SessionView,
      handle: async ({ caller, now }) => {
        const facts = (await all(caller, now)).find(({ session }) => session.id === caller.id);
        if (facts === undefined) throw notFound('session');
        return view({ facts }, caller);
      },
    }),
    defineEndpoint({
      call: 'DELETE /sessions/current',
      operationId: 'deleteCurrentSession',
      isBeta: true,
      summary: 'Sign out: end the session of this request',
      ...own,
      example: { response: { id: EXAMPLE.session_id, deleted: true } },
      response: Deleted,
      handle: async ({ caller, connection, request, setHeader, requestId, now }) => {
        await sessions.end({ caller, connection, requestId, now }, caller.id, 'signed_out');
        setHeader('Set-Cookie', setCookie(request, trustedProxies, sessionCookie('', 0)));
        return { id: caller.id, deleted: true } as const;
      },
    }),
    defineEndpoint({
      call: 'DELETE /sessions/{session_id}',
      operationId: 'deleteSession',
      summary: 'End a session immediately; the session of somebody else needs tokens:write',
      ...anybody,
      example: { response: { id: EXAMPLE.session_id, deleted: true } },
      response: Deleted,
      handle: async ({ caller, connection, params: { session_id }, requestId, now }) => {
        if (session_id !== caller.id && !isUnlimited(caller)) throw outsideLimit();
        const listed = await sessions.list(caller.account_id, now);
        const found = listed.find(({ session }) => session.id === session_id)?.session;
        const isTheirs = session_id === caller.id || (found && isOwn(found, caller));
        if (!isTheirs && !may(caller, 'tokens:write'))
          throw new AppError(
            'forbidden',
            'Ending another session needs the permission tokens:write',
          );
        if (found?.environment === 'live') refuseTest(caller, 'end a live session');
        const cause = { caller, connection, requestId, now };
        const reason = session_id === caller.id ? 'signed_out' : 'ended_by_user';
        if (!(await sessions.end(cause, session_id, reason))) throw notFound('session');
        return { id: session_id, deleted: true } as const;
      },
    }),
  ];
}

/** Failures count, because each may be a guess. */
async function countFailures<T>(
  failures: SourceLimit,
  source: string,
  open: Promise<T>,
): Promise<T> {
  try {
    return await open;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unauthorized') failures.count(source);
    throw error;
  }
}

/** A link of someone else must not silently replace the account that a user works in. */
async function refuseSwitch(requested: ReturnType<DashboardSessions['switchOf']>): Promise<void> {
  const accounts = await requested;
  if (accounts !== undefined)
    throw fieldConflict(
      'switch_account',
      `You are signed in to the account ${accounts.from}. This link opens the account ${accounts.to}`,
    );
}

/** Whether it is the session of this request, or one of the same person, if no token asks for them. */
const isOwn = (session: Session, caller: AddressCaller): boolean =>
  session.id === caller.id || (isSignedIn(caller) && session.member_id === caller.member?.id);
