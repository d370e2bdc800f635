/** The steps that turn an AccountNotification resource into a notification, and its events. */
import { expect, test } from 'vitest';

import type { Notification } from '../../../services/core/notification/notification.ts';
import { eventOf, notReady, ready } from '../../../services/core/kube/condition.ts';
import {
  type NotificationFacts,
  notificationStep,
} from '../../../services/core/kube/notification-resource.ts';
import { AccountNotificationSpec } from '../../../services/core/kube/spec/notification-spec.ts';

const URL = 'https://hooks.example.com/events';
const NOW = new Date('2026-11-22T12:00:00Z');

const record = (fields: Partial<Notification> = {}): Notification => ({
  id: 'ntf_1',
  account_id: 'acc_1',
  environment: 'live',
  url: URL,
  types: null,
  description: null,
  is_enabled: true,
  secret_generation: 1,
  webhook_secret: 'whsec_x',
  created_at: NOW,
  updated_at: NOW,
  ...fields,
});
const facts = ({
  spec = {},
  ...given
}: Omit<Partial<NotificationFacts>, 'spec'> & { spec?: object } = {}): NotificationFacts => ({
  spec: AccountNotificationSpec.parse({ accountRef: { name: 'shop' }, url: URL, ...spec }),
  accountId: 'acc_1',
  record: record(),
  allowedNetworks: [],
  ...given,
});
const settled = (reason: string) => ({ kind: 'settled', verdict: { reason } });

test.each<[what: string, facts: NotificationFacts, expected: object]>([
  ['one that agrees with its resource', facts(), settled('Ready')],
  ['no account', facts({ accountId: undefined }), settled('AccountNotReady')],
  [
    'a URL that is not public',
    facts({ spec: { url: 'https://10.0.0.1/' } }),
    settled('InvalidWebhookUrl'),
  ],
  [
    'none yet',
    facts({ record: undefined, spec: { types: ['quota.near'], secretGeneration: 3 } }),
    {
      kind: 'create',
      requested: { url: URL, types: ['quota.near'], is_enabled: true, secret_generation: 3 },
    },
  ],
  ['one of another account', facts({ accountId: 'acc_2' }), settled('NotOurs')],
  ['one of another environment', facts({ spec: { environment: 'test' } }), settled('NotOurs')],
  [
    'other fields',
    facts({ spec: { types: ['quota.near'], description: 'pager' } }),
    { kind: 'change', change: { types: ['quota.near'], description: 'pager' } },
  ],
  [
    'fewer fields',
    facts({ record: record({ types: ['quota.near'], is_enabled: false }) }),
    { kind: 'change', change: { types: null, is_enabled: true } },
  ],
  [
    'a disabled one',
    facts({ spec: { enabled: false }, record: record({ is_enabled: false }) }),
    settled('Disabled'),
  ],
  [
    'a higher generation of the secret',
    facts({ spec: { secretGeneration: 2 } }),
    { kind: 'rotate', generation: 2 },
  ],
])('%s', (_, given, expected) => {
  expect(notificationStep(given)).toMatchObject(expected);
});

test.each([
  ['a failing receiver is a warning', 'Ready', ready('Failing', 'm'), true, 'Failing'],
  ['a plan that refuses email is', 'Ready', ready('QuotaSpent', 'm'), true, 'QuotaSpent'],
  ['a recovered receiver is not', 'Failing', ready('Ready', 'm'), false, 'Recovered'],
  ['a resource that is not ready is a warning', 'Ready', notReady('Lost', 'm'), true, 'Lost'],
  ['a new resource is not', undefined, ready('Ready', 'm'), false, 'Ready'],
])('a Kubernetes event: %s', (_, before, verdict, isWarning, reason) => {
  expect(eventOf(before, verdict)).toMatchObject({ isWarning, reason });
});
