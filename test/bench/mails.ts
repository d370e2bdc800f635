/**
 * The emails to send. Each has a unique send id in its subject, because identical emails are
 * delivered only once.
 */
import { randomBytes } from 'node:crypto';

export const MAIL_KINDS = ['2k', '25k', '1m'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

export const MAIL_TITLES: Record<MailKind, string> = {
  '2k': '2 KB, plain text',
  '25k': '25 KB, text and HTML',
  '1m': '1 MB, with an attachment',
};

const ID_DIGITS = 10;
const ID_MARK = Buffer.from('inlet-bench-');
const WORDS = (
  'the quick order of brown parcels was sent over lazy rivers and will reach your door ' +
  'on friday before noon thank you for your trust'
).split(' ');
const ATTACHMENT_BYTES = 750_000;

/** The lines that differ between emails; {@link mailBody} follows them. */
export const mailHead = (sendId: number, from: string, to: string): string =>
  `Received: from mail.sender.example (mail.sender.example [192.0.2.7]) by relay.example with ESMTPS id ${sendId}\r\n` +
  `From: "Order desk" <${from}>\r\nTo: <${to}>\r\n` +
  `Subject: ${ID_MARK.toString()}${String(sendId).padStart(ID_DIGITS, '0')} your order\r\n` +
  `Message-ID: <${sendId}.${process.pid}@sender.example>\r\n` +
  'Date: Mon, 06 Jul 2026 09:30:00 +0000\r\nMIME-Version: 1.0\r\n';

/** The rest of an email, with the final dot. */
export function mailBody(kind: MailKind): Buffer {
  const bodies: Record<MailKind, () => string> = {
    '2k': () => textPart(prose(1_500)),
    '25k': () => multipart('alternative', [textPart(prose(5_500)), htmlPart(newsletter(17_000))]),
    '1m': () =>
      multipart('mixed', [textPart(prose(1_500)), attachmentPart(randomBytes(ATTACHMENT_BYTES))]),
  };
  return Buffer.from(`${bodies[kind]()}.\r\n`, 'latin1');
}

/** The send id in the body of a webhook; undefined if there is none. */
export function sendIdIn(body: Buffer): number | undefined {
  const at = body.indexOf(ID_MARK);
  if (at === -1 || body.length < at + ID_MARK.length + ID_DIGITS) return undefined;
  return Number(body.toString('latin1', at + ID_MARK.length, at + ID_MARK.length + ID_DIGITS));
}

function prose(bytes: number): string {
  let text = '';
  let line = '';
  for (let i = 0; text.length < bytes; i++) {
    line += `${WORDS[(i * 7) % WORDS.length]} `;
    if (line.length < 66) continue;
    text += `${line.trimEnd()}\r\n`;
    line = '';
  }
  return text;
}

function newsletter(bytes: number): string {
  let rows = '';
  for (let i = 0; rows.length < bytes; i++) {
    const link = `https://shop.example/item?id=${i}&utm_source=mail`;
    rows += `<tr><td style="padding:4px;color:#333"><a href="${link}">${prose(60).trim()}</a> caf\u00e9</td></tr>\r\n`;
  }
  return `<!doctype html><html><body><table width="600">\r\n${rows}</table></body></html>\r\n`;
}

const textPart = (text: string) =>
  `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n${text}`;
const htmlPart = (html: string) =>
  'Content-Type: text/html; charset=utf-8\r\n' +
  `Content-Transfer-Encoding: quoted-printable\r\n\r\n${quotedPrintable(html)}`;

const attachmentPart = (content: Buffer) =>
  'Content-Type: application/pdf; name="invoice.pdf"\r\nContent-Disposition: attachment; filename="invoice.pdf"\r\n' +
  `Content-Transfer-Encoding: base64\r\n\r\n${content.toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`;

function multipart(subtype: string, parts: readonly string[]): string {
  const boundary = `=_part_of_a_${subtype}_mail`;
  return [
    `Content-Type: multipart/${subtype}; boundary="${boundary}"`,
    '',
    ...parts.flatMap((part) => [`--${boundary}`, part]),
    `--${boundary}--`,
    '',
  ].join('\r\n');
}

/** RFC 2045 §6.7, lines of at most 76 characters. */
const quotedPrintable = (text: string) => text.split('\r\n').map(quotedPrintableLine).join('\r\n');

function quotedPrintableLine(line: string): string {
  const units = [...Buffer.from(line)].map((byte) =>
    byte === 0x3d || byte > 0x7e
      ? `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
      : String.fromCharCode(byte),
  );
  let encoded = '';
  let width = 0;
  for (const unit of units) {
    if (width + unit.length > 75) {
      encoded += '=\r\n';
      width = 0;
    }
    encoded += unit;
    width += unit.length;
  }
  return encoded;
}
