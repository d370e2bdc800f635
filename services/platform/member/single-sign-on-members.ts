/** Finds the member of an account who signs in through the OpenID provider, or admits them (D75). */
import type { Members } from '../../adapters/mongo/member/members.ts';
import type { Account } from '../../core/account/account.ts';
import type { Member } from '../../core/member/member.ts';
import { type GroupRole, signInStep } from '../../core/member/sign-in-role.ts';
import type { SignInGrant } from '../../core/member/single-sign-on.ts';
import type { Audit, Cause } from '../audit.ts';
import { createMemberChanges } from './member-changes.ts';

/** The member, or why there is none. */
export type MemberOfSignIn = (
  account: Account,
  grant: SignInGrant,
  mappings: readonly GroupRole[],
  now: Date,
) => Promise<Member | 'none' | 'too_many_members'>;

type SignInMemberDependencies = {
  members: Members;
  audit: Audit;
  /** Makes every process read its cached credentials again. */
  announce: () => void;
};

export function createMemberOfSignIn({
  members,
  ...dependencies
}: SignInMemberDependencies): MemberOfSignIn {
  const changes = createMemberChanges({ members, ...dependencies });

  return async function memberOfSignIn(account, grant, mappings, now) {
    const account_id = account.id;
    const cause: Cause = { caller: { account_id, environment: 'live' }, now };
    const all = [...mappings, ...(account.member_groups ?? [])];
    const next = async () =>
      signInStep(grant, await members.findSubjects(account_id, grant.subjects), all);

    let step = await next();
    if (step.kind === 'admit') {
      const { name, role, subject, group } = step;
      const admitted = await changes.insert(cause, { account_id, name, role, subject, group });
      if (admitted === 'full') return 'too_many_members';
      if (admitted !== 'taken') return admitted;
      step = await next(); // the same user signs in twice at this moment
    }
    if (step.kind === 'known') {
      for (const admitted of step.admitted) await changes.remove(cause, admitted, ANY_OWNER);
      return step.member;
    }
    if (step.kind === 'change') {
      const { name, role, group } = step;
      const changed = await changes.change(cause, step.member, { name, role, group }, ANY_OWNER);
      return typeof changed === 'string' ? 'none' : changed;
    }
    if (step.kind === 'dismiss') await changes.remove(cause, step.member, ANY_OWNER);
    return 'none';
  };
}

/** The provider decides, also about the last owner. */
const ANY_OWNER = { mayBeLastOwner: true };
