/** Who caused an event of the audit trail (D76). */

/**
 * `member`: a person of the account. `user`: somebody who signed in through the OpenID provider without
 * being a member. `token`: a program with an API token of the account. `operator`: who operates the
 * installation, with `inlet admin`. `resource`: a Kubernetes resource. `inlet`: Inlet itself.
 */
export const ACTORS = ['member', 'user', 'token', 'operator', 'resource', 'inlet'] as const;
type Actor = (typeof ACTORS)[number];

/** The fields of an event that say where it comes from. */
type Origin = {
  type: string;
  member_id?: string;
  token_id?: string;
  session_id?: string;
  user?: string;
  operator?: true;
  data: Record<string, unknown>;
};

/** Undefined for emails and attempts that nobody asked for. */
export function actorOf({
  type,
  member_id,
  token_id,
  session_id,
  user,
  operator,
  data,
}: Origin): Actor | undefined {
  if (data.resource !== undefined) return 'resource';
  if (member_id !== undefined) return 'member';
  if (user !== undefined) return 'user';
  if (token_id !== undefined) return 'token';
  // a session that no token, member or user has opened: with a link of `inlet admin`
  if (operator === true || session_id !== undefined) return 'operator';
  return /^(email|webhook)\./.test(type) ? undefined : 'inlet';
}
