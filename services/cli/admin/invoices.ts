/** `inlet admin invoice …`: lists invoices and settles open ones. */
import type { Invoice, InvoiceStatus } from '../../core/billing/invoice.ts';
import { notFoundFault } from '../terminal/failure.ts';
import { existingAccount } from './accounts.ts';
import type { Database } from './database.ts';

export async function listInvoices(
  database: Database,
  { account, ...filter }: { account?: string; status?: InvoiceStatus; limit: number },
): Promise<Invoice[]> {
  if (account !== undefined) await existingAccount(database, account);
  return database.stores.invoices.list({ ...filter, accountId: account });
}

const settling =
  (status: 'paid' | 'void') =>
  async ({ stores }: Database, id: string): Promise<{ id: string; status: InvoiceStatus }> => {
    if (!(await stores.invoices.settle(id, status, new Date())))
      throw notFoundFault(`open invoice: ${id}`);
    return { id, status };
  };

export const markPaid = settling('paid');
export const voidInvoice = settling('void');
