/** Builds the payload of an email: first what all receivers of an address share, then one for each. */
import { type PayloadSettings, SPEC_PAYLOAD } from '../receiver/payload-settings.ts';
import { type AllExtracted, extractedFor, warningsOf } from '../extract/extraction.ts';
import type { Authentication } from '../mail/authentication.ts';
import type { LinkedFile } from '../secret/signed-link.ts';
import { mailKind } from '../mail/mail-kind.ts';
import { threadId } from '../mail/thread.ts';
import type { ReplyView } from '../reply/reply-view.ts';
import type { Spam } from '../mail/spam.ts';
import type { Virus } from '../mail/virus.ts';
import { timestamp } from '../time/timestamp.ts';
import {
  type Envelope,
  type ParsedMail,
  type UnwrittenPayload,
  attachmentName,
} from './payload.ts';

/** An email at one address. */
type EmailAtAddress = {
  eventId: string;
  addressId: string;
  envelope: Envelope;
  /** By which the sender named this address, as it wrote them; at least one. */
  named: readonly string[];
  /** Recipients that belong to the same account as the address (D22). */
  rcptTo: string[];
  /** Plus tag of the recipient of this payload. */
  plusTag?: string | undefined;
  /** Absent unless the address has reply addresses turned on. */
  reply?: ReplyView | undefined;
  mail: ParsedMail;
  sizeBytes: number;
  spam: Spam;
  /** Absent when nothing scans for malware. */
  virus?: Virus | undefined;
  /** Absent when authentication is switched off. */
  authentication?: Authentication | undefined;
  receivedAt: Date;
  now: Date;
};

/** What one receiver of the address adds. */
type ReceiverFacts = {
  /** The receiver's changes and additions to spec 6.1, which is the default. */
  settings?: PayloadSettings | undefined;
  /** Returns a link to a file of this event. Without it, contents are inline. */
  linkTo?: ((file: LinkedFile) => string) | undefined;
  /** Added by rules. */
  tags?: readonly string[] | undefined;
  /** For all receivers of the email; the settings choose from it. */
  extracted?: AllExtracted | undefined;
};

export type PayloadFacts = EmailAtAddress & ReceiverFacts;

/** The payload of a first attempt. */
export const buildPayload = (facts: PayloadFacts): UnwrittenPayload =>
  payloadFor(emailPayload(facts), facts);

/** What the payloads of all receivers of an address share: rules and filters read it, too. */
export function emailPayload(facts: EmailAtAddress): UnwrittenPayload {
  const { envelope, mail } = facts;
  const thread = threadId(facts.addressId, mail.headers);
  return {
    event_id: facts.eventId,
    address_id: facts.addressId,
    timestamp: timestamp(facts.now),
    recipient: facts.named[0] ?? '',
    recipients: [...facts.named],
    envelope: {
      mail_from: envelope.mailFrom,
      rcpt_to: facts.rcptTo,
      helo_domain: envelope.heloDomain,
      remote_ip: envelope.remoteIp,
    },
    headers: { ...mail.headers, date: mail.headers.date && timestamp(mail.headers.date) },
    content: { text: mail.text, html: mail.html, size_bytes: facts.sizeBytes },
    attachments: mail.attachments.map((part, index) => ({
      filename: attachmentName(part, index),
      content_type: part.contentType,
      size_bytes: part.content.byteLength,
      content: { base64Of: part.content },
      content_id: part.contentId,
      disposition: part.disposition,
      method: part.method,
    })),
    spam: facts.spam,
    ...(facts.virus && { virus: facts.virus }),
    authentication: facts.authentication ?? null,
    plus_tag: facts.plusTag ?? null,
    ...(facts.reply && { reply: facts.reply }),
    ...(thread !== undefined && { thread_id: thread }),
    ...mailKind({ mailFrom: envelope.mailFrom, headers: mail.headers.all }),
    reply_text: mail.replyText,
    parse_warnings: mail.warnings,
    ...(mail.signature && { signature: mail.signature }),
    ...(mail.encrypted && { encrypted: mail.encrypted }),
    metadata: {
      received_at: timestamp(facts.receivedAt),
      processing_time_ms: Math.max(0, facts.now.getTime() - facts.receivedAt.getTime()),
      retry_count: 0,
    },
  };
}

/**
 * The payload for one receiver. `metadata` is last, and `retry_count` is last in it: {@link
 * piecesOfAttempt} depends on that.
 */
export function payloadFor(
  { metadata, ...email }: UnwrittenPayload,
  { settings = SPEC_PAYLOAD, linkTo, tags, extracted: all }: ReceiverFacts,
): UnwrittenPayload {
  const extracted = extractedFor(settings.extract, all);
  const linked = (
    index: number,
  ): Partial<Pick<UnwrittenPayload['attachments'][number], 'content' | 'content_url'>> => {
    if (settings.attachments === 'omit') return { content: null };
    if (settings.attachments === 'url' && linkTo)
      return { content: null, content_url: linkTo(`attachments/${index}`) };
    return {};
  };
  return {
    ...email,
    content: { ...email.content, ...(settings.raw && linkTo && { raw_url: linkTo('raw') }) },
    attachments: email.attachments.map(({ content_id, disposition, method, ...part }, index) => ({
      ...part,
      ...linked(index),
      content_id,
      disposition,
      method,
    })),
    parse_warnings: [...email.parse_warnings, ...warningsOf(settings.extract, all)],
    ...(tags && tags.length > 0 && { tags: [...tags] }),
    ...(extracted && { extracted }),
    metadata,
  };
}
