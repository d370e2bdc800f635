/** Reads a raw mail with mailparser. Whatever the bytes, something readable comes back: the mail was accepted and will be delivered. */
import { type AddressObject, type Attachment, type ParsedMail as MailparserMail, simpleParser, type SimpleParserOptions } from 'mailparser';

import type { ParsedMail } from '../core/payload.ts';

/** No conversions between text and HTML (a missing body stays null, D23), and cid: links stay as the mail has them. */
const OPTIONS: SimpleParserOptions & { skipTextToHtml: boolean } = {
  skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true, skipImageLinks: true, keepCidLinks: true,
};

export async function parseMail(raw: Buffer): Promise<ParsedMail> {
  try {
    return readable(await simpleParser(raw, OPTIONS));
  } catch {
    return unparsed(raw);
  }
}

function readable(mail: MailparserMail): ParsedMail {
  return {
    headers: {
      from: addressText(mail.from),
      to: addressText(mail.to),
      cc: addressText(mail.cc),
      bcc: addressText(mail.bcc),
      subject: mail.subject ?? null,
      date: dateOf(mail),
      message_id: mail.messageId || null,
      in_reply_to: mail.inReplyTo || null,
      references: (Array.isArray(mail.references) ? mail.references.join(' ') : mail.references) || null,
      reply_to: addressText(mail.replyTo),
    },
    text: mail.text ?? null,
    html: mail.html || null,
    attachments: mail.attachments.map((part: Attachment) => ({
      filename: part.filename || null,
      contentType: part.contentType,
      content: part.content,
      contentId: part.cid || null,
    })),
  };
}

/** The bytes as text, when not even mailparser could tell headers from body. */
function unparsed(raw: Buffer): ParsedMail {
  const none = { from: null, to: null, cc: null, bcc: null, subject: null, date: null, message_id: null, in_reply_to: null, references: null, reply_to: null };
  return { headers: none, text: raw.toString('utf8'), html: null, attachments: [] };
}

function addressText(header: AddressObject | AddressObject[] | undefined): string | null {
  if (header === undefined) return null;
  return Array.isArray(header) ? header.map((one) => one.text).join(', ') : header.text;
}

/** mailparser puts the present time for a date it cannot read; null is the truth (D23). */
function dateOf(mail: MailparserMail): Date | null {
  const line = mail.headerLines.find(({ key }) => key === 'date')?.line;
  if (line === undefined) return null;
  const date = new Date(line.slice(line.indexOf(':') + 1).replace(/\s+/g, ' ').trim());
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0 ? null : date;
}
