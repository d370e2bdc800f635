/**
 * Begins and ends sessions of the dashboard (D36), and records both in the audit trail. They are
 * counted in MongoDB, not by slots.ts, because they survive a restart.
 */
import type { Accounts } from '../../adapters/mongo/account/accounts.ts';
import type { DashboardLinks } from '../../adapters/mongo/session/dashboard-links.ts';
import type { Sessions } from '../../adapters/mongo/session/sessions.ts';
import type { Members } from '../../adapters/mongo/member/members.ts';
import type { Tokens } from '../../adapters/mongo/token/tokens.ts';
import {
  endOf,
  lineOf,
  type SessionEnd,
  type SessionFacts,
  sessionIdentity,
  type SessionLimits,
} from '../../core/member/session.ts';
import type { GroupRole } from '../../core/member/sign-in-role.ts';
import type { SignInGrant, SignInProblem } from '../../core/member/single-sign-on.ts';
import { ROLE_PERMISSIONS } from '../../core/member/role.ts';
import {
  hasExpired,
  hashOf,
  type TokenIdentity,
  useIsWorthNoting,
} from '../../core/token/token.ts';
import { AppError } from '../../core/error/app-error.ts';
import type { Audit, Cause } from '../audit.ts';
import type { MemberOfSignIn } from '../member/single-sign-on-members.ts';
import {
  createSessionLife,
  linkIsInvalid,
  type OpenedSession,
  type SessionClient,
  type SignIn,
} from './session-life.ts';

type AccountSwitch = { from: string; to: string };

export type DashboardSessions = {
  limits: SessionLimits;
  /** The names of both accounts, if this browser is signed in to another account than the code. */
  switchOf(code: string, secret: string, now: Date): Promise<AccountSwitch | undefined>;
  /** @throws AppError `unauthorized` for a code that was used, has expired or never existed */
  openByCode(code: string, client: SessionClient, cause: SignIn): Promise<OpenedSession>;
  /**
   * @param count counts the request for this token
   * @throws AppError `unauthorized`
   */
  openByToken(
    token: string,
    client: SessionClient,
    cause: SignIn,
    count: (tokenId: string) => Promise<void>,
  ): Promise<OpenedSession>;
  /**
   * Opens a session for a user whom the OpenID provider has named.
   * @param mappings roles of groups in this installation
   */
  openByGrant(
    grant: SignInGrant,
    mappings: readonly GroupRole[],
    client: SessionClient,
    cause: SignIn,
  ): Promise<OpenedSession | SignInProblem>;
  /**
   * The caller of a request with this secret; undefined when there is no such valid session.
   * @param isUse whether the request keeps the session from idling
   */
  identify(secret: string, now: Date, of: { isUse: boolean }): Promise<TokenIdentity | undefined>;
  /** The valid sessions of an account, newest first. */
  list(accountId: string, now: Date): Promise<SessionFacts[]>;
  /** Ends the session that this browser had before, unless the new one depends on it. */
  replace(secret: string, by: OpenedSession, cause: SignIn): Promise<void>;
  /** False when the account has no such session. */
  end(cause: Cause, id: string, reason: SessionEnd): Promise<boolean>;
  /** Removes sessions that have ended without a request. */
  sweep(now: Date): Promise<void>;
};

type DashboardSessionDependencies = {
  sessions: Sessions;
  links: Pick<DashboardLinks, 'accountOf' | 'redeem'>;
  tokens: Pick<Tokens, 'authenticate'>;
  accounts: Pick<Accounts, 'find'>;
  members: Pick<Members, 'noteSeen'>;
  memberOfSignIn: MemberOfSignIn;
  audit: Audit;
  limits: SessionLimits;
};

