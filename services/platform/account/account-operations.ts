/**
 * Changes accounts for every caller: their owner through the API, the operator of the installation with
 * `inlet admin`, or an Account resource. Each change that changes something is in the audit trail of
 * the account (D15, D29).
 */
import type { Accounts } from '../../adapters/mongo/account/accounts.ts';
import type { Account, AccountChange } from '../../core/account/account.ts';
import { changedFields, isEmpty } from '../../core/resource/changed-fields.ts';
import { type Audit, auditUpdate, type Cause } from '../audit.ts';

/** The caller of the cause names the account. Undefined when there is no such account. */
export type AccountOperations = {
  /** @throws EmailTakenError */
  change(cause: Cause, change: AccountChange): Promise<Account | undefined>;
  setPlan(cause: Cause, plan: string): Promise<Account | undefined>;
  suspend(cause: Cause): Promise<Account | undefined>;
  resume(cause: Cause): Promise<Account | undefined>;
};

type AccountOperationDependencies = {
  accounts: Pick<Accounts, 'find' | 'update' | 'setPlan' | 'suspend' | 'resume'>;
  audit: Audit;
};

const ACCOUNT_UPDATED = { type: 'account.updated', address_id: null, data: {} } as const;

export function createAccountOperations({
  accounts,
  audit,
}: AccountOperationDependencies): AccountOperations {
  /** @param decide what differs from the account, and how it is written */
  const changing = async (
    cause: Cause,
    decide: (before: Account) => { changed: object; write: () => Promise<unknown> },
  ): Promise<Account | undefined> => {
    const { account_id } = cause.caller;
    const before = await accounts.find(account_id);
    if (before === undefined) return undefined;
    const { changed, write } = decide(before);
    if (isEmpty(changed)) return before;
    await write();
    await auditUpdate(audit, cause, ACCOUNT_UPDATED, changed);
    return accounts.find(account_id);
  };

  return {
    change: (cause, { settings = {}, ...change }) =>
      changing(cause, (before) => {
        const fields = changedFields(before, change);
        const changed = changedFields(before.settings, settings);
        return {
          changed: { ...fields, ...changed },
          write: () => accounts.update(before.id, { ...fields, settings: changed }),
        };
      }),

    setPlan: (cause, plan) =>
      changing(cause, (before) => ({
        changed: changedFields(before, { plan }),
        write: () => accounts.setPlan(before.id, plan, cause.now),
      })),

    suspend: (cause) =>
      changing(cause, ({ id, suspended_at }) => ({
        changed: suspended_at === null ? { suspended: true } : {},
        write: () => accounts.suspend(id, cause.now),
      })),

    resume: (cause) =>
      changing(cause, ({ id, suspended_at }) => ({
        changed: suspended_at === null ? {} : { suspended: false },
        write: () => accounts.resume(id),
      })),
  };
}
