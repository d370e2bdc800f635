/** Closes billing periods that have ended. Every API process looks; the database lets only one make an invoice. */
import { closePeriods, type Invoices } from '../../adapters/mongo/metering/invoices.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Subscriptions } from '../../adapters/mongo/metering/subscriptions.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import type { CountUsage } from '../../adapters/mongo/metering/counters.ts';
import type { PlanCatalogue } from '../../core/account/billing.ts';

type Needs = {
  subscriptions: Pick<Subscriptions, 'all'>;
  invoices: Pick<Invoices, 'closedUntil' | 'insert'>;
  countUsage: CountUsage;
  plans: PlanCatalogue;
  startSweep: StartSweep;
};

const EVERY_MS = 900_000;
/** A mail counts when its first attempt is recorded: those of the last moments get this long. */
const SETTLING_MS = 3_600_000;

export const startInvoiceSweep = (needs: Needs, log: Log): AsyncDisposable =>
  needs.startSweep('invoices', EVERY_MS, async (now) => {
    for (const { id, account_id, total, currency } of await closePeriods(
      needs,
      new Date(now.getTime() - SETTLING_MS),
      now,
    )) {
      log.info('invoice.made', { invoiceId: id, accountId: account_id, total, currency });
    }
  });
