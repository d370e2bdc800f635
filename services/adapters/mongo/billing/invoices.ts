/**
 * Invoices in MongoDB (spec 2.5). A unique index allows one invoice for each account and period.
 */
import type { ClientSession, Db } from 'mongodb';

import type { Invoice, InvoiceStatus } from '../../../core/billing/invoice.ts';
import type { Page, PageRequest } from '../../../core/resource/pagination.ts';
import { invoiceEventData } from '../../../core/notification/notification-payload.ts';
import { type CollectionIndexes } from '../database/connection.ts';
import { isDuplicateKey } from '../database/errors.ts';
import { createUsageEvents, type NewUsageEvent } from '../audit/events.ts';
import { createPages } from '../database/pages.ts';
import { transaction } from '../database/transaction.ts';

const INVOICES = 'invoices';
const BY_PERIOD = 'account_period';
const BY_NUMBER = 'number';
/** Others may take the next number at the same time. */
const NUMBER_TRIES = 10;

export const invoiceIndexes: CollectionIndexes = {
  collection: INVOICES,
  indexes: [
    { key: { account_id: 1, period_start: -1 }, name: BY_PERIOD, unique: true },
    { key: { status: 1, _id: -1 }, name: 'status_newest_first' },
    {
      key: { number: -1 },
      name: BY_NUMBER,
      unique: true,
      partialFilterExpression: { number: { $exists: true } },
    },
  ],
};

type StoredInvoice = Omit<Invoice, 'id'> & { _id: string };

export type Invoices = {
  /** Newest first (D30). */
  page(accountId: string, page: PageRequest): Promise<Page<Invoice>>;
  /** For operators of the platform: invoices of one account or of all, newest first. */
  list(filter: {
    accountId?: string | undefined;
    status?: InvoiceStatus | undefined;
    limit: number;
  }): Promise<Invoice[]>;
  find(accountId: string, id: string): Promise<Invoice | undefined>;
  /** An invoice of any account: the caller has a signed link. */
  linked(id: string): Promise<Invoice | undefined>;
  /** End of the last period that has an invoice. */
  closedUntil(accountId: string): Promise<Date | undefined>;
  /**
   * Inserts it with its event and the next serial number. False when the period already has an
   * invoice.
   */
  insert(invoice: Invoice): Promise<boolean>;
  /**
   * For operators of the platform: marks an open invoice as paid or void. False when no such
   * invoice is open.
   */
  settle(id: string, status: 'paid' | 'void', now: Date): Promise<boolean>;
};

export function createInvoices(db: Db): Invoices {
  const invoices = db.collection<StoredInvoice>(INVOICES);
  const pageOf = createPages(invoices, invoiceOf);
  const events = createUsageEvents(db);

  const lastNumber = async (session: ClientSession): Promise<number> => {
    const last = await invoices.findOne(
      { number: { $exists: true } },
      { session, sort: { number: -1 }, hint: BY_NUMBER, projection: { number: 1 } },
    );
    return last?.number ?? 0;
  };

  return {
    page: (account_id, page) =>
      pageOf({ query: { account_id }, sort: { period_start: -1 }, hint: BY_PERIOD }, page),
    list: async function listInvoices({ accountId, status, limit }) {
      const found = await invoices
        .find(
          { ...(accountId && { account_id: accountId }), ...(status && { status }) },
          // ids are in order of time
          { sort: accountId ? { period_start: -1 } : { _id: -1 }, limit },
        )
        .toArray();
      return found.map(invoiceOf);
    },
    find: async function findInvoice(account_id, id) {
      const found = await invoices.findOne({ _id: id, account_id });
      return found === null ? undefined : invoiceOf(found);
    },
    linked: async function linkedInvoice(id) {
      const found = await invoices.findOne({ _id: id });
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
      for (let tries = 1; ; tries++)
        try {
          await transaction(db, async (session) => {
            const number = (await lastNumber(session)) + 1;
            await invoices.insertOne({ _id: id, number, ...invoice }, { session });
            await events.add([createdEvent({ id, ...invoice })], session);
          });
          return true;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
          if (!('number' in error.keyPattern)) return false;
          if (tries === NUMBER_TRIES) throw new Error('number the invoice', { cause: error });
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

/** Only live mail is billed (D11). */
const createdEvent = (invoice: Invoice): NewUsageEvent => ({
  account_id: invoice.account_id,
  environment: 'live',
  type: 'invoice.created',
  address_id: null,
  timestamp: invoice.created_at,
  data: invoiceEventData(invoice),
});

const invoiceOf = ({ _id: id, ...invoice }: StoredInvoice): Invoice => ({ id, ...invoice });
