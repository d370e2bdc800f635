/**
 * An Account resource is an account. Its deletion suspends and releases the account: invoices and
 * deliveries still refer to it.
 */
import { type Accounts, EmailTakenError } from '../../adapters/mongo/account/accounts.ts';
import type { Members } from '../../adapters/mongo/member/members.ts';
import type { AccountOperations } from '../../platform/account/account-operations.ts';
import type { ReadAccountQuota } from '../../platform/account/quotas.ts';
import type { Audit } from '../../platform/audit.ts';
import { createMemberChanges } from '../../platform/member/member-changes.ts';
import type { PlanCatalogue } from '../../core/billing/billing.ts';
import type { Quota } from '../../core/billing/quota.ts';
import type { Account } from '../../core/account/account.ts';
import type { Member } from '../../core/member/member.ts';
import type { ManagedBy } from '../../core/resource/managed-by.ts';
import { accountStep, type AccountStep } from '../../core/kube/account-resource.ts';
import { accountInUse, dependentsOf, type ResourceFacts } from '../../core/kube/cluster-rules.ts';
import { RefusalError } from '../../core/kube/condition.ts';
import { type Reconciler, type CauseOf, runSteps } from './reconciler.ts';

type AccountReconcilerDependencies = {
  accounts: Pick<Accounts, 'create' | 'findManaged' | 'release'>;
  operations: AccountOperations;
  members: Members;
  causeOf: CauseOf;
  audit: Audit;
  plans: PlanCatalogue;
  readQuota: ReadAccountQuota;
  allowedNetworks: readonly string[];
  /** Every resource in the cluster. */
  resources: () => Iterable<ResourceFacts>;
};

export function createAccountReconciler({
  accounts,
  operations,
  members,
  causeOf,
  audit,
  plans,
  readQuota,
  allowedNetworks,
  resources,
}: AccountReconcilerDependencies): Reconciler<'Account'> {
  const changes = createMemberChanges({ members, audit });
  const causeIn = (owner: ManagedBy, { id }: Pick<Account, 'id'>) =>
    causeOf(owner, { account_id: id, environment: 'live' });

  const find = async (owner: ManagedBy): Promise<Found | undefined> => {
    const account = await accounts.findManaged(owner);
    if (account === undefined) return undefined;
    const [all, quota] = await Promise.all([members.list(account.id), readQuota(account.id)]);
    return { account, quota, members: all.filter(({ managed_by }) => managed_by !== undefined) };
  };

  /** People before their removal, so that the account is never without an owner. */
  const settleMembers = async (
    owner: ManagedBy,
    { put, dismissed }: Extract<AccountStep, { kind: 'members' }>,
    found: Found,
  ): Promise<void> => {
    const causeNow = () => causeIn(owner, found.account);
    for (const wanted of put) await changes.put(causeNow(), wanted, owner);
    for (const member of found.members.filter(({ id }) => dismissed.includes(id)))
      await changes.remove(causeNow(), member, { mayBeLastOwner: true });
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
            quota: found?.quota,
            allowedNetworks,
          }),
        act: {
          create: ({ fields }) => unlessTaken(accounts.create({ ...fields, managed_by: owner })),
          change: ({ change }, { account }) =>
            unlessTaken(operations.change(causeIn(owner, account), change)),
          members: (wanted, found) => settleMembers(owner, wanted, found),
          plan: ({ plan }, { account }) => operations.setPlan(causeIn(owner, account), plan),
          suspend: (_, { account }) => operations.suspend(causeIn(owner, account)),
          resume: (_, { account }) => operations.resume(causeIn(owner, account)),
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
      await operations.suspend(causeIn(owner, record));
      await members.release(record.id);
      await accounts.release(record.id);
      return undefined;
    },
  };
}

/** An account, how much of its plan is used, and the people that its resource owns. */
type Found = { account: Account; quota: Quota | undefined; members: readonly Member[] };

/** @throws RefusalError when another account has the email address */
async function unlessTaken(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    throw error instanceof EmailTakenError ? new RefusalError('EmailTaken', error.message) : error;
  }
}
