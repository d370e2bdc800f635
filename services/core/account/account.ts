/** A customer's account and its settings (spec 2.6, D12). */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../api-reference.ts';
import { TTL_MAX_HOURS } from '../address/address.ts';
import { Hook } from '../address/hook.ts';
import { Rules } from '../address/rule.ts';
import { Redact, RetentionHours } from '../delivery/retention.ts';
import { ManagedBy } from '../managed-by.ts';
import { Timestamp, timestamp } from '../timestamp.ts';
import { GroupRole } from './sign-in-role.ts';

export const AccountSettings = z.object({
  timezone: z.string().describe('IANA time zone name'),
  webhook_retry_attempts: z
    .int()
    .min(0)
    .max(6)
    .describe(
      'number of retries after a failed first attempt; a lower number shortens the schedule',
    ),
  default_ttl_hours: z
    .int()
    .min(1)
    .max(TTL_MAX_HOURS)
    .describe('hours until an address expires that is created without ttl_hours and not permanent'),
  disable_failing_addresses: z
    .boolean()
    .default(false)
    .describe(
      'whether Inlet disables an address whose receiver has accepted nothing for too long; ' +
        'otherwise it only marks it as failing',
    ),
  retention_hours: RetentionHours.default(null).describe(
    'hours after its delivery that the content of an email is stored, unless its address says ' +
      'otherwise; 0: it is removed when delivered; null: as long as this installation stores it',
  ),
  redact: Redact.default([]).describe(
    'fields that records and events of new emails do not contain, unless their address says ' +
      'otherwise',
  ),
  refuse_infected: z
    .boolean()
    .default(false)
    .describe(
      'whether email that contains malware is refused with 550 5.7.1 after DATA, unless another ' +
        'recipient accepts it: then it is held; an address can say otherwise; a change applies ' +
        'within 30 seconds',
    ),
  search_bodies: z
    .boolean()
    .default(false)
    .describe(
      'whether new emails can be found by the words of their text, where the installation allows it ' +
        '(SEARCH_BODIES); not those of addresses with `redact`; a change applies within 30 seconds',
    ),
  record_views: z
    .boolean()
    .default(false)
    .describe(
      'whether an event email.viewed says who read which part of an email, and how: see ' +
        'docs/retention.md',
    ),
  rules: Rules.default([]).describe(
    'evaluated in their order on the email of all addresses, before their own: see docs/rules.md; ' +
      'a change applies within 30 seconds',
  ),
  hook: Hook.nullable()
    .default(null)
    .describe(
      'asked about the email of each address without a hook of its own, before the reply to its ' +
        'sender: see docs/deciding-hooks.md; null: none',
    ),
});
export type AccountSettings = z.infer<typeof AccountSettings>;
describeSchema(AccountSettings, 'AccountSettings');

export const defaultSettings: AccountSettings = {
  timezone: 'UTC',
  webhook_retry_attempts: 6,
  default_ttl_hours: 24,
  disable_failing_addresses: false,
  retention_hours: null,
  redact: [],
  refuse_infected: false,
  search_bodies: false,
  record_views: false,
  rules: [],
  hook: null,
};

export const Account = z.object({
  id: z.string(),
  email: z.string().describe('of the account owner'),
  name: z.string(),
  company: z.string().describe('empty when there is none'),
  plan: z.string(),
  created_at: z.date(),
  settings: AccountSettings,
  suspended_at: z
    .date()
    .nullable()
    .default(null)
    .describe('set while the operators of the platform have suspended the account'),
  closed_at: z
    .date()
    .nullable()
    .default(null)
    .describe('set when the account was closed; it then stays suspended'),
  member_groups: z
    .array(GroupRole)
    .optional()
    .describe('groups at the OpenID provider whose users are members, from the Account resource'),
  managed_by: ManagedBy.optional().describe('absent for an account created with the admin command'),
});
export type Account = z.infer<typeof Account>;

/** Account object of spec 2.6. */
export const AccountView = Account.omit({
  suspended_at: true,
  closed_at: true,
  member_groups: true,
  managed_by: true,
}).extend({
  created_at: Timestamp,
});
export type AccountView = z.infer<typeof AccountView>;
describeSchema(AccountView, 'Account', {
  id: EXAMPLE.account_id,
  email: 'owner@example.com',
  name: 'Example Shop',
  company: 'Example Ltd',
  plan: 'pro',
  created_at: EXAMPLE.created_at,
  settings: {
    timezone: 'Europe/Berlin',
    webhook_retry_attempts: 6,
    default_ttl_hours: 24,
    disable_failing_addresses: false,
    retention_hours: 24,
    redact: ['subject'],
    refuse_infected: true,
    search_bodies: true,
    record_views: true,
    rules: [],
    hook: null,
  },
});

export const accountView = ({
  id,
  email,
  name,
  company,
  plan,
  created_at,
  settings,
}: Account): AccountView => ({
  id,
  email,
  name,
  company,
  plan,
  created_at: timestamp(created_at),
  settings,
});

/** The fields that can change (D12); PATCH never changes the email address. */
export type AccountChange = Partial<
  Pick<Account, 'email' | 'name' | 'company' | 'member_groups'>
> & {
  settings?: Partial<AccountSettings>;
};

/** Whether this names a time zone of the IANA database; offsets such as +01:00 do not. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

export const DEFAULT_PLAN = 'free'; // D13
