/** Texts of the usage and billing screen. */
import type { Invoice, SubscriptionStatus } from '../../core/api/api-types.generated.ts';
import { screenTitles } from './screens.ts';

export const usageText = {
  title: screenTitles.usage,
  until: 'to',
  emails: 'Emails in this period',
  today: 'today',
  delivered: 'Delivered',
  failed: 'Failed',
  retrying: 'Deliveries that wait for a retry',
  successRate: 'Success rate of deliveries',
  projected: 'Expected by the end of the period',
  included: (count: string) => `${count} included in the plan`,
  ofPlan: (used: string, included: string) => `${used} of ${included} of the plan used`,
  plotTitle: 'Emails of the period',
  plotTitleOfPlan: 'Emails of the period against the plan',
  plot: (used: string) => `${used} emails so far, by day`,
  plotOfPlan: (used: string, included: string) =>
    `${used} of ${included} included emails used, by day`,
  planLine: 'Included in the plan',
  updated: 'Counted until',
  plan: 'Plan',
  status: {
    active: 'Active',
    trialing: 'Trial',
    past_due: 'Past due',
    canceled: 'Canceled',
  } satisfies Record<SubscriptionStatus, string>,
  base: 'Base price',
  overage: 'Beyond the plan',
  total: 'So far',
  projectedCost: 'Expected',
  nextBilling: 'Next billing',
  nextPeriod: 'Next period',
  trialEnd: 'Trial ends',
  invoices: 'Invoices',
  invoiceColumns: {
    period: 'Period',
    state: 'State',
    due: 'Amount due',
    paid: 'Amount paid',
    file: 'File',
  },
  invoiceStatus: { open: 'Open', paid: 'Paid', void: 'Void' } satisfies Record<
    Invoice['status'],
    string
  >,
  pdf: 'PDF',
  noInvoiceTitle: 'No invoice yet',
  noInvoiceText: 'The first one appears at the end of the first period.',
};
