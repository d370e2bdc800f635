/** What receivers ask for of the parts that programs write: invitations, bounces and reports. */
import { bounceOf } from './bounce/read-bounce.ts';
import type { Extracted, Extraction } from './extraction.ts';
import { invitationOf } from './invitation/read-invitation.ts';
import { reportOf, type Unpack } from './report/read-report.ts';

type MailWithParts = {
  /** Envelope sender; empty for the null sender. */
  mailFrom: string;
  headers: { all: readonly { name: string; value: string }[] };
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
  fields: Pick<Extracted, 'invitation' | 'bounce' | 'report'>;
  /** There is one, but it cannot be read. */
  unreadable: readonly Extraction[];
};

export function extractParts(
  asked: ReadonlySet<Extraction>,
  { mailFrom, headers, text, attachments }: MailWithParts,
  unpack: Unpack,
): ExtractedParts {
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
    },
    unreadable: [
      ...(event?.isUnreadable ? (['invitation'] as const) : []),
      ...(report?.isUnreadable ? (['report'] as const) : []),
    ],
  };
}
