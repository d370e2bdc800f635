/** Plans that refuse mail over quota (D13, D21), at RCPT. */
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { createCountUsage } from '../../../services/adapters/mongo/usage/counters.ts';
import { createSubscriptions } from '../../../services/adapters/mongo/billing/subscriptions.ts';
import { createQuotaLookup } from '../../../services/platform/account/quotas.ts';
import { readPlans } from '../../../services/platform/settings/plans.ts';
import { PlanCatalogue } from '../../../services/core/billing/billing.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { play } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';

const PLANS = PlanCatalogue.parse({
  currency: 'EUR',
  plans: {
    free: { base_cost: 0, emails_included: 3, over_quota: 'refuse' },
    pro: { base_cost: 1, emails_included: 3, over_quota: 'bill' },
  },
});

const pipeline = await useInFile(
  startPipeline({ withDispatcher: false, env: { PLANS: JSON.stringify(PLANS) } }),
);

const rcpt = async (address: string, port = pipeline.smtpPort) =>
  (
    await play(port, [
      ['EHLO mx.sender.example', '250'],
      ['MAIL FROM:<ann@sender.example>', '250'],
      [`RCPT TO:<${address}>`, ''],
    ])
  ).at(-1);

type Fields = { plan?: string; at?: Date; environment?: 'live' | 'test'; anchor?: Date };

async function anAccount(
  received: number,
  { plan = 'free', at = new Date(), environment = 'live', anchor = new Date() }: Fields = {},
) {
  const { db } = pipeline.mongo;
  const { id: account_id } = await createAccounts(db).create({ email: 'a@example.com', name: 'A' });
  await db
    .collection<{ _id: string }>('accounts')
    .updateOne({ _id: account_id }, { $set: { plan, subscription: { anchor } } });
  const [live, test_] = [
    await pipeline.address('/', { account_id }),
    await pipeline.address('/', { account_id, environment: 'test' }),
  ];
  await createDeliveries(db).record(
    Array.from({ length: received }, () =>
      changeTo('delivered', mailEvent(environment === 'live' ? live : test_, at)),
    ),
    at,
  );
  return { account_id, live: live.address, test: test_.address };
}

test('checklist 16, D21: an email above the quota gets 452 4.2.2, a test email does not', async () => {
  const account = await anAccount(3);
  expect(await rcpt(account.live)).toBe('452 4.2.2 Mailbox is over its quota, try again later');
  expect(await rcpt(account.test)).toBe('250 2.1.5 Accepted');
});

test('D13: below the quota, if the plan bills, in a new period, or for test emails: accepted', async () => {
  const anchor = new Date(Date.now() - 86_400_000);
  const accounts = [
    await anAccount(2),
    await anAccount(9, { plan: 'pro' }),
    await anAccount(9, { anchor, at: new Date(anchor.getTime() - 3_600_000) }),
    await anAccount(9, { environment: 'test' }),
    await anAccount(9, { plan: 'gone' }),
  ];
  for (const { live } of accounts) expect(await rcpt(live)).toBe('250 2.1.5 Accepted');
});

test('D294: without PLANS, no account has a limit, whatever its plan is called', async () => {
  const { db } = pipeline.mongo;
  const { account_id } = await anAccount(1_001);
  const plans = await readPlans({});
  const lookup = createQuotaLookup(
    createSubscriptions(db),
    createCountUsage(db),
    plans,
    () => new Date(),
  );
  expect(await lookup(account_id)).toEqual({ isSpent: false });
});

test('D13: after a new period or another plan, emails are accepted again', async () => {
  const { account_id } = await anAccount(3);
  const next = new Date(Date.now() + 32 * 86_400_000);
  const { db } = pipeline.mongo;
  const quotaAt = (now: Date) =>
    createQuotaLookup(createSubscriptions(db), createCountUsage(db), PLANS, () => now)(account_id);
  expect(await quotaAt(new Date())).toEqual({
    isSpent: true,
  });
  expect(await quotaAt(next)).toEqual({ isSpent: false });
  await createAccounts(db).setPlan(account_id, 'pro');
  expect(await quotaAt(new Date())).toEqual({
    isSpent: false,
  });
});
