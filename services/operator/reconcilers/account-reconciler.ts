/**
 * An Account resource is an account. Its deletion suspends and releases the account: invoices and
 * deliveries still refer to it.
 */
import { type Accounts, EmailTakenError } from '../../adapters/mongo/accounts/accounts.ts';
import type { Members } from '../../adapters/mongo/accounts/members.ts';
import type { Account } from '../../core/account/account.ts';
import { type Member, memberData } from '../../core/account/member.ts';
import type { ManagedBy } from '../../core/managed-by.ts';
import { accountStep, type AccountStep } from '../../core/kube/account-resource.ts';
import { accountInUse, dependentsOf, type ResourceFacts } from '../../core/kube/cluster-rules.ts';
import { RefusalError } from '../../core/kube/condition.ts';
import { type Reconciler, type RecordChange, runSteps } from './reconciler.ts';

type Parts = {
  accounts: Accounts;
  members: Pick<Members, 'list' | 'putManaged' | 'release' | 'remove'>;
  recordChange: RecordChange;
  plans: readonly string[];
  allowedNetworks: readonly string[];
  /** Every resource in the cluster. */
  resources: () => Iterable<ResourceFacts>;
  clock: () => Date;
};

export function createAccountReconciler({
  accounts,
  members,
  recordChange,
  plans,
  allowedNetworks,
  resources,
  clock,
}: Parts): Reconciler<'Account'> {
  const find = async (owner: ManagedBy): Promise<Found | undefined> => {
    const account = await accounts.findManaged(owner);
    if (account === undefined) return undefined;
    const all = await members.list(account.id);
    return { account, members: all.filter(({ managed_by }) => managed_by !== undefined) };
  };

  /** People before their removal, so that the account is never without an owner. */
  const settleMembers = async (
    owner: ManagedBy,
    { put, dismissed }: Extract<AccountStep, { kind: 'members' }>,
    found: Found,
  ): Promise<void> => {
    const scope = { account_id: found.account.id, environment: 'live' } as const;
    for (const wanted of put) {
      const member = await members.putManaged(scope.account_id, wanted, owner, clock());
      const isNew = !found.members.some(({ id }) => id === member.id);
      const type = isNew ? 'member.created' : 'member.updated';
      await recordChange(type, scope, owner, memberData(member));
    }
    for (const member of found.members.filter(({ id }) => dismissed.includes(id))) {
      await members.remove(scope.account_id, member.id, { mayBeLastOwner: true });
      await recordChange('member.deleted', scope, owner, memberData(member));
    }
  };

  return {
    settle: async function settleAccount({ spec, owner, status }) {
      const { record, step } = await runSteps<Found, AccountStep>({
        find: () => find(owner),
        next: (found) =>
          accountStep({
            spec,
            record: found?.account,
            members: found?.members ?? [],
            plans,
            allowedNetworks,
          }),
        act: {
          create: ({ fields }) => unlessTaken(accounts.create({ ...fields, managed_by: owner })),
          change: ({ change }, { account }) => unlessTaken(accounts.update(account.id, change)),
          members: (wanted, found) => settleMembers(owner, wanted, found),
          plan: ({ plan }, { account }) => accounts.setPlan(account.id, plan),
          suspend: (_, { account }) => accounts.suspend(account.id, clock()),
          resume: (_, { account }) => accounts.resume(account.id),
        },
      });
      return {
        fields: {
          id: record?.account.id ?? status.id,
          plan: record?.account.plan ?? status.plan,
        },
        verdicts: { Ready: step.verdict },
      };
    },

    remove: async function removeAccount(owner) {
      const inUse = accountInUse(dependentsOf(owner, resources()));
      if (inUse) return inUse;
      const record = await accounts.findManaged(owner);
      if (record === undefined) return undefined;
      await accounts.suspend(record.id, clock());
      await members.release(record.id);
      await accounts.release(record.id);
      return undefined;
    },
  };
}

/** An account, and the people that its resource owns. */
type Found = { account: Account; members: readonly Member[] };

/** @throws RefusalError when another account has the email address */
async function unlessTaken(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    throw error instanceof EmailTakenError ? new RefusalError('EmailTaken', error.message) : error;
  }
}
