/** What receivers ask for of the parts that programs write: invitations, bounces, reports and invoices. */
import { bounceOf } from './bounce/read-bounce.ts';
import { eInvoicesOf, type ReadEmbedded } from './e-invoice/read-e-invoice.ts';
import type { Extracted, Extraction } from './extraction.ts';
import { type ForwardedMail, forwardedOf, type ParseMail } from './forwarded/read-forwarded.ts';
import { forwardingRequestOf } from './forwarding-request.ts';
import { invitationOf } from './invitation/read-invitation.ts';
import { reportOf, type Unpack } from './report/read-report.ts';

type MailWithParts = {
  /** Envelope sender; empty for the null sender. */
  mailFrom: string;
  headers: ForwardedMail['headers'];
  text: string | null;
  attachments: readonly {
    filename: string | null;
    contentType: string;
    method: string | null;
    charset?: string | null;
    content: Uint8Array;
  }[];
};

type ExtractedParts = {
  fields: Pick<
    Extracted,
    | 'invitation'
    | 'bounce'
    | 'report'
    | 'forwarded'
    | 'forwarding_request'
    | 'e_invoice'
    | 'further_e_invoices'
  >;
  /** There is one, but it cannot be read. */
  unreadable: readonly Extraction[];
};

/** How files are read. */
type Readers = { unpack: Unpack; parse: ParseMail; embedded: ReadEmbedded };

export function extractParts(
  requested: ReadonlySet<Extraction>,
  mail: MailWithParts,
  { unpack, parse, embedded }: Readers,
): ExtractedParts {
  const { mailFrom, headers, text, attachments } = mail;
  const request = requested.has('forwarded') ? forwardingRequestOf(mail) : null;
  const event = requested.has('invitation') ? invitationOf(attachments, unpack) : undefined;
  const report = requested.has('report')
    ? reportOf({ headers: headers.all, attachments }, unpack)
    : undefined;
  const found = requested.has('e_invoice') ? eInvoicesOf(attachments, unpack, embedded) : undefined;
  const [invoice = null, ...further] = found?.invoices ?? [];
  return {
    fields: {
      ...(event && { invitation: event.invitation }),
      ...(requested.has('bounce') && {
        bounce: bounceOf({ mailFrom, headers: headers.all, text, attachments }),
      }),
      ...(report && { report: report.report }),
      ...(requested.has('forwarded') && { forwarded: forwardedOf(mail, parse) }),
      ...(request && { forwarding_request: request }),
      ...(found && { e_invoice: invoice }),
      ...(further.length > 0 && { further_e_invoices: further }),
    },
    unreadable: [
      ...(event?.isUnreadable ? (['invitation'] as const) : []),
      ...(report?.isUnreadable ? (['report'] as const) : []),
      ...(found?.isUnreadable ? (['e_invoice'] as const) : []),
    ],
  };
}
