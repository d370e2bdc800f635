/** The webhook's body: the contract that receivers program against (spec 6.1, D22 … D24). */
import { z } from 'zod';

import { type PayloadSettings, SPEC_PAYLOAD } from './address.ts';
import type { LinkedFile } from './file-link.ts';
import { Timestamp, timestamp } from './timestamp.ts';

const text = z.string().nullable();

export const Attachment = z.object({
  filename: z.string().describe('as the mail names it; attachment-<n> when it names none'),
  content_type: z.string().describe('MIME type'),
  size_bytes: z.int().describe('decoded size'),
  content: text.describe('Base64; null when the address wants attachments left out or linked'),
  content_url: z.string().optional().describe('where the content can be fetched for a time, when the address wants attachments linked'),
  content_id: text.describe('without angle brackets, for inline images (cid: links of the HTML body); null when the part has none'),
});
export type Attachment = z.infer<typeof Attachment>;

const AuthResult = z.string().describe('pass, fail, none …');

export const WebhookPayload = z.object({
  event_id: z.string().describe('the same on every attempt: receivers drop repeats by it'),
  address_id: z.string().describe('the receiving address'),
  timestamp: Timestamp.describe('when this payload was built'),
  envelope: z.object({
    mail_from: z.string().describe('SMTP envelope sender; empty for bounces (the null sender)'),
    rcpt_to: z.array(z.string()).describe('recipients of the SMTP transaction that belong to this account'),
    helo_domain: z.string().describe('what the sending server called itself'),
    remote_ip: z.string().describe('IP address of the sending server'),
  }),
  headers: z.object({
    from: text, to: text, cc: text, bcc: text, subject: text,
    date: Timestamp.nullable().describe('when the mail says that it was sent; null when absent or unreadable'),
    message_id: text, in_reply_to: text, references: text, reply_to: text,
  }).describe('null for a header that the mail has not'),
  content: z.object({
    text: text.describe('plain text body; null when the mail has none'),
    html: text.describe('HTML body; null when the mail has none'),
    size_bytes: z.int().describe('size of the whole raw mail'),
    raw_url: z.string().optional().describe('where the raw mail can be fetched for a time, when the address wants it'),
  }),
  attachments: z.array(Attachment).describe('empty when there are none'),
  spam: z.object({
    score: z.number().min(0).max(10).describe('higher means more likely spam'),
    verdict: z.enum(['spam', 'not_spam']),
    details: z.object({ spf: AuthResult, dkim: AuthResult, dmarc: AuthResult }),
  }),
  metadata: z.object({
    received_at: Timestamp.describe('end of DATA'),
    processing_time_ms: z.int().describe('from received_at until the payload was built'),
    retry_count: z.int().describe('0 on the first attempt'),
  }),
});
export type WebhookPayload = z.infer<typeof WebhookPayload>;

/** What the MIME parser could read of a mail. */
export type ParsedMail = {
  headers: Omit<WebhookPayload['headers'], 'date'> & { date: Date | null };
  text: string | null;
  html: string | null;
  attachments: { filename: string | null; contentType: string; content: Uint8Array; contentId: string | null }[];
};

export type Envelope = { mailFrom: string; heloDomain: string; remoteIp: string };

/** Neither checked for spam nor authenticated. */
export const NOT_CHECKED: WebhookPayload['spam'] = { score: 0, verdict: 'not_spam', details: { spf: 'none', dkim: 'none', dmarc: 'none' } };

export type PayloadFacts = {
  eventId: string;
  addressId: string;
  envelope: Envelope;
  /** Recipients that belong to the same account as the address (D22). */
  rcptTo: string[];
  mail: ParsedMail;
  sizeBytes: number;
  spam: WebhookPayload['spam'];
  receivedAt: Date;
  now: Date;
  /** What the address wants beside or instead of spec 6.1, which is the default. */
  settings?: PayloadSettings | undefined;
  /** Makes a link to a file of this event; where no links can be made, contents stay inline. */
  linkTo?: ((file: LinkedFile) => string) | undefined;
};

/** Whether a payload with these settings links to the raw mail, which must then be kept. */
export const needsRawMail = (settings: PayloadSettings, mail: ParsedMail): boolean => settings.raw || (settings.attachments === 'url' && mail.attachments.length > 0);

/** The payload of a first attempt. `metadata` comes last and `retry_count` last in it: {@link withRetryCount} relies on it. */
export function buildPayload(facts: PayloadFacts): WebhookPayload {
  const { envelope, mail, linkTo, settings = SPEC_PAYLOAD } = facts;
  const contentOf = (content: Uint8Array, index: number): Pick<Attachment, 'content' | 'content_url'> => {
    if (settings.attachments === 'omit') return { content: null };
    if (settings.attachments === 'url' && linkTo) return { content: null, content_url: linkTo(`attachments/${index}`) };
    return { content: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64') };
  };
  return {
    event_id: facts.eventId,
    address_id: facts.addressId,
    timestamp: timestamp(facts.now),
    envelope: { mail_from: envelope.mailFrom, rcpt_to: facts.rcptTo, helo_domain: envelope.heloDomain, remote_ip: envelope.remoteIp },
    headers: { ...mail.headers, date: mail.headers.date && timestamp(mail.headers.date) },
    content: { text: mail.text, html: mail.html, size_bytes: facts.sizeBytes, ...(settings.raw && linkTo && { raw_url: linkTo('raw') }) },
    attachments: mail.attachments.map((part, index) => ({
      filename: part.filename ?? `attachment-${index + 1}`,
      content_type: part.contentType,
      size_bytes: part.content.byteLength,
      ...contentOf(part.content, index),
      content_id: part.contentId,
    })),
    spam: facts.spam,
    metadata: {
      received_at: timestamp(facts.receivedAt),
      processing_time_ms: Math.max(0, facts.now.getTime() - facts.receivedAt.getTime()),
      retry_count: 0,
    },
  };
}

const FIRST_ATTEMPT_END = '0}}';

/** The payload's bytes as the first attempt sends them. */
export const encodePayload = (payload: WebhookPayload): Buffer => Buffer.from(JSON.stringify(payload));

/**
 * The bytes of a later attempt, made from those of the first without parsing them.
 * @throws when the bytes are no first attempt's payload
 */
export function withRetryCount(firstAttempt: Uint8Array, retryCount: number): Uint8Array {
  if (retryCount === 0) return firstAttempt;
  const body = Buffer.from(firstAttempt.buffer, firstAttempt.byteOffset, firstAttempt.byteLength);
  const head = body.subarray(0, body.byteLength - FIRST_ATTEMPT_END.length);
  if (!body.subarray(head.byteLength).equals(Buffer.from(FIRST_ATTEMPT_END))) throw new Error('payload does not end with its retry count');
  return Buffer.concat([head, Buffer.from(`${retryCount}}}`)]);
}
