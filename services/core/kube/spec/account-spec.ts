/** The schema of an Account resource. */
import { z } from 'zod';

import { SETTINGS } from '../../account/account.ts';
import { Role } from '../../member/role.ts';
import { MEMBER_GROUPS_MAX } from '../../member/sign-in-role.ts';
import { specShape } from '../../resource/spec.ts';
import { HookSpec } from './hook-spec.ts';
import { commonStatus, rules } from './spec-fields.ts';
import { optional } from '../../resource/described.ts';

const NAME_MAX_CHARS = 100;
/** The longest `sub` claim (OpenID Connect Core 1.0 §2). */
const SUBJECT_MAX_CHARS = 255;

const MemberSpec = z
  .object({
    role: Role.describe('what the person may do: see docs/people.md'),
    subject: optional(
      z.string().min(1).max(SUBJECT_MAX_CHARS),
      'a user of the OpenID provider: the claim sub, or a verified email address',
    ),
    group: optional(
      z.string().min(1).max(SUBJECT_MAX_CHARS),
      'a group of the OpenID provider, whose users are members with this role',
    ),
  })
  .meta(
    rules({
      rule: 'has(self.subject) != has(self.group)',
      message: 'a member has either a subject or a group',
    }),
  );
type MemberSpec = z.infer<typeof MemberSpec>;

export const AccountSpec = z.object({
  email: z
    .string()
    .max(254)
    .meta({ format: 'email', description: 'email address of the account owner' }),
  name: z.string().min(1).max(NAME_MAX_CHARS).describe('name of the account owner'),
  company: z.string().max(NAME_MAX_CHARS).optional().describe('company of the account owner'),
  plan: optional(
    z.string().min(1).max(NAME_MAX_CHARS),
    'a plan of `PLANS`, or any name without that setting; when absent, the operator does not change the plan',
  ),
  settings: z
    .object({
      ...specShape(SETTINGS),
      hook: HookSpec.optional().describe(SETTINGS.hook.record.description ?? ''),
    })
    .optional()
    .describe('account settings, as in the API; an absent setting has its default value'),
  members: optional(
    z.array(MemberSpec).max(MEMBER_GROUPS_MAX),
    'people who sign in through the OpenID provider, in addition to those who are invited; for a ' +
      'user of several groups the first role of owner, admin, developer, viewer, billing counts',
  ),
  suspended: optional(
    z.boolean(),
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
