/** Which role a user of the OpenID provider has in an account, by their groups there (D75). */
import { z } from 'zod';

import type { Member } from './member.ts';
import { firstRole, Role } from './role.ts';

/** Users of this group have this role in the account. */
export const GroupRole = z.object({ group: z.string(), role: Role });
export type GroupRole = z.infer<typeof GroupRole>;

export const MEMBER_GROUPS_MAX = 100;

/** The first role of all that the groups give, with its group. */
function roleOfGroups(
  groups: readonly string[],
  mappings: readonly GroupRole[],
): GroupRole | undefined {
  const given = mappings.filter(({ group }) => groups.includes(group));
  const role = firstRole(given.map((one) => one.role));
  return given.find((one) => one.role === role);
}

/** Who signs in: their name, their `sub` claim, and their groups. */
type SignedIn = { user: string; subject: string; groups: readonly string[] };

/** What a sign-in makes of the members of the account. */
type SignInStep =
  /**
   * A person whom the account knows, with the role that is set there. They were admitted by a group
   * before, under another name: then they are `admitted`, too, and that member is one too many.
   */
  | { kind: 'known'; member: Member; admitted: readonly Member[] }
  | { kind: 'admit'; name: string; subject: string; role: Role; group: string }
  /** A person who has signed in before, by this group or another one. */
  | { kind: 'change'; member: Member; name: string; role: Role; group: string }
  /** No group gives a role any more. Their sessions and tokens end. */
  | { kind: 'dismiss'; member: Member }
  /** A user without a role. */
  | { kind: 'none' };

/**
 * @param members of the account, under one of the names of this user
 * @param mappings of the installation and of the account
 */
export function signInStep(
  { user, subject, groups }: SignedIn,
  members: readonly Member[],
  mappings: readonly GroupRole[],
): SignInStep {
  const named = members.find(({ group }) => group === null);
  if (named !== undefined) {
    const admitted = members.filter(({ group }) => group !== null);
    return { kind: 'known', member: named, admitted };
  }
  const given = roleOfGroups(groups, mappings);
  const [member] = members;
  if (given === undefined)
    return member === undefined ? { kind: 'none' } : { kind: 'dismiss', member };
  const { role, group } = given;
  return member === undefined
    ? { kind: 'admit', name: user, subject, role, group }
    : { kind: 'change', member, name: user, role, group };
}
