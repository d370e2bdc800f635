/** The steps that turn an Account resource into an account. */
import { expect, test } from 'vitest';

import { type Account, defaultSettings } from '../../../services/core/account/account.ts';
import { NO_PLANS, PlanCatalogue } from '../../../services/core/billing/billing.ts';
import { type Quota, quotaSentence } from '../../../services/core/billing/quota.ts';
import { accountStep } from '../../../services/core/kube/account-resource.ts';
import type { AccountSpec } from '../../../services/core/kube/spec/account-spec.ts';

const NOW = new Date('2026-11-21T08:00:00Z');
const record = (fields: Partial<Account> = {}): Account => ({
  id: 'acc_1',
  email: 'a@b.example',
  name: 'Shop',
  company: '',
  plan: 'free',
  created_at: NOW,
  settings: defaultSettings,
  suspended_at: null,
  closed_at: null,
  ...fields,
});
const MANAGED = [{ id: 'member_1', subject: 'ann@example.com', role: 'admin' as const }];
const PLANS = PlanCatalogue.parse({
  currency: 'EUR',
  plans: {
    free: { base_cost: 0, emails_included: 1_000, over_quota: 'refuse' },
    pro: { base_cost: 900, emails_included: 50_000, over_quota: 'bill' },
  },
});
const used = (emails_used: number): Quota => ({
  plan: 'free',
  over_quota: 'refuse',
  emails_included: 1_000,
  emails_used,
  resets_at: NOW,
});
const step = (
  spec: Partial<AccountSpec>,
  found: Account | undefined = record(),
  quota?: Quota,
  plans = PLANS,
) =>
  accountStep({
    spec: { email: 'a@b.example', name: 'Shop', ...spec },
    record: found,
    members: spec.members?.some(({ subject }) => subject) ? MANAGED : [],
    plans,
    quota,
    allowedNetworks: [],
  });

test.each<[what: string, got: ReturnType<typeof step>, expected: object]>([
  [
    'an account that agrees with its resource',
    step({}),
    { kind: 'settled', verdict: { status: 'True', reason: 'Ready' } },
  ],
  [
    'another name',
    step({ name: 'New' }),
    { kind: 'change', change: { name: 'New', settings: {} } },
  ],
  [
    'a removed company',
    step({}, record({ company: 'Ltd' })),
    { kind: 'change', change: { company: '', settings: {} } },
  ],
  [
    'a setting',
    step({ settings: { webhookRetryAttempts: 2 } }),
    { kind: 'change', change: { settings: { webhook_retry_attempts: 2 } } },
  ],
  [
    'a removed setting',
    step({}, record({ settings: { ...defaultSettings, default_ttl_hours: 5 } })),
    { kind: 'change', change: { settings: { default_ttl_hours: 24 } } },
  ],
  [
    'L.2: groups',
    step({ members: [{ group: 'platform', role: 'admin' }] }),
    {
      kind: 'change',
      change: { member_groups: [{ group: 'platform', role: 'admin' }], settings: {} },
    },
  ],
  [
    'L.2: groups that are no longer listed',
    step({}, record({ member_groups: [{ group: 'platform', role: 'admin' }] })),
    { kind: 'change', change: { member_groups: [] } },
  ],
  [
    'L.2: people: another role, a new one, and one who is no longer listed',
    step({
      members: [
        { subject: 'bob', role: 'viewer' },
        { subject: 'bob', role: 'owner' },
      ],
    }),
    { kind: 'members', put: [{ subject: 'bob', role: 'owner' }], dismissed: ['member_1'] },
  ],
  [
    'L.2: people as they are listed',
    step({ members: [{ subject: 'ann@example.com', role: 'admin' }] }),
    { kind: 'settled', verdict: { reason: 'Ready' } },
  ],
  [
    'retention and redaction',
    step({ settings: { retentionHours: 0, redact: ['from'] } }),
    { kind: 'change', change: { settings: { retention_hours: 0, redact: ['from'] } } },
  ],
  [
    'a list that agrees with the record',
    step(
      { settings: { redact: ['from'] } },
      record({ settings: { ...defaultSettings, redact: ['from'] } }),
    ),
    { kind: 'settled', verdict: { status: 'True', reason: 'Ready' } },
  ],
  [
    'an unknown time zone',
    step({ settings: { timezone: 'Mars/Base' } }),
    { kind: 'settled', verdict: { status: 'False', reason: 'InvalidTimezone' } },
  ],
  [
    'an unknown plan',
    step({ plan: 'gold' }),
    { kind: 'settled', verdict: { status: 'False', reason: 'UnknownPlan' } },
  ],
  ['another plan', step({ plan: 'pro' }), { kind: 'plan', plan: 'pro' }],
  [
    'a spec without a plan does not change the plan',
    step({}, record({ plan: 'pro' })),
    { kind: 'settled', verdict: { reason: 'Ready' } },
  ],
  ['suspended', step({ suspended: true }), { kind: 'suspend' }],
  ['not suspended', step({ suspended: false }, record({ suspended_at: NOW })), { kind: 'resume' }],
  [
    'a spec without suspension does not change a suspension by the platform',
    step({}, record({ suspended_at: NOW })),
    { kind: 'settled', verdict: { status: 'True', reason: 'Suspended' } },
  ],
  [
    'D294: without a catalogue, every plan is a name',
    step({ plan: 'gold' }, record(), undefined, NO_PLANS),
    { kind: 'plan', plan: 'gold' },
  ],
  [
    'the plan soon refuses email',
    step({}, record(), used(800)),
    {
      kind: 'settled',
      verdict: { status: 'True', reason: 'QuotaNear', message: quotaSentence(used(800)) },
    },
  ],
  [
    'the plan refuses email',
    step({}, record(), used(1_000)),
    {
      kind: 'settled',
      verdict: { status: 'True', reason: 'QuotaSpent', message: quotaSentence(used(1_000)) },
    },
  ],
  [
    'a suspended account whose plan is used up',
    step({}, record({ suspended_at: NOW }), used(1_000)),
    { kind: 'settled', verdict: { reason: 'Suspended' } },
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
      members: [],
      plans: PLANS,
      quota: undefined,
      allowedNetworks: [],
    }),
  ).toEqual({
    kind: 'create',
    fields: {
      email: 'a@b.example',
      name: 'Shop',
      company: '',
      plan: 'pro',
      settings: { ...defaultSettings, timezone: 'Asia/Kolkata' },
    },
  });
});
