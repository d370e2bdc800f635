/** The account and its settings (spec 2.6, 4.4, D12). */
import { z } from 'zod';

import type { Accounts } from '../../adapters/mongo/account/accounts.ts';
import { createAccountOperations } from '../../platform/account/account-operations.ts';
import type { Audit } from '../../platform/audit.ts';
import {
  type Account,
  accountChanges,
  AccountView,
  accountView,
  SETTINGS,
} from '../../core/account/account.ts';
import { hookRequest } from '../../core/hook/hook.ts';
import { refuseManaged } from '../../core/resource/managed-by.ts';
import { webhookUrl } from '../receiver/webhook-fields.ts';
import { refuseTest } from '../http/authentication.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { definedFields } from '../http/input/defined-fields.ts';
import { compiled } from '../http/input/expression-field.ts';
import { shapeOf } from '../../core/resource/field.ts';

const accountPatch = (allowedNetworks: readonly string[]) =>
  z.strictObject({
    ...accountChanges,
    settings: z
      .strictObject({
        ...shapeOf(SETTINGS, 'change'),
        rules: compiled(SETTINGS.rules.change),
        hook: compiled(hookRequest(webhookUrl(allowedNetworks)))
          .nullable()
          .optional()
          .describe(SETTINGS.hook.record.description ?? ''),
      })
      .optional()
      .describe('settings to change; the others keep their values'),
  });

export function accountEndpoints({
  accounts,
  audit,
  allowedNetworks,
}: {
  accounts: Accounts;
  audit: Audit;
  /** Networks that are not public, but that webhooks may reach. */
  allowedNetworks: readonly string[];
}): Endpoint[] {
  const operations = createAccountOperations({ accounts, audit });
  return [
    defineEndpoint({
      call: 'GET /account',
      operationId: 'getAccount',
      summary: 'Get the account of the token',
      permission: 'account:read',
      response: AccountView,
      handle: async ({ caller }) => accountView(existing(await accounts.find(caller.account_id))),
    }),
    defineEndpoint({
      call: 'PATCH /account',
      operationId: 'updateAccount',
      summary:
        'Change the name, company or settings; changed retry settings apply to deliveries ' +
        'within 30 seconds',
      permission: 'account:write',
      example: { request: { settings: { timezone: 'Europe/Berlin' } } },
      body: accountPatch(allowedNetworks),
      response: AccountView,
      handle: async ({ body: { settings, company, ...names }, ...cause }) => {
        refuseTest(cause.caller, 'change the account, which live email shares');
        const change = { ...names, ...(company !== undefined && { company: company ?? '' }) };
        const account = existing(await accounts.find(cause.caller.account_id));
        refuseManaged('account', account.managed_by);
        const requested = { ...definedFields(change), settings: definedFields(settings ?? {}) };
        return accountView(existing(await operations.change(cause, requested)));
      },
    }),
  ];
}

/** Accounts with tokens are never deleted, so a missing one is a fault. */
function existing(account: Account | undefined): Account {
  if (account === undefined) throw new Error('the account of a valid token does not exist');
  return account;
}
