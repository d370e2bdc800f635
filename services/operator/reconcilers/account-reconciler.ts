/**
 * An Account resource is an account. Its deletion suspends and releases the account: invoices and
 * deliveries still refer to it.
 */
import { type Accounts, EmailTakenError } from '../../adapters/mongo/accounts/accounts.ts';
import { accountStep, type AccountStep } from '../../core/kube/account-resource.ts';
import type { Account } from '../../core/account/account.ts';
import { accountInUse, dependentsOf, type ResourceFacts } from '../../core/kube/cluster-rules.ts';
import { notReady } from '../../core/kube/condition.ts';
import { AccountSpec } from '../../core/kube/account-spec.ts';
import type { ManagedBy } from '../../core/address/managed-by.ts';
import type { Reconciler } from './reconcile.ts';
import { ownerOf, specOf } from '../resource.ts';

type Needs = {
  accounts: Accounts;
  plans: readonly string[];
  /** Every resource in the cluster. */
  resources: () => Iterable<ResourceFacts>;
  clock: () => Date;
};

const MAX_STEPS = 8;

export function createAccountReconciler({ accounts, plans, resources, clock }: Needs): Reconciler {
  async function act(
    step: Exclude<AccountStep, { kind: 'settled' }>,
    owner: ManagedBy,
    record: Account | undefined,
  ): Promise<unknown> {
    if (step.kind === 'create') return accounts.create({ ...step.fields, managed_by: owner });
    if (record === undefined) throw new Error('no account to change');
    if (step.kind === 'change') return accounts.update(record.id, step.change);
    if (step.kind === 'plan') return accounts.setPlan(record.id, step.plan);
    return step.kind === 'suspend'
      ? accounts.suspend(record.id, clock())
      : accounts.resume(record.id);
  }

  return {
    settle: async function settleAccount(resource) {
      const spec = specOf(AccountSpec, resource);
      const owner = ownerOf('Account', resource);
      for (let i = 0; i < MAX_STEPS; i++) {
        const record = await accounts.findManaged(owner);
        const step = accountStep({ spec, record, plans });
        if (step.kind === 'settled')
          return {
            fields: { id: record?.id ?? resource.status?.id },
            verdicts: { Ready: step.verdict },
          };
        try {
          await act(step, owner, record);
        } catch (error) {
          if (!(error instanceof EmailTakenError)) throw error;
          return {
            fields: { id: record?.id ?? resource.status?.id },
            verdicts: { Ready: notReady('EmailTaken', error.message) },
          };
        }
      }
      throw new Error(`the account did not settle in ${MAX_STEPS} steps`);
    },

    remove: async function removeAccount(resource) {
      const inUse = accountInUse(dependentsOf(resource.metadata, resources()));
      if (inUse) return inUse;
      const record = await accounts.findManaged(ownerOf('Account', resource));
      if (record === undefined) return undefined;
      await accounts.suspend(record.id, clock());
      await accounts.release(record.id);
      return undefined;
    },
  };
}
