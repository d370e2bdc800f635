/**
 * Closes billing periods that have ended. Every API process runs this job; a unique index lets only
 * one of them insert the invoice.
 */
import { randomBytes } from 'node:crypto';

import type { CountUsage } from '../../adapters/mongo/usage/counters.ts';
import type { Invoices } from '../../adapters/mongo/billing/invoices.ts';
import type { Subscriber, Subscriptions } from '../../adapters/mongo/billing/subscriptions.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import type { PlanCatalogue } from '../../core/billing/billing.ts';
import { planParts } from '../../core/billing/plan-parts.ts';
import { type Invoice, newInvoice } from '../../core/billing/invoice.ts';
import { type Period, periodAt, quarterOf } from '../../core/billing/period.ts';
import { ID_RANDOM_BYTES, newId } from '../../core/id/ids.ts';

type InvoiceSweepDependencies = {
  subscriptions: Pick<Subscriptions, 'all'>;
  invoices: Pick<Invoices, 'closedUntil' | 'insert'>;
  countUsage: CountUsage;
  plans: PlanCatalogue;
};

const EVERY_MS = 900_000;
/**
 * An email is counted when its first attempt is recorded. Emails from the end of a period get this
 * long.
 */
const SETTLING_MS = 3_600_000;

export const startInvoiceSweep = (
  { startSweep, ...dependencies }: InvoiceSweepDependencies & { startSweep: StartSweep },
  log: Log,
): AsyncDisposable =>
  startSweep('invoices', EVERY_MS, async (now) => {
    for (const { id, account_id, total, currency } of await closePeriods(
      dependencies,
      new Date(now.getTime() - SETTLING_MS),
      now,
    )) {
      log.info('invoice.created', { invoice_id: id, account_id, total, currency });
    }
  });

/** Closes every open period that ended by `endedBy`. Resolves with the invoices that it created. */
export async function closePeriods(
  { subscriptions, invoices, countUsage, plans }: InvoiceSweepDependencies,
  endedBy: Date,
  now: Date,
): Promise<Invoice[]> {
  const created: Invoice[] = [];
  for await (const subscriber of subscriptions.all()) {
    let period = nextPeriod(subscriber, await invoices.closedUntil(subscriber.account_id));
    while (period.end <= endedBy) {
      const { account_id, name, company, email, subscription } = subscriber;
      const parts = await Promise.all(
        planParts(subscription, period, plans).map(async (part) => {
          const { received } = await countUsage({ account_id, environment: 'live' }, part.period);
          return { ...part, emails: received };
        }),
      );
      const usage = { subscription, parts, currency: plans.currency, period };
      const invoice = newInvoice(
        newId('inv', now, randomBytes(ID_RANDOM_BYTES)),
        { account_id, bill_to: { name, company, email } },
        usage,
        now,
      );
      if (await invoices.insert(invoice)) created.push(invoice);
      period = nextPeriod(subscriber, period.end);
    }
  }
  return created;
}

/** A period begins where the previous one ended, even if the anchor has moved since. */
const nextPeriod = (
  { subscription: { anchor } }: Subscriber,
  closedUntil: Date | undefined,
): Period => {
  const start = closedUntil ?? quarterOf(anchor);
  return { start, end: periodAt(anchor, start).end };
};