export function createDashboardSessions({
  sessions,
  links,
  tokens,
  accounts,
  members,
  memberOfSignIn,
  audit,
  limits,
}: DashboardSessionDependencies): DashboardSessions {
  const { ended, isValid, open } = createSessionLife({ sessions, members, audit, limits });

  return {
    limits,
    switchOf: async function switchOfAccounts(code, secret, now) {
      const facts = await sessions.find(secret);
      if (facts === undefined || !isValid(facts, now)) return undefined;
      const to = await links.accountOf(code, now);
      if (to === undefined || to === facts.session.account_id) return undefined;
      const named = await Promise.all(
        [facts.session.account_id, to].map((id) => accounts.find(id)),
      );
      const [from = '', into = ''] = named.map((account) => account?.name);
      return { from, to: into };
    },
    openByCode: async function openSessionByCode(code, client, signIn) {
      const link = await links.redeem(code, signIn.now);
      if (link === undefined) throw linkIsInvalid();
      const { session_id: parent_id, session_expires_at, expires_at: _, ...fields } = link;
      return open({ ...fields, parent_id, method: 'link' }, client, signIn, session_expires_at);
    },
    openByToken: async function openSessionByToken(token, client, signIn, count) {
      const used = await tokens.authenticate(token);
      if (used === undefined) throw new AppError('unauthorized', 'The API token is not valid');
      if (hasExpired(used.expiresAt, signIn.now))
        throw new AppError('unauthorized', 'The API token has expired. Create a new one');
      if (used.accountIsSuspended) throw accountIsSuspended();
      const { id: token_id, account_id, environment, permissions, member } = used.identity;
      await count(token_id);
      const tokenHash = hashOf(token);
      return open(
        {
          account_id,
          environment,
          permissions,
          token_id,
          tokenHash,
          member_id: member?.id ?? null,
          method: 'token',
        },
        client,
        signIn,
        used.expiresAt,
      );
    },
    openByGrant: async function openSessionByGrant(grant, mappings, client, signIn) {
      const account = await accounts.find(grant.accountId);
      if (account === undefined) return 'no_account';
      if (account.suspended_at !== null) return 'account_suspended';
      const member = await memberOfSignIn(account, grant, mappings, signIn.now);
      if (member === 'too_many_members') return member;
      const permissions = member === 'none' ? grant.permissions : ROLE_PERMISSIONS[member.role];
      if (permissions.length === 0) return 'no_permission';
      return open(
        {
          account_id: account.id,
          environment: 'live',
          permissions: [...permissions],
          member_id: member === 'none' ? null : member.id,
          method: 'oidc',
          user: grant.user,
          token_id: null,
          tokenHash: null,
        },
        client,
        signIn,
      );
    },
    identify: async function identifySession(secret, now, { isUse }) {
      const facts = await sessions.find(secret);
      if (facts === undefined) return undefined;
      const end = endOf(facts, limits, now);
      if (end !== undefined) {
        await ended(facts, end);
        return undefined;
      }
      if (isUse && useIsWorthNoting(facts.session.last_used_at, now))
        await Promise.all([
          sessions.noteUse(facts.session.id, now),
          facts.member && members.noteSeen(facts.member.id, now),
        ]);
      return sessionIdentity(facts);
    },
    list: async function listSessions(accountId, now) {
      return (await sessions.list(accountId)).filter((facts) => isValid(facts, now));
    },
    replace: async function replaceSession(secret, by, cause) {
      const facts = await sessions.find(secret);
      if (facts === undefined || !isValid(facts, cause.now)) return;
      const all = await sessions.list(by.facts.session.account_id);
      if (lineOf(by.facts.session, all).has(facts.session.id)) return;
      const caller = sessionIdentity(facts);
      await ended(facts, { reason: 'replaced', at: cause.now }, { ...cause, caller });
    },
    end: async function endSession(cause, id, reason) {
      const all = await sessions.list(cause.caller.account_id);
      const facts = all.find(({ session }) => session.id === id);
      if (facts === undefined || !isValid(facts, cause.now)) return false;
      const caller = { ...cause.caller, environment: facts.session.environment };
      await ended(facts, { reason, at: cause.now }, { ...cause, caller });
      return true;
    },
    sweep: async function sweepSessions(now) {
      for await (const facts of sessions.all()) {
        const end = endOf(facts, limits, now);
        if (end !== undefined) await ended(facts, end);
      }
    },
  };
}

const accountIsSuspended = () =>
  new AppError('forbidden', 'This account is suspended. Contact the operator of this service');
