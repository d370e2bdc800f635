/**
 * Sessions of the dashboard and the single-use links that open them (D36). A session has the
 * permissions of the credential that created it, and ends with that credential.
 */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { Environment } from '../resource/environment.ts';
import { Permission, withDeliveryParts } from '../token/permission.ts';
import { Role, ROLE_PERMISSIONS, withinRole } from './role.ts';
import { hashOf, type TokenIdentity } from '../token/token.ts';
import { shapeOf } from '../resource/field.ts';
import { limitFields, limitView, type TokenLimit } from '../token/token-limit.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';

const SESSION_METHODS = ['link', 'token', 'oidc'] as const;
type SessionMethod = (typeof SESSION_METHODS)[number];

/** Bytes of randomness in the code of a link and in a session's cookie. */
export const SESSION_RANDOM_BYTES = 32;
export const LINK_MAX_SECONDS = 300;

const SECRET = /^[A-Za-z0-9_-]{43}$/;
const USER_AGENT_MAX_CHARS = 200;

export type Session = {
  id: string;
  account_id: string;
  environment: Environment;
  permissions: Permission[];
  method: SessionMethod;
  /** The token that created it, directly or through a link; null when none did. */
  token_id: string | null;
  /** Whom the OpenID provider named, for this session or the one whose link opened it. */
  user: string | null;
  /** The person of the account who uses it, with whom it ends; null for none. */
  member_id: string | null;
  /** The session whose link opened it, with which it ends; null when none did. */
  parent_id: string | null;
  created_at: Date;
  /** Accurate to the minute. */
  last_used_at: Date;
  /** It ends then even while it is used. */
  expires_at: Date;
  source_ip: string;
  /** Null when the browser sent none. */
  user_agent: string | null;
};

export type SessionMember = { id: string; name: string; role: Role };

/** A session, and the facts that its validity depends on. */
export type SessionFacts = {
  session: Session;
  /** Current permissions of its token; undefined when that token no longer exists. */
  tokenPermissions: readonly Permission[] | undefined;
  /** Its member; undefined when it has none, or has lost it. */
  member?: SessionMember | undefined;
  /** The limit of its token; null for none. */
  tokenLimit: TokenLimit | null;
  /** When its token ends; absent for never. */
  tokenExpiresAt?: Date;
  /** Whether `parent_id` is null or a session that has not ended. */
  hasParent: boolean;
  accountIsSuspended: boolean;
};

export type SessionLimits = {
  /** A session ends when it is not used for this time. */
  idleMs: number;
  /** A session ends after this time. */
  lifetimeMs: number;
};

const SESSION_ENDS = [
  'signed_out',
  'ended_by_user',
  'expired',
  'idle',
  'token_deleted',
  'member_removed',
  'parent_ended',
  'replaced',
  'account_suspended',
  'too_many',
] as const;
export type SessionEnd = (typeof SESSION_ENDS)[number];

/** Whether a text has the format of a code or a cookie. Other text needs no lookup. */
export const isSessionSecret = (text: string): boolean => SECRET.test(text);

export const formatSessionSecret = (random: Buffer): string => random.toString('base64url');

/** The hash that is stored. 256 random bits need no slow hash. */
export const sessionHash = (secret: string): Buffer => hashOf(secret);

const idleExpiry = ({ last_used_at }: Session, { idleMs }: SessionLimits): Date =>
  new Date(last_used_at.getTime() + idleMs);

/** Why and when this session has ended; undefined while it is valid. */
export function endOf(
  {
    session,
    tokenPermissions,
    tokenExpiresAt,
    member,
    hasParent,
    accountIsSuspended,
  }: SessionFacts,
  limits: SessionLimits,
  now: Date,
): { reason: SessionEnd; at: Date } | undefined {
  const idleAt = idleExpiry(session, limits);
  if (session.expires_at <= now && session.expires_at <= idleAt)
    return { reason: 'expired', at: session.expires_at };
  if (idleAt <= now) return { reason: 'idle', at: idleAt };
  if (session.member_id !== null && member === undefined)
    return { reason: 'member_removed', at: now };
  if (session.token_id !== null && tokenPermissions === undefined)
    return { reason: 'token_deleted', at: now };
  if (tokenExpiresAt !== undefined && tokenExpiresAt <= now)
    return { reason: 'expired', at: tokenExpiresAt };
  if (!hasParent) return { reason: 'parent_ended', at: now };
  return accountIsSuspended ? { reason: 'account_suspended', at: now } : undefined;
}

/**
 * Sessions of one opener share a rate limit, and are limited in number: its token, member, user or
 * account.
 */
export const openerOf = ({
  account_id,
  token_id,
  member_id,
  user,
}: Pick<Session, 'account_id' | 'token_id' | 'member_id' | 'user'>): string =>
  token_id ?? member_id ?? (user === null ? account_id : `${account_id} ${user}`);

