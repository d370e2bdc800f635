/** What an Account resource asks for, step by step. */
import { expect, test } from 'vitest';

import { type Account, defaultSettings } from '../../../services/core/account/account.ts';
import { accountStep } from '../../../services/core/kube/account-resource.ts';
import type { AccountSpec } from '../../../services/core/kube/account-spec.ts';

const NOW = new Date('2026-11-21T08:00:00Z');
const record = (fields: Partial<Account> = {}): Account => ({
  id: 'acc_1',
  email: 'a@b.example',
  name: 'Shop',
  company: null,
  plan: 'free',
  created_at: NOW,
  settings: defaultSettings,
  suspended_at: null,
  ...fields,
});
const step = (spec: Partial<AccountSpec>, found: Account | undefined = record()) =>
  accountStep({
    spec: { email: 'a@b.example', name: 'Shop', ...spec },
    record: found,
    plans: ['free', 'pro'],
  });

test.each<[what: string, got: ReturnType<typeof step>, expected: object]>([
  [
    'an account as it should be',
    step({}),
    { kind: 'settled', verdict: { status: 'True', reason: 'Ready' } },
  ],
  [
    'another name',
    step({ name: 'New' }),
    { kind: 'change', change: { name: 'New', settings: {} } },
  ],
  [
    'a company no more',
    step({}, record({ company: 'Ltd' })),
    { kind: 'change', change: { company: null, settings: {} } },
  ],
  [
    'a setting',
    step({ settings: { webhookRetryAttempts: 2 } }),
    { kind: 'change', change: { settings: { webhook_retry_attempts: 2 } } },
  ],
  [
    'a setting no more',
    step({}, record({ settings: { ...defaultSettings, default_ttl_hours: 5 } })),
    { kind: 'change', change: { settings: { default_ttl_hours: 24 } } },
  ],
  [
    'a time zone that there is not',
    step({ settings: { timezone: 'Mars/Base' } }),
    { kind: 'settled', verdict: { status: 'False', reason: 'InvalidTimezone' } },
  ],
  [
    'a plan that there is not',
    step({ plan: 'gold' }),
    { kind: 'settled', verdict: { status: 'False', reason: 'UnknownPlan' } },
  ],
  ['another plan', step({ plan: 'pro' }), { kind: 'plan', plan: 'pro' }],
  [
    'no word of a plan leaves it alone',
    step({}, record({ plan: 'pro' })),
    { kind: 'settled', verdict: { reason: 'Ready' } },
  ],
  ['suspended', step({ suspended: true }), { kind: 'suspend' }],
  ['not suspended', step({ suspended: false }, record({ suspended_at: NOW })), { kind: 'resume' }],
  [
    'no word of suspension leaves that of the platform alone',
    step({}, record({ suspended_at: NOW })),
    { kind: 'settled', verdict: { status: 'True', reason: 'Suspended' } },
  ],
])('%s', (_, got, expected) => {
  expect(got).toMatchObject(expected);
});

test('no account yet', () => {
  expect(
    accountStep({
      spec: {
        email: 'a@b.example',
        name: 'Shop',
        plan: 'pro',
        settings: { timezone: 'Asia/Kolkata' },
      },
      record: undefined,
      plans: ['pro'],
    }),
  ).toEqual({
    kind: 'create',
    fields: {
      email: 'a@b.example',
      name: 'Shop',
      company: null,
      plan: 'pro',
      settings: { ...defaultSettings, timezone: 'Asia/Kolkata' },
    },
  });
});
