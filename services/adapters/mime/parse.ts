/** Reads a raw mail with mailparser. Whatever the bytes, something readable comes back: the mail was accepted and will be delivered. */
import { randomUUID } from 'node:crypto';
import {
  type AddressObject,
  type Attachment,
  type ParsedMail as MailparserMail,
  simpleParser,
  type SimpleParserOptions,
} from 'mailparser';

import {
  NOTHING_READ,
  type ParsedAttachment,
  type ParsedMail,
  type ParseWarning,
} from '../../core/mail/payload.ts';
import { replyText } from '../../core/mail/reply-text.ts';
import { charsetOfHtml, decodeText, hasByteLineEnds, wholeCharacters } from './charset.ts';
import { decodeTransfer, unflow, withoutCarriageReturns } from './transfer-encoding.ts';
import { methodOf, type Part } from './outline.ts';
import { prepare, type Preparation } from './preparation.ts';
import { unpackTnef } from './tnef.ts';
import { headersOf, oneLine } from './encoded-words.ts';

/**
 * No text is made of HTML, nor HTML of a text alone (a missing body stays null, D23), cid: links stay as the mail has them, and a mail within a mail or a
 * report of delivery is an attachment like others. In a mail with HTML, texts that are no alternative to it are shown there too.
 */
const OPTIONS: SimpleParserOptions & Record<string, unknown> = {
  skipHtmlToText: true,
  skipTextLinks: true,
  skipImageLinks: true,
  keepCidLinks: true,
  ignoreEmbedded: true,
  keepDeliveryStatus: true,
};

/** Of the beginning of a mail, when it cannot be read as a whole. */
const RESCUED_HEAD_BYTES = 64 * 1024;
const RESCUED_BYTES = 256 * 1024;
const TEXT_MAX_CHARS = 16 * 1024 * 1024; // six times as much where JSON escapes each

const FAILED: ParseWarning = {
  code: 'parse_failed',
  message: 'The mail could not be read: only its headers and the beginning of its text are shown',
};
const NO_PARTS: ParseWarning = {
  code: 'no_parts_found',
  message: 'The mail says that it has parts, but none was found: all of it is shown as text',
};
const TEXT_CUT: ParseWarning = {
  code: 'text_too_long',
  message: `A text is longer than ${TEXT_MAX_CHARS} characters: the rest is left out`,
};

export async function parseMail(raw: Buffer): Promise<ParsedMail> {
  try {
    const preparation = prepare(raw, randomUUID());
    const mail = readable(await simpleParser(preparation.bytes, OPTIONS), preparation, raw);
    return preparation.isUndivided ? withBodyAsText(mail, raw) : mail;
  } catch {
    return rescueMail(raw, FAILED);
  }
}

function withBodyAsText(mail: ParsedMail, raw: Buffer): ParsedMail {
  const text = bodyText(raw);
  if (text === null) return mail;
  return {
    ...mail,
    text,
    warnings: [...mail.warnings, NO_PARTS, ...(raw.byteLength > TEXT_MAX_CHARS ? [TEXT_CUT] : [])],
  };
}

/** Headers and the beginning of the text, at little cost whatever the bytes. */
export async function rescueMail(raw: Buffer, warning: ParseWarning): Promise<ParsedMail> {
  const beginning = wholeCharacters(raw, RESCUED_BYTES);
  const preparation = prepare(beginning, randomUUID());
  const { firstText } = preparation;
  const text =
    firstText === undefined
      ? bodyText(beginning)
      : textOf(firstText, beginning, false, preparation.charset) || null;
  return {
    ...NOTHING_READ,
    headers: await rescuedHeaders(preparation),
    text,
    attachments: [],
    warnings: [...preparation.warnings, warning],
  };
}

async function rescuedHeaders({ head }: Preparation): Promise<ParsedMail['headers']> {
  const all = headersOf(head);
  try {
    const shown = head.slice(0, RESCUED_HEAD_BYTES).replace(/(?<=^|\n)content-/gi, 'X-$&');
    return headersShown(await simpleParser(Buffer.from(shown), OPTIONS), all);
  } catch {
    return { ...NOTHING_READ.headers, all };
  }
}

/** What follows the head, as it stands. */
function bodyText(raw: Buffer): string | null {
  const ends = ['\r\n\r\n', '\n\n']
    .map((blank) => ({ at: raw.indexOf(blank), length: blank.length }))
    .filter(({ at }) => at !== -1);
  const body = raw.subarray(
    raw[0] === 0x0d || raw[0] === 0x0a
      ? 0
      : Math.min(...ends.map(({ at, length }) => at + length), raw.byteLength),
  );
  const text = decodeText(wholeCharacters(body, TEXT_MAX_CHARS), undefined);
  return text.trim() === '' ? null : text;
}

