/** A customer's account and its settings (spec 2.6, D12). */
import { z } from 'zod';

import { TTL_MAX_HOURS } from './address.ts';
import { ManagedBy } from './managed-by.ts';
import { Timestamp, timestamp } from '../timestamp.ts';

export const AccountSettings = z.object({
  timezone: z.string().describe('IANA time zone name'),
  webhook_retry_attempts: z
    .int()
    .min(0)
    .max(6)
    .describe('retries after a failed first attempt; cuts the schedule (D12)'),
  default_ttl_hours: z
    .int()
    .min(1)
    .max(TTL_MAX_HOURS)
    .describe('life of an expiring address whose creation names none (D6)'),
  disable_failing_addresses: z
    .boolean()
    .default(false)
    .describe('whether an address that has only failed for too long is disabled, not only marked'),
});
export type AccountSettings = z.infer<typeof AccountSettings>;

export const defaultSettings: AccountSettings = {
  timezone: 'UTC',
  webhook_retry_attempts: 6,
  default_ttl_hours: 24,
  disable_failing_addresses: false,
};

export const Account = z.object({
  id: z.string(),
  email: z.string().describe('of the account owner'),
  name: z.string(),
  company: z.string().nullable(),
  plan: z.string(),
  created_at: z.date(),
  settings: AccountSettings,
  suspended_at: z
    .date()
    .nullable()
    .default(null)
    .describe('set while those who run the platform keep the account from being used'),
  managed_by: ManagedBy.optional().describe('absent for what was made from a shell'),
});
export type Account = z.infer<typeof Account>;

/** Account object of spec 2.6. */
export const AccountView = Account.omit({ suspended_at: true, managed_by: true }).extend({
  created_at: Timestamp,
});
export type AccountView = z.infer<typeof AccountView>;

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

/** What may change (D12); PATCH leaves the email address alone. */
export type AccountChange = Partial<Pick<Account, 'email' | 'name' | 'company'>> & {
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
