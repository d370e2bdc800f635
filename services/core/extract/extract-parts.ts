/** What receivers ask for of the parts that programs write: invitations, bounces and reports. */
import { bounceOf } from './bounce/read-bounce.ts';
import type { Extracted, Extraction } from './extraction.ts';
import { type ForwardedMail, forwardedOf, type ParseMail } from './forwarded/read-forwarded.ts';
import { forwardingRequestOf } from './forwarded/forwarding-request.ts';
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
  fields: Pick<Extracted, 'invitation' | 'bounce' | 'report' | 'forwarded' | 'forwarding_request'>;
  /** There is one, but it cannot be read. */
  unreadable: readonly Extraction[];
};

/** How files are read. */
type Readers = { unpack: Unpack; parse: ParseMail };

export function extractParts(
  asked: ReadonlySet<Extraction>,
  mail: MailWithParts,
  { unpack, parse }: Readers,
): ExtractedParts {
  const { mailFrom, headers, text, attachments } = mail;
  const request = asked.has('forwarded') ? forwardingRequestOf(mail) : null;
  const event = asked.has('invitation') ? invitationOf(attachments, unpack) : undefined;
  const report = asked.has('report')
    ? reportOf({ headers: headers.all, attachments }, unpack)
    : undefined;
  return {
    fields: {
      ...(event && { invitation: event.invitation }),
      ...(asked.has('bounce') && {
        bounce: bounceOf({ mailFrom, headers: headers.all, text, attachments }),
      }),
      ...(report && { report: report.report }),
      ...(asked.has('forwarded') && { forwarded: forwardedOf(mail, parse) }),
      ...(request && { forwarding_request: request }),
    },
    unreadable: [
      ...(event?.isUnreadable ? (['invitation'] as const) : []),
      ...(report?.isUnreadable ? (['report'] as const) : []),
    ],
  };
}
