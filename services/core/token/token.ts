/** The caller of a request, and the format of the tokens that identify it (spec 5.1). */
import { createHash } from 'node:crypto';

import type { Environment } from '../resource/environment.ts';
import type { AccountScope, AddressScope, Owned } from '../address/scope.ts';
import type { Permission } from './permission.ts';
import type { TokenLimit } from './token-limit.ts';

/** Bytes of randomness in a token: as base64url, 43 characters. */
export const TOKEN_RANDOM_BYTES = 32;

const SHOWN_RANDOM_CHARS = 6;

const TOKEN = new RegExp(String.raw`^svc_(live|test)_[A-Za-z0-9_-]{43}$`); // spec 5.1.3

/** The caller of a request, as identified by its token or its session. */
export type TokenIdentity = Owned & {
  /** Id of the token or of the session. */
  id: string;
  permissions: Permission[];
  /** The person of the account to whom the token or session belongs; absent for none. */
  member?: { id: string; name: string };
  /** The limit of the token, or of the session's token; null for none. */
  limit: TokenLimit | null;
  /** When the token ends, also for a session that it created; absent when it does not. */
  token_expires_at?: Date;
  /**
   * Present for a session: the token that created it, if one did, who signed in through an OpenID
   * provider, and its latest end.
   */
  session?: { token_id: string | null; user: string | null; expires_at: Date };
};

/** A caller, and the addresses that it reaches now. */
export type AddressCaller = TokenIdentity & AddressScope;

/** A caller that no limit keeps from anything of its account. */
export type AccountCaller = TokenIdentity & AccountScope & AddressScope;

/** Whether its limit, if any, keeps this caller from nothing of its account. */
export const isUnlimited = (caller: AddressCaller): caller is AccountCaller =>
  caller.limit === null && caller.address_ids === null;

export function formatToken(environment: Environment, random: Buffer): string {
  return `svc_${environment}_${random.toString('base64url')}`;
}

/** Whether a text has the format of a token. Other text needs no lookup. */
export const isTokenShaped = (text: string): boolean => TOKEN.test(text);

/** The first characters, which lists show. */
export const prefixOf = (token: string): string =>
  token.slice(0, 'svc_live_'.length + SHOWN_RANDOM_CHARS);

/** The hash that is stored. 256 random bits need no slow hash. */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The permissions that a token needs itself in order to grant these (D10). */
export const notHeld = (identity: TokenIdentity, requested: readonly Permission[]): Permission[] =>
  requested.filter((permission) => !may(identity, permission));

const USE_NOTED_EVERY_MS = 60_000;

/** Resolution of `last_used_at`: a write at every request would cost too much. */
export const notedBefore = (now: Date): Date => new Date(now.getTime() - USE_NOTED_EVERY_MS);

export const hasExpired = (expiresAt: Date | null | undefined, now: Date): boolean =>
  expiresAt !== null && expiresAt !== undefined && expiresAt <= now;

/**
 * When a new token ends, if its creator asks for this time: a token that expires creates none that
 * lasts longer (D67). Undefined when it may not.
 */
export function grantedExpiry(
  { token_expires_at: own }: Pick<TokenIdentity, 'token_expires_at'>,
  requested: Date | null | undefined,
): Date | null | undefined {
  if (own === undefined) return requested ?? null;
  if (requested === undefined) return own;
  return requested !== null && requested <= own ? requested : undefined;
}

export const useIsWorthNoting = (lastUsedAt: Date | null, now: Date): boolean =>
  lastUsedAt === null || lastUsedAt <= notedBefore(now);

/**
 * Whether it is a session that a person began without a token: a leaked token must not see or change
 * what else the person has.
 */
export const isSignedIn = ({ member, session }: TokenIdentity): boolean =>
  member !== undefined && session?.token_id === null;

export const may = (identity: TokenIdentity, permission: Permission): boolean =>
  identity.permissions.includes(permission);
