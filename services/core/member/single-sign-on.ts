/**
 * Sign-in to the dashboard through an OpenID provider (D36): which account and which permissions the
 * claims of an ID token give, and why a sign-in fails.
 */
import { createHash } from 'node:crypto';

import { Permission } from '../token/permission.ts';
import type { GroupRole } from './sign-in-role.ts';

/** Why the sign-in screen is shown again. Its texts are in the dashboard. */
export type SignInProblem =
  /** No answer of the provider, or one that is not an OpenID response. */
  | 'provider_unavailable'
  /** The provider, or its user, ended the sign-in. */
  | 'provider_refused'
  /** The answer is not for this sign-in: wrong issuer, audience, nonce, signature or time. */
  | 'not_confirmed'
  /** This browser did not start the sign-in, or did so too long ago. */
  | 'not_started_here'
  | 'email_not_verified'
  | 'no_account'
  | 'several_accounts'
  | 'account_suspended'
  | 'no_permission'
  | 'too_many_members'
  | 'too_many_attempts'
  | 'internal_error';

export type SignInRules = {
  accountClaim: string;
  /** Account ids by value of the claim. Undefined: the value is the account id. */
  accounts: ReadonlyMap<string, string> | undefined;
  /** Undefined: every user has `permissions`. */
  permissionsClaim: string | undefined;
  permissions: readonly Permission[];
  /** Roles by groups. Empty: users without a role have the permissions. */
  roles: readonly GroupRole[];
  groupsClaim: string;
};

/** The claims of a validated ID token (OpenID Connect Core 1.0). */
export type Claims = Readonly<Record<string, unknown>>;

export type SignInGrant = {
  accountId: string;
  /** The permissions of a user without a role. If they are empty, such a user is refused. */
  permissions: Permission[];
  /** A verified email address, else the `sub` claim. */
  user: string;
  /** The `sub` claim, which the provider never gives to another user. */
  subject: string;
  /**
   * The names under which the account may know the user: a verified email address, and `sub`, if it is
   * no email address.
   */
  subjects: string[];
  groups: string[];
};

/** Maximum length of an account id and of `sub` (OpenID Connect Core 1.0 §2). */
const USER_MAX_CHARS = 255;

export function grantOf(
  claims: Claims,
  { accountClaim, accounts, permissionsClaim, permissions, roles, groupsClaim }: SignInRules,
): SignInGrant | SignInProblem {
  // anyone may enter any email address at some providers
  if (accountClaim === 'email' && !emailIsVerified(claims)) return 'email_not_verified';
  const named = textsOf(claims[accountClaim]);
  const ids = new Set(accounts ? named.flatMap((value) => accounts.get(value) ?? []) : named);
  const [accountId] = ids;
  if (accountId === undefined) return 'no_account';
  if (ids.size > 1) return 'several_accounts';
  const granted =
    permissionsClaim === undefined
      ? [...permissions]
      : Permission.options.filter((one) => textsOf(claims[permissionsClaim]).includes(one));
  const subject = String(claims.sub).slice(0, USER_MAX_CHARS);
  const email = emailIsVerified(claims) ? String(claims.email).slice(0, USER_MAX_CHARS) : undefined;
  return {
    accountId,
    permissions: roles.length > 0 ? [] : granted,
    user: email ?? subject,
    subject,
    subjects: subjectsOf(email, subject),
    groups: textsOf(claims[groupsClaim]),
  };
}

/**
 * At some providers users choose their `sub`. One that looks like an email address must not sign in as
 * the member with that address, unless the provider has verified it.
 */
function subjectsOf(email: string | undefined, subject: string): string[] {
  const names = subject.includes('@') ? [] : [subject];
  return email === undefined ? names : [email, ...names];
}

const emailIsVerified = ({ email, email_verified }: Claims): boolean =>
  typeof email === 'string' && email_verified === true;

/** A claim is a text or a list of texts. */
const textsOf = (claim: unknown): string[] =>
  (Array.isArray(claim) ? claim : [claim]).filter((value) => typeof value === 'string');

/** What the provider returns or keeps, so that its answer fits one sign-in of one browser. */
export type SignInProof = {
  /** Returned in the URL, against requests forged by other sites (RFC 6749 §10.12). */
  state: string;
  /** Returned in the ID token, against replays. */
  nonce: string;
  /** PKCE (RFC 7636): without it, the code in the URL is worthless. */
  verifier: string;
};

/**
 * All three are made from the secret in the browser's cookie, so nothing is stored. The state does
 * not reveal the secret.
 */
export function signInProof(secret: string): SignInProof {
  const derived = (purpose: keyof SignInProof) =>
    createHash('sha256').update(`inlet sign-in ${purpose} ${secret}`).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') };
}

/** The sign-in screen with the reason. The fragment stays in the browser. */
export const signInProblemPath = (problem: SignInProblem): string =>
  `/dashboard/#problem=${problem}`;
