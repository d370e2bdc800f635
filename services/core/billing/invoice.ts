/**
 * Invoices of ended billing periods (spec 2.5, D13). Amounts are in minor units; only API objects
 * have decimals.
 */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { decimal, isFree, overageCost, type Subscription } from './billing.ts';
import type { PlanPart } from './plan-parts.ts';
import type { Period } from './period.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';

export type InvoiceStatus = 'open' | 'paid' | 'void';

type InvoiceLine = { text: string; quantity: number; amount: number };

export type Invoice = {
  id: string;
  /**
   * Serial number in the installation, without gaps, which the database gives when it stores the
   * invoice; absent in those of earlier releases.
   */
  number?: number;
  account_id: string;
  period_start: Date;
  period_end: Date;
  plan: string;
  currency: string;
  emails: number;
  lines: InvoiceLine[];
  total: number;
  status: InvoiceStatus;
  created_at: Date;
  paid_at: Date | null;
  /** The data of the account when the period ended. */
  bill_to: { name: string; company: string; email: string };
};

/** Invoice object of spec 2.5. There are no partial payments. */
export const InvoiceView = z.object({
  id: z.string(),
  period_start: Timestamp,
  period_end: Timestamp,
  amount_paid: z.number(),
  amount_due: z.number().describe('amount that is not paid yet'),
  currency: z.string().describe('ISO 4217'),
  status: z.enum(['open', 'paid', 'void']),
  invoice_pdf: z
    .string()
    .describe('link to the PDF; it needs no token and works for 24 hours after this response'),
  paid_at: Timestamp.nullable().describe('null until the invoice is paid'),
});
export type InvoiceView = z.infer<typeof InvoiceView>;
describeSchema(InvoiceView, 'Invoice', {
  id: EXAMPLE.invoice_id,
  period_start: '2026-10-01T00:00:00Z',
  period_end: EXAMPLE.period_start,
  amount_paid: 29,
  amount_due: 0,
  currency: 'USD',
  status: 'paid',
  invoice_pdf:
    `https://api.example.com/v1/invoice-files/${EXAMPLE.invoice_id}` +
    `?expires=1795248000&signature=${'5f'.repeat(32)}`,
  paid_at: '2026-11-02T10:00:00Z',
});

export const invoiceView = (
  { id, period_start, period_end, total, currency, status, paid_at }: Invoice,
  pdfUrl: string,
): InvoiceView => ({
  id,
  period_start: timestamp(period_start),
  period_end: timestamp(period_end),
  amount_paid: status === 'paid' ? decimal(total, currency) : 0,
  amount_due: status === 'open' ? decimal(total, currency) : 0,
  currency,
  status,
  invoice_pdf: pdfUrl,
  paid_at: paid_at && timestamp(paid_at),
});

type Usage = {
  subscription: Subscription;
  /** Parts of the period in order of time, with their live emails (D11, D37). */
  parts: readonly (PlanPart & { emails: number })[];
  currency: string;
  period: Period;
};

function invoiceLines({ subscription, parts, period }: Usage): InvoiceLine[] {
  if (isFree(subscription, period))
    return [
      {
        text: subscription.status === 'canceled' ? 'Canceled subscription' : 'Trial period',
        quantity: 1,
        amount: 0,
      },
    ];
  return parts.flatMap(({ plan, terms, emails, period: { start } }) => {
    const beyond = Math.max(0, emails - terms.emails_included);
    const since = parts.length > 1 ? ` from ${dayFormat.format(start)}` : '';
    return [
      {
        text: `Plan ${plan}${since}, ${terms.emails_included.toLocaleString('en')} emails included`,
        quantity: 1,
        amount: terms.base_cost,
      },
      ...(terms.over_quota === 'bill' && beyond > 0
        ? [
            {
              text: `Emails beyond those included${since}`,
              quantity: beyond,
              amount: overageCost(terms, emails),
            },
          ]
        : []),
    ];
  });
}

/** `Nov 12` */
const dayFormat = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

const totalOf = (lines: readonly InvoiceLine[]): number =>
  lines.reduce((sum, { amount }) => sum + amount, 0);

/** An invoice over zero counts as paid immediately. */
export function newInvoice(
  id: string,
  account: Pick<Invoice, 'account_id' | 'bill_to'>,
  usage: Usage,
  now: Date,
): Invoice {
  const lines = invoiceLines(usage);
  const total = totalOf(lines);
  const { period, parts, currency } = usage;
  return {
    id,
    ...account,
    period_start: period.start,
    period_end: period.end,
    plan: parts.at(-1)?.plan ?? '',
    currency,
    emails: parts.reduce((sum, { emails }) => sum + emails, 0),
    lines,
    total,
    status: total === 0 ? 'paid' : 'open',
    created_at: now,
    paid_at: total === 0 ? now : null,
  };
}
