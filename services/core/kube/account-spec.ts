/** The schema of an Account resource. */
import { z } from 'zod';

import { AccountSettings } from '../account/account.ts';
import { commonStatus, settingsOf } from './spec-fields.ts';

const NAME_MAX_CHARS = 100;

export const AccountSpec = z.object({
  email: z.string().max(254).meta({ format: 'email', description: 'of the account owner' }),
  name: z.string().min(1).max(NAME_MAX_CHARS).describe('of the account owner'),
  company: z.string().max(NAME_MAX_CHARS).optional().describe('of the account owner'),
  plan: z
    .string()
    .min(1)
    .max(NAME_MAX_CHARS)
    .optional()
    .describe('one of the plan catalogue; left alone when absent'),
  settings: settingsOf(AccountSettings)
    .optional()
    .describe('as in the API; what is not given keeps its default'),
  suspended: z
    .boolean()
    .optional()
    .describe('true refuses requests and puts off mail, false ends that; left alone when absent'),
});
export type AccountSpec = z.infer<typeof AccountSpec>;

export const AccountStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('as the API shows it'),
});
export type AccountStatus = z.infer<typeof AccountStatus>;
