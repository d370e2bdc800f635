/** Reads a raw mail with mailparser. Whatever the bytes, something readable comes back: the mail was accepted and will be delivered. */
import { isUtf8 } from 'node:buffer';
import { type AddressObject, type Attachment, type ParsedMail as MailparserMail, simpleParser, type SimpleParserOptions } from 'mailparser';

import type { ParsedMail, ParseWarning } from '../core/payload.ts';

/** No conversions between text and HTML (a missing body stays null, D23), and cid: links stay as the mail has them. */
const OPTIONS: SimpleParserOptions & { skipTextToHtml: boolean } = {
  skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true, skipImageLinks: true, keepCidLinks: true,
};

/** Of the header block, when the parser gave up on the whole mail. */
const RESCUED_HEAD_BYTES = 64 * 1024;
const RESCUED_BYTES = 256 * 1024;

export async function parseMail(raw: Buffer): Promise<ParsedMail> {
  const bytes = inUtf8(raw);
  try {
    const mail = readable(await simpleParser(bytes, OPTIONS));
    const isEmpty = mail.text === null && mail.html === null && mail.attachments.length === 0;
    return isEmpty ? { ...mail, text: bodyText(bytes) } : mail; // a multipart whose boundary never comes, for one
  } catch {
    return { headers: await rescuedHeaders(bytes), text: bodyText(bytes) ?? bytes.toString('utf8'), html: null, replyText: null, attachments: [], warnings: [] };
  }
}

/** Headers and the beginning of the text, at little cost whatever the bytes. */
export async function rescueMail(raw: Buffer, warning: ParseWarning): Promise<ParsedMail> {
  const beginning = inUtf8(raw.subarray(0, RESCUED_BYTES));
  return { headers: await rescuedHeaders(beginning), text: bodyText(beginning), html: null, replyText: null, attachments: [], warnings: [warning] };
}

/** Eight-bit bytes that no charset explains are UTF-8 to the parser. Those that are not become readable here: most such mail is Windows-1252. */
function inUtf8(raw: Buffer): Buffer {
  if (isUtf8(raw)) return raw;
  const { head, body } = splitMail(raw);
  const headText = head.toString('latin1');
  const lines = headText.split(/(?<=\n)/).map((line) => readableBytes(Buffer.from(line, 'latin1')));
  const isPlainText = !/^content-type:\s*(?!text\/)/im.test(headText) && !/charset\s*=/i.test(headText);
  return Buffer.concat([...lines, isPlainText ? readableBytes(body) : body]);
}

const readableBytes = (bytes: Buffer): Buffer => (isUtf8(bytes) ? bytes : Buffer.from(new TextDecoder('windows-1252').decode(bytes)));

/** The header block with the blank line that ends it, and what follows. */
function splitMail(raw: Buffer): { head: Buffer; body: Buffer } {
  const ends = ['\r\n\r\n', '\n\n'].map((blank) => ({ at: raw.indexOf(blank), length: blank.length })).filter(({ at }) => at !== -1);
  const end = Math.min(...ends.map(({ at, length }) => at + length), raw.byteLength);
  return { head: raw.subarray(0, end), body: raw.subarray(end) };
}

const bodyText = (raw: Buffer): string | null => {
  const text = splitMail(raw).body.toString('utf8');
  return text.trim() === '' ? null : text;
};

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
      all: [],
    },
    replyText: null,
    warnings: [],
    text: mail.text || null, // mailparser says '' for a mail of HTML alone
    html: mail.html || null,
    attachments: mail.attachments.map((part: Attachment) => ({
      filename: part.filename || null,
      contentType: part.contentType,
      content: part.content,
      contentId: part.cid || null,
      method: null,
    })),
  };
}

/** What the first part of the header block says, when the parser had too much of the whole: too many parts, headers or bytes. */
async function rescuedHeaders(raw: Buffer): Promise<ParsedMail['headers']> {
  try {
    return readable(await simpleParser(splitMail(raw).head.subarray(0, RESCUED_HEAD_BYTES), OPTIONS)).headers;
  } catch {
    return { from: null, to: null, cc: null, bcc: null, subject: null, date: null, message_id: null, in_reply_to: null, references: null, reply_to: null, all: [] };
  }
}

function addressText(header: AddressObject | AddressObject[] | undefined): string | null {
  if (header === undefined) return null;
  return Array.isArray(header) ? header.map((one) => one.text).join(', ') : header.text;
}

/** mailparser puts the present time for a date it cannot read; null is the truth (D23). */
function dateOf(mail: MailparserMail): Date | null {
  const line = mail.headerLines.find(({ key }) => key === 'date')?.line;
  if (line === undefined) return null;
  const text = line.slice(line.indexOf(':') + 1).replace(/\s+/g, ' ').trim();
  if (!/\d:\d\d/.test(text)) return null; // RFC 5322 §3.3 has a time of day in every date; Date finds one in `number 5`
  const date = new Date(text);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0 ? null : date;
}