function readable(mail: MailparserMail, preparation: Preparation, raw: Buffer): ParsedMail {
  const warnings = [...preparation.warnings];
  const filled = (text: string | undefined, isHtml: boolean): string | null => {
    if (!text) return null; // mailparser says '' for a mail of HTML alone
    const whole = text.replace(preparation.marks, (mark) => {
      const part = preparation.partOf(mark);
      if (part === undefined) return mark;
      const isItself = part.contentType === 'text/html';
      const shown = textOf(part, raw, isItself, preparation.charset);
      return isHtml && !isItself ? htmlOf(shown.trimEnd()) : shown;
    });
    if (whole.length <= TEXT_MAX_CHARS) return whole || null;
    if (!warnings.includes(TEXT_CUT)) warnings.push(TEXT_CUT);
    return whole.slice(0, TEXT_MAX_CHARS).toWellFormed();
  };
  const attachments = mail.attachments.map((attachment) =>
    attachmentOf(attachment, preparation, raw),
  );
  const unpacked = unpackTnef(attachments);
  const all = headersOf(preparation.head);
  const text = filled(mail.text, false) ?? unpacked.text;
  return {
    headers: headersShown(mail, all),
    text,
    html: filled(mail.html || undefined, true) ?? unpacked.html,
    replyText: text === null ? null : replyText(text, all),
    attachments: unpacked.attachments,
    warnings: [...warnings, ...unpacked.warnings],
  };
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\n': '<br/>\n',
};
const HTML_STEP_CHARS = 64 * 1024;

/** In steps: all that is to be replaced in a large text weighs more than the text. */
function htmlOf(text: string): string {
  let html = '';
  for (let from = 0; from < text.length && html.length <= TEXT_MAX_CHARS; from += HTML_STEP_CHARS)
    html += text
      .slice(from, from + HTML_STEP_CHARS)
      .replace(/[&<>\n]/g, (char) => ENTITIES[char] ?? char);
  return html;
}

const bodyOf = (part: Part, raw: Buffer): Buffer =>
  decodeTransfer(raw.subarray(part.body.start, part.body.end), part.encoding);

function textOf(part: Part, raw: Buffer, isHtml: boolean, hint: string | undefined): string {
  const bytes = bodyOf(part, raw);
  const charset = part.charset ?? (isHtml ? charsetOfHtml(bytes) : undefined);
  const text = hasByteLineEnds(charset)
    ? decodeText(withoutCarriageReturns(bytes), charset, hint)
    : decodeText(bytes, charset, hint).replaceAll('\r\n', '\n');
  return part.isFlowed && !isHtml ? unflow(text, part.deletesSpaces) : text;
}

function attachmentOf(
  { filename, contentType, cid, content }: Attachment,
  { partOf }: Preparation,
  raw: Buffer,
): ParsedAttachment {
  const part = content.byteLength < 100 ? partOf(content.toString('latin1')) : undefined;
  return {
    filename: (filename && oneLine(filename)) || null,
    contentType: contentType || 'application/octet-stream',
    contentId: cid?.replace(/^[<\s]+|[>\s]+$/g, '') || null,
    method: part === undefined ? null : methodOf(part, raw),
    content: part === undefined ? content : bodyOf(part, raw),
  };
}

function headersShown(
  mail: MailparserMail,
  all: ParsedMail['headers']['all'],
): ParsedMail['headers'] {
  const last = (name: string) =>
    all.findLast((header) => header.name.toLowerCase() === name)?.value ?? null;
  return {
    from: addressText(mail.from),
    to: addressText(mail.to),
    cc: addressText(mail.cc),
    bcc: addressText(mail.bcc),
    subject: last('subject') || null,
    date: dateOf(last('date')),
    message_id: orNull(mail.messageId),
    in_reply_to: orNull(mail.inReplyTo),
    references: orNull([mail.references ?? []].flat().join(' ')),
    reply_to: addressText(mail.replyTo),
    all,
  };
}

function addressText(header: AddressObject | AddressObject[] | undefined): string | null {
  return orNull(
    [header ?? []]
      .flat()
      .map(({ text }) => text)
      .join(', '),
  );
}

const orNull = (text: string | undefined): string | null => (text && oneLine(text)) || null;

const ZONE = /[+-]\d\d:?\d\d|\b([ecmp][sd]t|gmt|utc?)\b|\bz$|\dz\b/i;

/** mailparser puts the present time for a date it cannot read; null is the truth (D23). */
function dateOf(value: string | null): Date | null {
  const text = value?.replace(/\s+/g, ' ').trim() ?? '';
  if (!/\d:\d\d/.test(text)) return null; // RFC 5322 §3.3 has a time of day in every date; Date finds one in `number 5`
  const date = new Date(ZONE.test(text) ? text : `${text}${/\dT\d/.test(text) ? 'Z' : ' UTC'}`); // not the zone of this machine
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0
    ? null
    : date;
}
