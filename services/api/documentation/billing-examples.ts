/** The examples of a subscription and an invoice. */
import type { BillingView } from '../../core/billing/billing.ts';
import type { InvoiceView } from '../../core/billing/invoice.ts';

export const PERIOD_START = '2026-11-01T00:00:00Z';
export const PERIOD_END = '2026-12-01T00:00:00Z';
export const INVOICE_ID = 'inv_01k9wzn6h8g1f3e5d7c9b2a4zy';

export const BILLING: BillingView = {
  subscription: {
    plan: 'pro',
    status: 'active',
    current_period_start: PERIOD_START,
    current_period_end: PERIOD_END,
    trial_end: null,
  },
  usage: { emails_included: 50_000, emails_used: 412, emails_remaining: 49_588 },
  costs: {
    base_cost: 29,
    overage_cost: 0,
    total_cost: 29,
    projected_cost: 29,
    currency: 'USD',
  },
  next_billing_date: PERIOD_END,
};

export const INVOICE: InvoiceView = {
  id: INVOICE_ID,
  period_start: '2026-10-01T00:00:00Z',
  period_end: PERIOD_START,
  amount_paid: 29,
  amount_due: 0,
  currency: 'USD',
  status: 'paid',
  invoice_pdf:
    `https://api.example.com/v1/invoice-files/${INVOICE_ID}` +
    `?expires=1795248000&signature=${'5f'.repeat(32)}`,
  paid_at: '2026-11-02T10:00:00Z',
};
