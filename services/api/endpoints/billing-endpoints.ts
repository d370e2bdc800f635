/**
 * The billing calls: the current period, the invoices of past periods, and each invoice as a PDF
 * (spec 4.3, D13).
 */
import { z } from 'zod';

import type { Invoices } from '../../adapters/mongo/metering/invoices.ts';
import type { Subscriptions } from '../../adapters/mongo/metering/subscriptions.ts';
import type { CountUsage } from '../../adapters/mongo/metering/counters.ts';
import { notFound } from '../../core/app-error.ts';
import {
  BillingView,
  billingView,
  type PlanCatalogue,
  planOf,
} from '../../core/account/billing.ts';
import { type Invoice, InvoiceView, invoiceView } from '../../core/account/invoice.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/pagination.ts';
import { periodAt } from '../../core/account/period.ts';
import { defineEndpoint, type Endpoint, nothing } from '../http/endpoint.ts';
import { ServedFile } from '../http/served-file.ts';

type Parts = {
  subscriptions: Pick<Subscriptions, 'find'>;
  countUsage: CountUsage;
  invoices: Pick<Invoices, 'page' | 'find'>;
  renderPdf: (invoice: Invoice) => Promise<Uint8Array>;
  plans: PlanCatalogue;
  /** Root URL of the API as clients reach it; undefined: as in the request. */
  publicUrl: string | undefined;
  /** If true, links use https even if a proxy terminated TLS. */
  requiresHttps: boolean;
};

export function billingEndpoints({
  subscriptions,
  countUsage,
  invoices,
  renderPdf,
  plans,
  publicUrl,
  requiresHttps,
}: Parts): Endpoint[] {
  return [
    defineEndpoint({
      method: 'GET',
      path: '/billing',
      operationId: 'getBilling',
      summary:
        'Get the subscription, usage and cost of the current period; test mail is never billed',
      permission: 'billing:read',
      query: nothing,
      body: nothing,
      status: 200,
      response: BillingView,
      handle: async ({ caller: { account_id }, now }) => {
        const subscriber = await subscriptions.find(account_id);
        if (subscriber === undefined)
          throw new Error('the account of a valid token does not exist');
        const { subscription } = subscriber;
        const { received } = await countUsage(
          { account_id, environment: 'live' },
          periodAt(subscription.anchor, now),
        );
        return billingView({
          subscription,
          plan: planOf(subscription, plans),
          currency: plans.currency,
          emails: received,
          now,
        });
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/billing/history',
      operationId: 'listInvoices',
      summary: 'List invoices, newest first',
      permission: 'billing:read',
      query: z.strictObject(pageQuery({ maxLimit: 100, defaultLimit: 12 })), // spec section 8
      body: nothing,
      status: 200,
      response: envelopeOf(InvoiceView),
      handle: async ({ caller, query, apiUrl }) => {
        const root = publicUrl ?? (requiresHttps ? apiUrl.replace(/^http:/, 'https:') : apiUrl);
        const { items, total } = await invoices.page(caller.account_id, query);
        return envelope(
          items.map((invoice) =>
            invoiceView(invoice, `${root}/billing/invoices/${invoice.id}/pdf`),
          ),
          total,
          query,
        );
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/billing/invoices/{invoice_id}/pdf',
      operationId: 'getInvoicePdf',
      summary: 'Get an invoice as a PDF',
      permission: 'billing:read',
      query: nothing,
      body: nothing,
      status: 200,
      response: ServedFile,
      file: { mediaType: 'application/pdf' },
      handle: async ({ caller, params: { invoice_id } }) => {
        const invoice = await invoices.find(caller.account_id, invoice_id);
        if (invoice === undefined) throw notFound('invoice');
        const content = await renderPdf(invoice);
        return {
          content,
          size: content.byteLength,
          contentType: 'application/pdf',
          filename: `${invoice.id}.pdf`,
        };
      },
    }),
  ];
}
