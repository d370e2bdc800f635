/** `inlet admin account …` and `plan set`: accounts and their plans. */
import { z } from 'zod';

import type { AccountContents } from '../../adapters/mongo/account/account-contents.ts';
import { readConfig } from '../../adapters/process/config.ts';
import type { Account, AccountChange } from '../../core/account/account.ts';
import { mayHavePlan } from '../../core/billing/billing.ts';
import { managerName } from '../../core/resource/managed-by.ts';
import { createAccountOperations } from '../../platform/account/account-operations.ts';
import { PlanConfig, readPlans } from '../../platform/settings/plans.ts';
import { Failure, notFoundFault, usageFault } from '../terminal/failure.ts';
import type { Database } from './database.ts';

type NewAccount = { email: string; name: string; company?: string };

/** @throws Failure unless an account has this id */
export async function existingAccount({ stores }: Database, id: string): Promise<Account> {
  const account = await stores.accounts.find(id);
  if (account === undefined) throw notFoundFault(`account: ${id}`);
  return account;
}

export async function createAccount({ stores }: Database, account: NewAccount): Promise<Account> {
  requireEmail(account.email);
  return stores.accounts.create(account);
}

export const listAccounts = ({ stores }: Database): Promise<Account[]> => stores.accounts.list();

export async function showAccount(
  database: Database,
  id: string,
): Promise<Account & { subscription: unknown } & AccountContents> {
  const account = await existingAccount(database, id);
  const { subscriptions, accountContents } = database.stores;
  const subscriber = await subscriptions.find(id);
  return {
    ...account,
    subscription: subscriber?.subscription,
    ...(await accountContents.count(id)),
  };
}

export async function updateAccount(
  database: Database,
  id: string,
  change: Pick<AccountChange, 'email' | 'name' | 'company'>,
): Promise<Account> {
  if (Object.keys(change).length === 0)
    throw usageFault('give at least one of --email, --name and --company');
  if (change.email !== undefined) requireEmail(change.email);
  refuseManagedAccount(await existingAccount(database, id));
  const updated = await operationsOf(database).change(causeIn(id), change);
  if (updated === undefined) throw notFoundFault(`account: ${id}`);
  return updated;
}

/** A repeated call completes one that failed halfway. */
export async function closeAccount(
  database: Database,
  id: string,
  { yes: isConfirmed = false, erase = false }: { yes?: boolean; erase?: boolean },
): Promise<{ id: string; closed: true } & AccountContents & { deliveries_ended: number }> {
  const { accounts, accountContents, deliveries } = database.stores;
  const account = await existingAccount(database, id);
  refuseManagedAccount(account);
  if (!isConfirmed) {
    const { addresses, domains, tokens } = await accountContents.count(id);
    throw usageFault(
      `closing ${account.email} deletes ${addresses} addresses, ${domains} domains and ` +
        `${tokens} tokens, ends all email that waits or is held, ${erase ? 'erases the content of all email, ' : ''}` +
        'and cannot be undone. Repeat with --yes',
    );
  }
  const now = new Date();
  await accounts.close(id, now);
  const removed = await accountContents.remove(id, now);
  return {
    id,
    closed: true,
    ...removed,
    deliveries_ended: await deliveries.endAll(id, erase, now),
  };
}

export async function suspendAccount(database: Database, id: string): Promise<object> {
  if (!(await operationsOf(database).suspend(causeIn(id)))) throw notFoundFault(`account: ${id}`);
  return { id, suspended: true };
}

export async function resumeAccount(database: Database, id: string): Promise<object> {
  const { closed_at } = await existingAccount(database, id);
  if (closed_at !== null) throw new Failure(`account ${id} is closed`);
  await operationsOf(database).resume(causeIn(id));
  return { id, suspended: false };
}

export async function setPlan(
  database: Database,
  id: string,
  plan: string,
): Promise<{ id: string; plan: string }> {
  const plans = await readPlans(readConfig(z.object(PlanConfig), database.env));
  if (!mayHavePlan(plans, plan))
    throw usageFault(`PLAN must be one of ${Object.keys(plans.plans).join(', ')}`);
  if (!(await operationsOf(database).setPlan(causeIn(id), plan)))
    throw notFoundFault(`account: ${id}`);
  return { id, plan };
}

const operationsOf = ({ stores: { accounts }, audit }: Database) =>
  createAccountOperations({ accounts, audit });

const causeIn = (account_id: string) => ({
  caller: { account_id, environment: 'live' as const },
  now: new Date(),
});

function requireEmail(text: string): void {
  if (!z.email().safeParse(text).success) throw usageFault(`"${text}" is not an email address`);
}

function refuseManagedAccount({ managed_by }: Account): void {
  if (managed_by !== undefined)
    throw new Failure(
      `this account belongs to the Kubernetes resource ${managerName(managed_by)}: change that resource`,
    );
}
