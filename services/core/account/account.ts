/** A customer's account and its settings (spec 2.6, D12). */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { TTL_MAX_HOURS } from '../address/address.ts';
import { Hook } from '../hook/hook.ts';
import { Rules, RulesRequest } from '../rule/rule.ts';
import { Redact, RetentionHours } from '../address/content-settings.ts';
import { ManagedBy } from '../resource/managed-by.ts';
import { CREATED_AT } from '../resource/field-kinds.ts';
import { type Fields, shapeOf } from '../resource/field.ts';
import { withDefaults } from '../resource/record.ts';
import { textField } from '../resource/text-field.ts';
import { shownFields, viewOfFields } from '../resource/view.ts';
import { GroupRole } from '../member/sign-in-role.ts';

/** Only a name, unless the setting `PLANS` has this plan (D13, D294). */
export const DEFAULT_PLAN = 'free';

const accountSetting = <S extends z.ZodType>(value: S, initial: z.output<S>, about: string) => {
  const described = value.describe(about);
  const optional = described.optional();
  return { record: described, change: optional, spec: optional, default: initial };
};

/** A setting that records of earlier releases do not have. */
const laterAccountSetting = <S extends z.ZodType>(
  value: S,
  initial: z.util.NoUndefined<z.output<S>>,
  about: string,
) => ({ ...accountSetting(value, initial, about), record: value.default(initial).describe(about) });

const TIME_ZONE = 'IANA time zone name';
const RETENTION =
  'hours after its delivery that the content of an email is stored, unless its address says ' +
  'otherwise; 0: it is removed when delivered; null: as long as this installation stores it';
const RULES =
  'evaluated in their order on the email of all addresses, before their own: see docs/rules.md; ' +
  'a change applies within 30 seconds';

export const SETTINGS = {
  timezone: {
    ...accountSetting(z.string(), 'UTC', TIME_ZONE),
    change: z
      .string()
      .refine(isTimeZone, 'must be a time zone, such as Europe/Berlin')
      .meta({ format: 'time-zone', description: TIME_ZONE })
      .optional(),
  },
  webhook_retry_attempts: accountSetting(
    z.int().min(0).max(6),
    6,
    'number of retries after a failed first attempt; a lower number shortens the schedule',
  ),
  default_ttl_hours: accountSetting(
    z.int().min(1).max(TTL_MAX_HOURS),
    24,
    'hours until an address expires that is created without ttl_hours and not permanent',
  ),
  disable_failing_addresses: laterAccountSetting(
    z.boolean(),
    false,
    'whether Inlet disables an address whose receiver has accepted nothing for too long; ' +
      'otherwise it only marks it as failing',
  ),
  retention_hours: {
    ...laterAccountSetting(RetentionHours, null, RETENTION),
    spec: RetentionHours.unwrap().optional().describe(RETENTION),
  },
  redact: laterAccountSetting(
    Redact,
    [],
    'fields that records and events of new emails do not contain, unless their address says ' +
      'otherwise',
  ),
  refuse_infected: laterAccountSetting(
    z.boolean(),
    false,
    'whether email that contains malware is refused with 550 5.7.1 after DATA, unless another ' +
      'recipient accepts it: then it is held; an address can say otherwise; a change applies ' +
      'within 30 seconds',
  ),
  search_bodies: laterAccountSetting(
    z.boolean(),
    false,
    'whether new emails can be found by the words of their text, where the installation allows it ' +
      '(SEARCH_BODIES); not those of addresses with `redact`; a change applies within 30 seconds',
  ),
  record_views: laterAccountSetting(
    z.boolean(),
    false,
    'whether an event email.viewed says who read which part of an email, and how: see ' +
      'docs/retention.md',
  ),
  rules: {
    ...laterAccountSetting(Rules, [], RULES),
    change: RulesRequest.optional().describe(RULES),
  },
  /** Requests and specs check its URL by settings of the installation. */
  hook: laterAccountSetting(
    Hook.nullable(),
    null,
    'asked about the email of each address without a hook of its own, before the reply to its ' +
      'sender: see docs/deciding-hooks.md; null: none',
  ),
} as const satisfies Fields;

export const AccountSettings = z.object(shapeOf(SETTINGS, 'record'));
export type AccountSettings = z.infer<typeof AccountSettings>;
describeSchema(AccountSettings, 'AccountSettings');

export const defaultSettings: AccountSettings = withDefaults(SETTINGS, {});

const NAME_MAX_CHARS = 100;
const EMAIL = z.string().describe('of the account owner');
const COMPANY = z.string().describe('empty when there is none');

const fields = {
  email: { record: EMAIL, view: EMAIL, example: 'owner@example.com' },
  name: {
    record: z.string(),
    view: z.string(),
    change: textField({ minChars: 1, maxChars: NAME_MAX_CHARS }).optional(),
    example: 'Example Shop',
  },
  company: {
    record: COMPANY,
    view: COMPANY,
    change: textField({ maxChars: NAME_MAX_CHARS })
      .nullable()
      .optional()
      .describe('empty or null: no company'),
    default: '',
    example: 'Example Ltd',
  },
  plan: { record: z.string(), view: z.string(), default: DEFAULT_PLAN, example: 'pro' },
  created_at: CREATED_AT,
  settings: {
    record: AccountSettings,
    view: AccountSettings,
    example: {
      ...defaultSettings,
      timezone: 'Europe/Berlin',
      retention_hours: 24,
      redact: ['subject'],
      refuse_infected: true,
      search_bodies: true,
      record_views: true,
    },
  },
  suspended_at: {
    record: z
      .date()
      .nullable()
      .default(null)
      .describe('set while the operators of the platform have suspended the account'),
    default: null,
  },
  closed_at: {
    record: z
      .date()
      .nullable()
      .default(null)
      .describe('set when the account was closed; it then stays suspended'),
    default: null,
  },
  member_groups: {
    record: z
      .array(GroupRole)
      .optional()
      .describe('groups at the OpenID provider whose users are members, from the Account resource'),
  },
  managed_by: {
    record: ManagedBy.optional().describe('absent for an account created with the admin command'),
  },
} as const satisfies Fields;

export const Account = z.object({ id: z.string(), ...shapeOf(fields, 'record') });
export type Account = z.infer<typeof Account>;

export type NewAccount = Pick<Account, 'email' | 'name'> &
  Partial<Pick<Account, 'company' | 'plan' | 'managed_by'>> & {
    settings?: Partial<AccountSettings>;
  };

export const newAccount = (requested: NewAccount, id: string, created_at: Date): Account => ({
  id,
  ...withDefaults(fields, {
    ...requested,
    created_at,
    settings: { ...defaultSettings, ...requested.settings },
  }),
});

/** Account object of spec 2.6. */
export const AccountView = viewOfFields('Account', EXAMPLE.account_id, fields);
export const accountView = (account: Account) => ({
  id: account.id,
  ...shownFields(fields, account),
});

/** The body of a change, apart from settings that need those of the installation. */
export const accountChanges = shapeOf(fields, 'change');

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
