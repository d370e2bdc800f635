/** The webhook's body: the contract that receivers program against (spec 6.1, D22 … D24). */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { StorageView } from '../bucket/stored-files.ts';
import { Extracted } from '../extract/extraction.ts';
import { Authentication } from '../mail/authentication.ts';
import { Encrypted, MailSignature, type Protection } from '../mail/protection.ts';
import { ReplyView } from '../reply/reply-view.ts';
import { Spam } from '../mail/spam.ts';
import { ParseWarning } from './parse-warning.ts';
import { Virus } from '../mail/virus.ts';
import { Timestamp } from '../time/timestamp.ts';
import { optional } from '../resource/described.ts';

const text = z.string().nullable();

/** Any other value means `attachment` (RFC 2183 §2.8). */
const Disposition = z.enum(['attachment', 'inline']).nullable();

export const Attachment = z.object({
  filename: z.string().describe('name in the email; attachment-<n> when it has none'),
  content_type: z.string().describe('MIME type'),
  size_bytes: z.int().describe('decoded size'),
  content: text.describe('Base64; null when the address omits attachments or has them linked'),
  content_url: optional(
    z.string(),
    'link to the content with a limited lifetime, when the address has attachments linked',
  ),
  content_id: text.describe(
    'without angle brackets, of a picture in the text (cid: links of the HTML body); null for ' +
      'files, and when the part has none',
  ),
  disposition: Disposition.describe(
    'what the email says of the part (Content-Disposition); null when it says nothing',
  ),
  method: text.describe(
    'method of an invitation (text/calendar): REQUEST, REPLY, CANCEL …; null for every ' +
      'other part',
  ),
});
export type Attachment = z.infer<typeof Attachment>;
describeSchema(Attachment, 'Attachment');

export const WebhookPayload = z.object({
  event_id: z.string().describe('the same on every attempt, so that receivers can ignore repeats'),
  address_id: z.string().describe('the receiving address'),
  timestamp: Timestamp.describe('when this payload was built'),
  recipient: z
    .string()
    .describe('the address that this webhook is for, as the sender wrote it in RCPT'),
  recipients: z
    .array(z.string())
    .describe(
      'all names of this address in RCPT, `recipient` first: several only with a catch-all, a ' +
        'wildcard or plus tags',
    ),
  envelope: z.object({
    mail_from: z.string().describe('SMTP envelope sender; empty for bounces (the null sender)'),
    rcpt_to: z
      .array(z.string())
      .describe('recipients of the SMTP transaction that belong to this account'),
    helo_domain: z.string().describe('name that the sending server gave in HELO or EHLO'),
    remote_ip: z.string().describe('IP address of the sending server'),
  }),
  headers: z
    .object({
      from: text,
      to: text,
      cc: text,
      bcc: text,
      subject: text,
      date: Timestamp.nullable().describe(
        'time of the Date header; null when absent or unreadable',
      ),
      message_id: text,
      in_reply_to: text,
      references: text,
      reply_to: text,
      all: z
        .array(z.object({ name: z.string(), value: z.string() }))
        .describe(
          'all headers in their order in the email, repeated ones too; folded lines are ' +
            'joined and encoded words decoded',
        ),
    })
    .describe('null for a header that the email does not have'),
  content: z.object({
    text: text.describe('plain text body; null when the email has none'),
    html: text.describe('HTML body; null when the email has none'),
    size_bytes: z.int().describe('size of the whole raw email'),
    raw_url: z
      .string()
      .optional()
      .describe('link to the raw email with a limited lifetime, when the address asks for it'),
  }),
  attachments: z.array(Attachment).describe('empty when there are none'),
  spam: Spam,
  virus: Virus.optional().describe('absent when nothing scans email for malware'),
  authentication: Authentication.nullable().describe(
    'the results behind the words of spam.details; null when authentication is switched off',
  ),
  plus_tag: text.describe(
    'text after the + in the recipient that the sender used; null without a +',
  ),
  reply: ReplyView.optional().describe(
    'absent unless the address has reply addresses turned on (reply_addresses)',
  ),
  thread_id: optional(
    z.string(),
    'conversation at this address, as the headers claim it: a hint; absent without message ids',
  ),
  auto_submitted: z.boolean().describe('sent by a program: an automatic reply could start a loop'),
  is_bounce: z.boolean().describe('a delivery report about an earlier email'),
  is_list: z.boolean().describe('sent through a mailing list or in bulk'),
  reply_text: text.describe(
    'text above the quoted email; null when it cannot be identified with certainty',
  ),
  parse_warnings: z
    .array(ParseWarning)
    .describe('problems while parsing the email; empty for nearly every email'),
  signature: MailSignature.optional().describe(
    'of the author (S/MIME, PGP), not of DKIM; absent for email without one',
  ),
  encrypted: Encrypted.optional().describe(
    'the email or a part of it is encrypted, and Inlet cannot read that; absent for other email',
  ),
  tags: optional(z.array(z.string()), 'that rules added to the email; absent when none did'),
  extracted: Extracted.optional().describe(
    'what the receiver asks for with payload.extract; absent when that is nothing',
  ),
  metadata: z.object({
    received_at: Timestamp.describe('end of DATA'),
    processing_time_ms: z.int().describe('from received_at until the payload was built'),
    storage: StorageView.optional().describe(
      'files of the email in your bucket; absent unless the receiver has `payload.storage`',
    ),
    retry_count: z.int().describe('0 on the first attempt'),
  }),
  is_test: z.boolean().optional().describe('true in a test webhook, else absent'),
});
export type WebhookPayload = z.infer<typeof WebhookPayload>;
describeSchema(WebhookPayload, 'WebhookPayload');

/** An email after parsing. */
export type ParsedMail = {
  headers: Omit<WebhookPayload['headers'], 'date'> & { date: Date | null };
  text: string | null;
  html: string | null;
  /** The new part of a reply; null when there is none or it cannot be identified. */
  replyText: string | null;
  attachments: ParsedAttachment[];
  warnings: ParseWarning[];
} & Protection;

export const withWarning = (mail: ParsedMail, warning: ParseWarning): ParsedMail =>
  mail.warnings.some(({ code }) => code === warning.code)
    ? mail
    : { ...mail, warnings: [...mail.warnings, warning] };

/** An email without content. */
export const NOTHING_READ: Readonly<ParsedMail> = {
  headers: {
    from: null,
    to: null,
    cc: null,
    bcc: null,
    subject: null,
    date: null,
    message_id: null,
    in_reply_to: null,
    references: null,
    reply_to: null,
    all: [],
  },
  text: null,
  html: null,
  replyText: null,
  attachments: [],
  warnings: [],
};

export type ParsedAttachment = {
  filename: string | null;
  contentType: string;
  contentId: string | null;
  disposition: z.infer<typeof Disposition>;
  method: string | null;
  /** Named by the part, for readers of its text. */
  charset?: string | null;
  content: Uint8Array;
};

export const attachmentName = ({ filename }: ParsedAttachment, index: number): string =>
  filename ?? `attachment-${index + 1}`;

/**
 * A payload before it is written: an attachment's bytes become Base64 only then. See
 * payload-bytes.ts.
 */
export type UnwrittenPayload = Omit<WebhookPayload, 'attachments' | 'is_test'> & {
  attachments: (Omit<Attachment, 'content'> & { content: Base64Of | null })[];
};
export type Base64Of = { base64Of: Uint8Array };

export type Envelope = { mailFrom: string; heloDomain: string; remoteIp: string };
