/** `inlet admin invoice …`: lists invoices and settles open ones. */
import { createInvoices } from '../../adapters/mongo/accounts/invoices.ts';
import type { Invoice, InvoiceStatus } from '../../core/billing/invoice.ts';
import { notFoundFault } from '../failure.ts';
import { existingAccount } from './accounts.ts';
import type { Database } from './database.ts';

export async function listInvoices(
  database: Database,
  { account, ...filter }: { account?: string; status?: InvoiceStatus; limit: number },
): Promise<Invoice[]> {
  if (account !== undefined) await existingAccount(database, account);
  return createInvoices(database.mongo.db).list({ ...filter, accountId: account });
}

export async function settleInvoice(
  { mongo }: Database,
  id: string,
  status: 'paid' | 'void',
): Promise<{ id: string; status: InvoiceStatus }> {
  if (!(await createInvoices(mongo.db).settle(id, status, new Date())))
    throw notFoundFault(`open invoice ${id}`);
  return { id, status };
}
