/**
 * An Account resource is an account. Its deletion suspends and releases the account: invoices and
 * deliveries still refer to it.
 */
import { type Accounts, EmailTakenError } from '../../adapters/mongo/accounts/accounts.ts';
import type { Account } from '../../core/account/account.ts';
import { accountStep, type AccountStep } from '../../core/kube/account-resource.ts';
import { accountInUse, dependentsOf, type ResourceFacts } from '../../core/kube/cluster-rules.ts';
import { RefusalError } from '../../core/kube/condition.ts';
import { type Reconciler, runSteps } from './reconciler.ts';

type Parts = {
  accounts: Accounts;
  plans: readonly string[];
  allowedNetworks: readonly string[];
  /** Every resource in the cluster. */
  resources: () => Iterable<ResourceFacts>;
  clock: () => Date;
};

export function createAccountReconciler({
  accounts,
  plans,
  allowedNetworks,
  resources,
  clock,
}: Parts): Reconciler<'Account'> {
  return {
    settle: async function settleAccount({ spec, owner, status }) {
      const { record, step } = await runSteps<Account, AccountStep>({
        find: () => accounts.findManaged(owner),
        next: (found) => accountStep({ spec, record: found, plans, allowedNetworks }),
        act: {
          create: ({ fields }) => unlessTaken(accounts.create({ ...fields, managed_by: owner })),
          change: ({ change }, { id }) => unlessTaken(accounts.update(id, change)),
          plan: ({ plan }, { id }) => accounts.setPlan(id, plan),
          suspend: (_, { id }) => accounts.suspend(id, clock()),
          resume: (_, { id }) => accounts.resume(id),
        },
      });
      return {
        fields: { id: record?.id ?? status.id, plan: record?.plan ?? status.plan },
        verdicts: { Ready: step.verdict },
      };
    },

    remove: async function removeAccount(owner) {
      const inUse = accountInUse(dependentsOf(owner, resources()));
      if (inUse) return inUse;
      const record = await accounts.findManaged(owner);
      if (record === undefined) return undefined;
      await accounts.suspend(record.id, clock());
      await accounts.release(record.id);
      return undefined;
    },
  };
}

/** @throws RefusalError when another account has the email address */
async function unlessTaken(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    throw error instanceof EmailTakenError ? new RefusalError('EmailTaken', error.message) : error;
  }
}
