/** The schema of an Account resource. */
import { z } from 'zod';

import { AccountSettings } from '../../account/account.ts';
import { HookSpec } from './hook-spec.ts';
import { commonStatus, settingsOf } from './spec-fields.ts';

const NAME_MAX_CHARS = 100;

export const AccountSpec = z.object({
  email: z
    .string()
    .max(254)
    .meta({ format: 'email', description: 'email address of the account owner' }),
  name: z.string().min(1).max(NAME_MAX_CHARS).describe('name of the account owner'),
  company: z.string().max(NAME_MAX_CHARS).optional().describe('company of the account owner'),
  plan: z
    .string()
    .min(1)
    .max(NAME_MAX_CHARS)
    .optional()
    .describe('a plan of the plan catalogue; when absent, the operator does not change the plan'),
  settings: settingsOf(AccountSettings)
    .extend({ hook: HookSpec.optional().describe(AccountSettings.shape.hook.description ?? '') })
    .optional()
    .describe('account settings, as in the API; an absent setting has its default value'),
  suspended: z
    .boolean()
    .optional()
    .describe(
      'true suspends the account: the API refuses requests, and mail gets a temporary error; ' +
        'false resumes it; when absent, the operator does not change it',
    ),
});
export type AccountSpec = z.infer<typeof AccountSpec>;

export const AccountStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('id of the account in the API'),
  plan: z.string().optional().describe('the plan of the account'),
});
export type AccountStatus = z.infer<typeof AccountStatus>;
