/** A customer's account and its settings (spec 2.6, D12). */
import { z } from 'zod';

import { TTL_MAX_HOURS } from './address.ts';

export const AccountSettings = z.object({
  timezone: z.string().describe('IANA time zone name'),
  webhook_retry_attempts: z.int().min(0).max(6).describe('retries after a failed first attempt; cuts the schedule (D12)'),
  default_ttl_hours: z.int().min(1).max(TTL_MAX_HOURS).describe('life of an expiring address whose creation names none (D6)'),
  disable_failing_addresses: z.boolean().default(false).describe('whether an address that has only failed for too long is disabled, not only marked'),
});
export type AccountSettings = z.infer<typeof AccountSettings>;

export const defaultSettings: AccountSettings = { timezone: 'UTC', webhook_retry_attempts: 6, default_ttl_hours: 24, disable_failing_addresses: false };

export const Account = z.object({
  id: z.string(),
  email: z.string().describe('of the account owner'),
  name: z.string(),
  company: z.string().nullable(),
  plan: z.string(),
  created_at: z.date(),
  settings: AccountSettings,
});
export type Account = z.infer<typeof Account>;

export const DEFAULT_PLAN = 'free'; // D13
