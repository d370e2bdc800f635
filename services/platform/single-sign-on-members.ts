/** Finds the member of an account who signs in through the OpenID provider, or admits them (D75). */
import type { Members } from '../adapters/mongo/accounts/members.ts';
import type { Account } from '../core/account/account.ts';
import { type Member, memberData } from '../core/account/member.ts';
import { type GroupRole, type SignInStep, signInStep } from '../core/account/sign-in-role.ts';
import type { SignInGrant } from '../core/account/single-sign-on.ts';
import type { Audit, Cause } from './audit.ts';

/** The member, or why there is none. */
export type MemberOfSignIn = (
  account: Account,
  grant: SignInGrant,
  mappings: readonly GroupRole[],
  now: Date,
) => Promise<Member | 'none' | 'too_many_members'>;

type Parts = {
  members: Pick<Members, 'change' | 'findSubjects' | 'insert' | 'remove'>;
  audit: Audit;
  /** Makes every process read its cached credentials again. */
  announce: () => void;
};

export function createMemberOfSignIn({ members, audit, announce }: Parts): MemberOfSignIn {
  const record = (
    type: 'member.created' | 'member.updated' | 'member.deleted',
    member: Member,
    now: Date,
  ) => {
    const cause: Cause = { caller: { account_id: member.account_id, environment: 'live' }, now };
    return audit(cause, { type, address_id: null, data: memberData(member) });
  };

  const change = async (
    { member, name, role, group }: Extract<SignInStep, { kind: 'change' }>,
    now: Date,
  ): Promise<Member | 'none'> => {
    if (member.name === name && member.role === role && member.group === group) return member;
    const wanted = { name, role, group };
    const changed = await members.change(member.account_id, member.id, wanted, ANY_OWNER);
    announce();
    if (typeof changed === 'string') return 'none';
    await record('member.updated', changed, now);
    return changed;
  };

  const remove = async (member: Member, now: Date): Promise<void> => {
    const removed = await members.remove(member.account_id, member.id, ANY_OWNER);
    announce();
    if (typeof removed !== 'string') await record('member.deleted', member, now);
  };

  return async function memberOfSignIn(account, grant, mappings, now) {
    const account_id = account.id;
    const all = [...mappings, ...(account.member_groups ?? [])];
    const next = async () =>
      signInStep(grant, await members.findSubjects(account_id, grant.subjects), all);

    let step = await next();
    if (step.kind === 'admit') {
      const { name, role, subject, group } = step;
      const admitted = await members.insert({ account_id, name, role, subject, group }, now);
      if (admitted === 'full') return 'too_many_members';
      if (admitted !== 'taken') {
        await record('member.created', admitted, now);
        return admitted;
      }
      step = await next(); // the same user signs in twice at this moment
    }
    if (step.kind === 'known') {
      for (const admitted of step.admitted) await remove(admitted, now);
      return step.member;
    }
    if (step.kind === 'change') return change(step, now);
    if (step.kind === 'dismiss') await remove(step.member, now);
    return 'none';
  };
}

/** The provider decides, also about the last owner. */
const ANY_OWNER = { mayBeLastOwner: true };
