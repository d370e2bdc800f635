/** Invoices in MongoDB (spec 2.5). An account has one for each period, whoever closes it: the database refuses a second. */
import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';

import { type PlanCatalogue, planOf } from '../../../core/account/billing.ts';
import { ID_RANDOM_BYTES, newId } from '../../../core/ids.ts';
import { type Invoice, newInvoice } from '../../../core/account/invoice.ts';
import type { Page, PageRequest } from '../../../core/pagination.ts';
import { type Period, periodAt, quarterOf } from '../../../core/account/period.ts';
import { type CollectionIndexes, isDuplicateKey } from '../connection.ts';
import type { Subscriber, Subscriptions } from './subscriptions.ts';
import type { CountUsage } from './counters.ts';

const INVOICES = 'invoices';

export const invoiceIndexes: CollectionIndexes = {
  collection: INVOICES,
  indexes: [{ key: { account_id: 1, period_start: -1 }, name: 'account_period', unique: true }],
};

type StoredInvoice = Omit<Invoice, 'id'> & { _id: string };

export type Invoices = {
  /** Newest first (D30). */
  page(accountId: string, page: PageRequest): Promise<Page<Invoice>>;
  find(accountId: string, id: string): Promise<Invoice | undefined>;
  /** End of the last period that was closed. */
  closedUntil(accountId: string): Promise<Date | undefined>;
  /** False when the period has its invoice already. */
  insert(invoice: Invoice): Promise<boolean>;
  /** For those who run the platform: an open invoice is paid, or is not to be. False when there is no such open invoice. */
  settle(id: string, status: 'paid' | 'void', now: Date): Promise<boolean>;
};

export function createInvoices(db: Db): Invoices {
  const invoices = db.collection<StoredInvoice>(INVOICES);
  return {
    page: async function pageOfInvoices(account_id, { limit, offset }) {
      const [found, total] = await Promise.all([
        invoices
          .find({ account_id })
          .sort({ period_start: -1 })
          .skip(offset)
          .limit(limit)
          .toArray(),
        invoices.countDocuments({ account_id }),
      ]);
      return { items: found.map(invoiceOf), total };
    },
    find: async function findInvoice(account_id, id) {
      const found = await invoices.findOne({ _id: id, account_id });
      return found === null ? undefined : invoiceOf(found);
    },
    closedUntil: async function closedUntil(account_id) {
      return (
        await invoices.findOne(
          { account_id },
          { sort: { period_start: -1 }, projection: { period_end: 1 } },
        )
      )?.period_end;
    },
    insert: async function insertInvoice({ id, ...invoice }) {
      try {
        await invoices.insertOne({ _id: id, ...invoice });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    settle: async function settleInvoice(id, status, now) {
      const { modifiedCount } = await invoices.updateOne(
        { _id: id, status: 'open' },
        { $set: { status, paid_at: status === 'paid' ? now : null } },
      );
      return modifiedCount === 1;
    },
  };
}

const invoiceOf = ({ _id: id, ...invoice }: StoredInvoice): Invoice => ({ id, ...invoice });

type Needs = {
  subscriptions: Pick<Subscriptions, 'all'>;
  invoices: Pick<Invoices, 'closedUntil' | 'insert'>;
  countUsage: CountUsage;
  plans: PlanCatalogue;
};

/** Closes every period that has ended by this time and is still open; resolves with the invoices that it made. */
export async function closePeriods(
  { subscriptions, invoices, countUsage, plans }: Needs,
  endedBy: Date,
  now: Date,
): Promise<Invoice[]> {
  const made: Invoice[] = [];
  for await (const subscriber of subscriptions.all()) {
    let period = nextPeriod(subscriber, await invoices.closedUntil(subscriber.account_id));
    while (period.end <= endedBy) {
      const { account_id, name, company, email, subscription } = subscriber;
      const { received } = await countUsage({ account_id, environment: 'live' }, period);
      const usage = {
        subscription,
        plan: planOf(subscription, plans),
        currency: plans.currency,
        period,
        emails: received,
      };
      const invoice = newInvoice(
        newId('inv', now, randomBytes(ID_RANDOM_BYTES)),
        { account_id, bill_to: { name, company, email } },
        usage,
        now,
      );
      if (await invoices.insert(invoice)) made.push(invoice);
      period = nextPeriod(subscriber, period.end);
    }
  }
  return made;
}

/** Begins where the last one ended, even if the anchor has moved since. */
const nextPeriod = (
  { subscription: { anchor } }: Subscriber,
  closedUntil: Date | undefined,
): Period => {
  const start = closedUntil ?? quarterOf(anchor);
  return { start, end: periodAt(anchor, start).end };
};