/** A session, and those whose links led to it. */
export function lineOf(session: Session, all: readonly SessionFacts[]): ReadonlySet<string> {
  const line = new Set([session.id]);
  for (let parent = session.parent_id; parent !== null && !line.has(parent);) {
    line.add(parent);
    const id = parent;
    parent = all.find((one) => one.session.id === id)?.session.parent_id ?? null;
  }
  return line;
}

/**
 * What a session may do now: a token that lost permissions takes them along, and so does a member.
 * The sign-in of a member itself has what the role has, also if that is more than at the sign-in.
 */
function permissionsNow({ session, tokenPermissions, member }: SessionFacts): Permission[] {
  const isSignIn = session.token_id === null && session.parent_id === null;
  if (member !== undefined && isSignIn) return [...ROLE_PERMISSIONS[member.role]];
  const atStart = withDeliveryParts(session.permissions);
  const ofToken =
    tokenPermissions === undefined
      ? atStart
      : atStart.filter((permission) => tokenPermissions.includes(permission));
  return member === undefined ? ofToken : withinRole(ofToken, member.role);
}

/** The caller of a request with this session. */
export const sessionIdentity = (facts: SessionFacts): TokenIdentity => ({
  id: facts.session.id,
  account_id: facts.session.account_id,
  environment: facts.session.environment,
  permissions: permissionsNow(facts),
  limit: facts.tokenLimit,
  ...(facts.member && { member: { id: facts.member.id, name: facts.member.name } }),
  ...(facts.tokenExpiresAt && { token_expires_at: facts.tokenExpiresAt }),
  session: {
    token_id: facts.session.token_id,
    user: facts.session.user,
    expires_at: facts.session.expires_at,
  },
});

/** The part of a User-Agent header that is stored. */
export const userAgentForRecord = (text: string | undefined): string | null =>
  text === undefined ? null : text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, USER_AGENT_MAX_CHARS);

/** The page that exchanges a code for a session. No log and no referrer sees a fragment. */
export const dashboardUrl = (origin: string, code: string): string =>
  `${origin}/dashboard/#code=${code}`;

export const SessionView = z.object({
  session_id: z.string(),
  account_id: z.string(),
  environment: Environment,
  permissions: z.array(Permission),
  ...shapeOf(limitFields, 'view'),
  method: z.enum(SESSION_METHODS).describe('how it was created'),
  user: z
    .string()
    .nullable()
    .describe(
      'who signed in, as the OpenID provider names them, here or in the session whose link ' +
        'opened it; null for other methods',
    ),
  member: z
    .object({ id: z.string(), name: z.string(), role: Role })
    .nullable()
    .describe('the person of the account who uses it; null for a session of no member'),
  created_at: Timestamp,
  expires_at: Timestamp.describe('it ends then at the latest'),
  idle_expires_at: Timestamp.describe('it ends then unless it is used again'),
  source_ip: z.string().describe('source address that created it; an IPv6 address as its /64'),
  user_agent: z.string().nullable(),
  current: z.boolean().describe('whether this request used it'),
});
export type SessionView = z.infer<typeof SessionView>;
describeSchema(SessionView, 'Session', {
  session_id: EXAMPLE.session_id,
  account_id: EXAMPLE.account_id,
  environment: 'live',
  permissions: ['addresses:read', 'deliveries:read'],
  address_ids: null,
  labels: null,
  method: 'link',
  user: null,
  member: { id: EXAMPLE.member_id, name: 'Ann Example', role: 'viewer' },
  created_at: EXAMPLE.now,
  expires_at: '2026-11-28T08:00:02Z',
  idle_expires_at: '2026-11-21T20:00:02Z',
  source_ip: '203.0.113.7',
  user_agent: 'Mozilla/5.0',
  current: true,
});

export const sessionView = (
  facts: SessionFacts,
  limits: SessionLimits,
  currentId: string,
): SessionView => {
  const { session } = facts;
  return {
    session_id: session.id,
    account_id: session.account_id,
    environment: session.environment,
    permissions: sessionIdentity(facts).permissions,
    ...limitView(facts.tokenLimit),
    method: session.method,
    user: session.user,
    member: facts.member ?? null,
    created_at: timestamp(session.created_at),
    expires_at: timestamp(session.expires_at),
    idle_expires_at: timestamp(
      new Date(Math.min(idleExpiry(session, limits).getTime(), session.expires_at.getTime())),
    ),
    source_ip: session.source_ip,
    user_agent: session.user_agent,
    current: session.id === currentId,
  };
};

export const EXAMPLE_CODE = 'EXAMPLE-not-a-valid-code-EXAMPLE-1234567890';

export const CreatedLink = z.object({
  url: z.string().describe('opens the dashboard, signed in; works once'),
  expires_at: Timestamp,
});
describeSchema(CreatedLink, 'DashboardLink', {
  url: dashboardUrl('https://inlet.example.com', EXAMPLE_CODE),
  expires_at: '2026-11-21T08:02:02Z',
});
