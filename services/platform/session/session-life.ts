/** The beginning and the end of a session of the dashboard, both recorded in the audit trail. */
import type { Members } from '../../adapters/mongo/member/members.ts';
import type { NewSession, Sessions } from '../../adapters/mongo/session/sessions.ts';
import { AppError } from '../../core/error/app-error.ts';
import {
  endOf,
  lineOf,
  openerOf,
  type Session,
  type SessionEnd,
  type SessionFacts,
  sessionIdentity,
  type SessionLimits,
} from '../../core/member/session.ts';
import type { ApiRequest, Audit, Cause } from '../audit.ts';

/** More sessions than this of one token, member, user or account end its oldest ones. */
const SESSIONS_MAX = 20;

/** The browser that signs in. */
export type SessionClient = Pick<Session, 'source_ip' | 'user_agent'>;
export type OpenedSession = { facts: SessionFacts; secret: string };
export type SignIn = ApiRequest & { now: Date };

type SessionLifeDependencies = {
  sessions: Pick<Sessions, 'insert' | 'find' | 'list' | 'remove' | 'childrenOf'>;
  members: Pick<Members, 'noteSeen'>;
  audit: Audit;
  limits: SessionLimits;
};

export function createSessionLife({ sessions, members, audit, limits }: SessionLifeDependencies) {
  const ended = async (
    { session }: SessionFacts,
    { reason, at }: { reason: SessionEnd; at: Date },
    cause?: Cause,
  ): Promise<void> => {
    if (!(await sessions.remove(session.id))) return; // another process records this end
    const { account_id, environment } = session;
    await audit(
      { ...(cause ?? { caller: { account_id, environment } }), now: at },
      {
        type: 'session.ended',
        address_id: null,
        data: { ended_session_id: session.id, method: session.method, reason },
      },
    );
    // one that is opened at this moment finds that its parent has gone
    for (const child of await sessions.childrenOf(session))
      await ended(child, { reason: 'parent_ended', at }, cause);
  };

  const isValid = (facts: SessionFacts, now: Date) => endOf(facts, limits, now) === undefined;

  /** Ends the oldest sessions of its opener; those that the new one depends on at last. */
  const endSurplus = async (session: Session, now: Date): Promise<void> => {
    const all = await sessions.list(session.account_id);
    const line = lineOf(session, all);
    const kept = all
      .filter((one) => openerOf(one.session) === openerOf(session))
      .toSorted(
        (one, other) => Number(line.has(other.session.id)) - Number(line.has(one.session.id)),
      );
    for (const oldest of kept.slice(SESSIONS_MAX))
      await ended(oldest, { reason: 'too_many', at: now });
  };

  const open = async (
    fields: Pick<
      NewSession,
      'account_id' | 'environment' | 'permissions' | 'method' | 'token_id' | 'tokenHash'
    > &
      Partial<Pick<NewSession, 'user' | 'member_id' | 'parent_id'>>,
    client: SessionClient,
    signIn: SignIn,
    latestEnd: Date | null = null,
  ): Promise<OpenedSession> => {
    const { now } = signIn;
    const longest = new Date(now.getTime() + limits.lifetimeMs);
    const { session, secret } = await sessions.insert({
      user: null,
      member_id: null,
      parent_id: null,
      ...fields,
      ...client,
      created_at: now,
      expires_at: latestEnd !== null && latestEnd < longest ? latestEnd : longest,
    });
    const facts = await sessions.find(secret);
    if (facts === undefined || !isValid(facts, now)) {
      await sessions.remove(session.id);
      throw linkIsInvalid();
    }
    await audit(
      { ...signIn, caller: sessionIdentity(facts) },
      {
        type: 'session.created',
        address_id: null,
        data: {
          created_session_id: session.id,
          method: session.method,
          permissions: sessionIdentity(facts).permissions,
          ...(session.user !== null && { user: session.user }),
        },
      },
    );
    if (session.member_id !== null) await members.noteSeen(session.member_id, now);
    await endSurplus(session, now);
    return { facts, secret };
  };

  return { ended, isValid, open };
}

export const linkIsInvalid = () =>
  new AppError('unauthorized', 'This link was used already or has expired. Create a new one');
