/**
 * The billing calls: the current period, the invoices of past periods, and each invoice as a PDF
 * (spec 4.3, D13).
 */
import { z } from 'zod';

import type { Invoices } from '../../adapters/mongo/billing/invoices.ts';
import type { Subscriptions } from '../../adapters/mongo/billing/subscriptions.ts';
import type { CountUsage } from '../../adapters/mongo/usage/counters.ts';
import { notFound } from '../../core/error/app-error.ts';
import { BillingView, billingView, type PlanCatalogue } from '../../core/billing/billing.ts';
import { planParts } from '../../core/billing/plan-parts.ts';
import {
  INVOICE_LINK_MS,
  invoicePath,
  requireSignature,
  SignedLink,
  signedLink,
} from '../../core/secret/signed-link.ts';
import { type Invoice, InvoiceView, invoiceView } from '../../core/billing/invoice.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/resource/pagination.ts';
import { periodAt } from '../../core/billing/period.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { ServedFile } from '../http/output/served-file.ts';

type BillingEndpointDependencies = {
  subscriptions: Pick<Subscriptions, 'find'>;
  countUsage: CountUsage;
  invoices: Pick<Invoices, 'page' | 'find' | 'linked'>;
  renderPdf: (invoice: Invoice) => Promise<Uint8Array>;
  plans: PlanCatalogue;
  /** Sign links to PDFs: the first signs, all verify. */
  linkKeys: readonly Uint8Array[];
  /** Root URL of the API as clients reach it; undefined: as in the request. */
  publicUrl: string | undefined;
  /** If true, links use https even if a proxy terminated TLS. */
  requiresHttps: boolean;
};

const EXAMPLE_PDF = '%PDF-1.3 and the rest of the file';

export function billingEndpoints({
  subscriptions,
  countUsage,
  invoices,
  renderPdf,
  linkKeys,
  plans,
  publicUrl,
  requiresHttps,
}: BillingEndpointDependencies): Endpoint[] {
  const [key] = linkKeys;
  if (key === undefined) throw new Error('no key for links to invoices');

  const pdfOf = async (invoice: Invoice | undefined): Promise<ServedFile> => {
    if (invoice === undefined) throw notFound('invoice');
    const content = await renderPdf(invoice);
    return {
      content,
      size: content.byteLength,
      contentType: 'application/pdf',
      filename: `${invoice.id}.pdf`,
    };
  };

  return [
    defineEndpoint({
      call: 'GET /billing',
      operationId: 'getBilling',
      summary:
        'Get the subscription, usage and cost of the current period; test mail is never billed',
      permission: 'billing:read',
      response: BillingView,
      handle: async ({ caller: { account_id }, now }) => {
        const subscriber = await subscriptions.find(account_id);
        if (subscriber === undefined)
          throw new Error('the account of a valid token does not exist');
        const { subscription } = subscriber;
        const parts = await Promise.all(
          planParts(subscription, periodAt(subscription.anchor, now), plans).map(
            async ({ terms, period }) => {
              const { received } = await countUsage({ account_id, environment: 'live' }, period);
              return { terms, start: period.start, emails: received };
            },
          ),
        );
        return billingView({ subscription, parts, currency: plans.currency, now });
      },
    }),
    defineEndpoint({
      call: 'GET /billing/history',
      operationId: 'listInvoices',
      summary: 'List invoices, newest first',
      permission: 'billing:read',
      query: z.strictObject(pageQuery({ maxLimit: 100, defaultLimit: 12 })), // spec section 8
      response: envelopeOf(InvoiceView),
      handle: async ({ caller, query, apiUrl, now }) => {
        const baseUrl = publicUrl ?? (requiresHttps ? apiUrl.replace(/^http:/, 'https:') : apiUrl);
        const expires = new Date(now.getTime() + INVOICE_LINK_MS);
        const linkTo = (id: string) => signedLink({ path: invoicePath(id), baseUrl, key, expires });
        const { items, total } = await invoices.page(caller.account_id, query);
        return envelope(
          items.map((invoice) => invoiceView(invoice, linkTo(invoice.id))),
          total,
          query,
        );
      },
    }),
    defineEndpoint({
      call: 'GET /billing/invoices/{invoice_id}/pdf',
      operationId: 'getInvoicePdf',
      summary: 'Get an invoice as a PDF',
      permission: 'billing:read',
      example: { response: EXAMPLE_PDF },
      response: ServedFile,
      file: { mediaType: 'application/pdf' },
      handle: async ({ caller, params: { invoice_id } }) =>
        pdfOf(await invoices.find(caller.account_id, invoice_id)),
    }),
    defineEndpoint({
      call: 'GET /invoice-files/{invoice_id}',
      operationId: 'getLinkedInvoicePdf',
      summary: 'Get an invoice as a PDF through its signed link, the invoice_pdf of an invoice',
      permission: null,
      example: { response: EXAMPLE_PDF },
      query: SignedLink,
      response: ServedFile,
      file: { mediaType: 'application/pdf' },
      handle: async ({ params: { invoice_id }, query, now }) => {
        requireSignature(invoicePath(invoice_id), query, linkKeys, now);
        return pdfOf(await invoices.linked(invoice_id));
      },
    }),
  ];
}
