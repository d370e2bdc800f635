/**
 * The subscriptions of accounts (spec 2.4, D13). An account without subscription fields has been
 * active on its plan since its creation.
 */
import type { Db } from 'mongodb';

import { defaultSettings } from '../../../core/account/account.ts';
import type { Subscription, SubscriptionStatus } from '../../../core/billing/billing.ts';
import { ACCOUNTS, type StoredAccount } from '../documents/account-documents.ts';

/** The fields of an account that billing and usage need. */
export type Subscriber = {
  account_id: string;
  email: string;
  name: string;
  company: string;
  timezone: string;
  subscription: Subscription;
};

export type Subscriptions = {
  find(accountId: string): Promise<Subscriber | undefined>;
  /** All accounts in order of their ids. */
  all(): AsyncIterable<Subscriber>;
};

type StoredSubscriber = StoredAccount & {
  former_plans?: { plan: string; until: Date }[];
  subscription?: { status?: SubscriptionStatus; anchor?: Date; trial_end?: Date | null };
};

export function createSubscriptions(db: Db): Subscriptions {
  const accounts = db.collection<StoredSubscriber>(ACCOUNTS);
  const projection = {
    email: 1,
    name: 1,
    company: 1,
    plan: 1,
    created_at: 1,
    subscription: 1,
    former_plans: 1,
    'settings.timezone': 1,
  };
  return {
    find: async function findSubscriber(accountId) {
      const stored = await accounts.findOne({ _id: accountId }, { projection });
      return stored === null ? undefined : subscriberOf(stored);
    },
    all: async function* allSubscribers() {
      for await (const stored of accounts.find({}, { projection, hint: '_id_', sort: { _id: 1 } }))
        yield subscriberOf(stored);
    },
  };
}

function subscriberOf({
  _id: account_id,
  email,
  name,
  company,
  plan,
  created_at,
  settings,
  subscription,
  former_plans = [],
}: StoredSubscriber): Subscriber {
  const { status = 'active', anchor = created_at, trial_end = null } = subscription ?? {};
  return {
    account_id,
    email,
    name,
    company: company ?? '',
    timezone: { ...defaultSettings, ...settings }.timezone,
    subscription: { plan, status, anchor, trial_end, former_plans },
  };
}
