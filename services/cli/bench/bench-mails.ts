/** The emails of `inlet admin bench`. Each has its number in its subject, by which its webhook is known. */
import { mailDate } from '../../core/mail/mail-date.ts';

export const MAIL_SIZES = ['2k', '25k'] as const;
export type MailSize = (typeof MAIL_SIZES)[number];

/** Nobody can own it (RFC 2606), so nobody gets a bounce. */
export const BENCH_SENDER = 'bench@sender.invalid';

const DIGITS = 8;
const TEXT_BYTES: Record<MailSize, number> = { '2k': 1_500, '25k': 5_500 };
const HTML_BYTES = 17_000;
const BOUNDARY = '=_bench';
const WORDS =
  'the quick order of brown parcels was sent over lazy rivers and will reach your door on friday ' +
  'before noon thank you for your trust';

/** @param mark a text that no other email has */
export function createMails(size: MailSize, mark: string) {
  const body = bodyOf(size);
  const marked = Buffer.from(`${mark}-`);
  return {
    contentOf: (index: number, to: string): string =>
      `From: Inlet bench <${BENCH_SENDER}>\r\nTo: <${to}>\r\n` +
      `Subject: ${mark}-${String(index).padStart(DIGITS, '0')} your order\r\n` +
      `Message-ID: <${mark}.${index}@sender.invalid>\r\nDate: ${mailDate(new Date())}\r\n` +
      `Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n${body}`,
    /** The number of the email in the body of a webhook; undefined if there is none. */
    indexIn: (webhook: Buffer): number | undefined => {
      const at = webhook.indexOf(marked);
      if (at === -1) return undefined;
      const from = at + marked.length;
      const index = Number(webhook.toString('latin1', from, from + DIGITS));
      return Number.isInteger(index) ? index : undefined;
    },
  };
}

function bodyOf(size: MailSize): string {
  const text = `Content-Type: text/plain; charset=utf-8\r\n\r\n${lines(TEXT_BYTES[size])}`;
  if (size === '2k') return text;
  const html = `Content-Type: text/html; charset=utf-8\r\n\r\n${newsletter()}`;
  return (
    `Content-Type: multipart/alternative; boundary="${BOUNDARY}"\r\n\r\n` +
    `--${BOUNDARY}\r\n${text}\r\n--${BOUNDARY}\r\n${html}\r\n--${BOUNDARY}--\r\n`
  );
}

const lines = (bytes: number): string => {
  const line = `${WORDS.slice(0, 70)}\r\n`;
  return line.repeat(Math.ceil(bytes / line.length));
};

function newsletter(): string {
  let rows = '';
  for (let i = 0; rows.length < HTML_BYTES; i++) {
    const link = `https://shop.example/item?id=${i}`;
    rows += `<tr><td style="padding:4px"><a href="${link}">${WORDS.slice(0, 60)}</a></td></tr>\r\n`;
  }
  return `<!doctype html><html><body><table width="600">\r\n${rows}</table></body></html>\r\n`;
}
