/** Renders an invoice as a one-page PDF. */
import { decimal, minorDigits } from '../../core/billing/billing.ts';
import type { Invoice } from '../../core/billing/invoice.ts';
import type { InvoiceTexts } from '../../core/billing/invoice-texts.ts';
import { timestamp } from '../../core/time/timestamp.ts';

const LEFT = 56;
const RIGHT = 539;
const MIDDLE = 310;
const QUANTITY_RIGHT = 420;
const GREY = '#666666';
const INK = '#1a1a1a';

/** The standard PDF fonts contain Latin letters only: other characters become question marks. */
const drawable = (text: string) =>
  text
    .normalize('NFC')
    .replaceAll(/[^\u0020-\u007e\u00a0-\u00ff\u20ac\u2013\u2014\u2018\u2019\u201c\u201d]/gu, '?');

const DAY_MS = 86_400_000;
const NUMBER_DIGITS = 6;

const day = (date: Date): string => timestamp(date).slice(0, 10);

const LINES_MAX = 8;
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, LINES_MAX);

export async function invoicePdf(invoice: Invoice, texts: InvoiceTexts): Promise<Uint8Array> {
  const {
    id,
    number,
    period_start,
    period_end,
    currency,
    lines,
    total,
    status,
    bill_to,
    account_id,
    created_at,
    paid_at,
    emails,
  } = invoice;
  const digits = minorDigits(currency);
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const money = (minor: number) =>
    `${decimal(minor, currency).toLocaleString('en', format)} ${currency}`;
  const { default: PdfKit } = await import('pdfkit'); // 20 MB that few processes need
  const document = new PdfKit({
    size: 'A4',
    margin: LEFT,
    info: { Title: `Invoice ${id}`, CreationDate: created_at },
  });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const { promise: ended, resolve, reject } = Promise.withResolvers<undefined>();
  document.on('end', () => resolve(undefined));
  document.on('error', reject);

  const put = (
    text: string,
    x: number,
    y: number,
    { size = 10, bold = false, colour = INK, rightOf = undefined as number | undefined } = {},
  ) => {
    document
      .font(bold ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(size)
      .fillColor(colour);
    const shown = drawable(text);
    document.text(shown, rightOf === undefined ? x : rightOf - document.widthOfString(shown), y, {
      lineBreak: false,
    });
  };
  const rule = (y: number, colour: string) =>
    document.moveTo(LEFT, y).lineTo(RIGHT, y).lineWidth(0.75).strokeColor(colour).stroke();

  put('Invoice', LEFT, 56, { size: 26, bold: true });
  put(status.toUpperCase(), LEFT, 64, {
    size: 12,
    bold: true,
    colour: status === 'paid' ? '#1a7f37' : GREY,
    rightOf: RIGHT,
  });
  const facts: [string, string][] = [
    ...(number === undefined
      ? []
      : [['Number', String(number).padStart(NUMBER_DIGITS, '0')] as [string, string]]),
    ['Invoice', id],
    ['Date', day(created_at)],
    ...(status === 'open' && texts.due_days > 0
      ? [['Due', day(new Date(created_at.getTime() + texts.due_days * DAY_MS))] as [string, string]]
      : []),
    ['Period', `${minute(period_start)} \u2013 ${minute(period_end)} UTC`],
    ['Account', account_id],
    ...(paid_at ? [['Paid', day(paid_at)] as [string, string]] : []),
  ];
  for (const [i, [label, value]] of facts.entries()) {
    put(label, LEFT, 108 + i * 16, { colour: GREY });
    put(value, LEFT + 70, 108 + i * 16);
  }

  put('Bill to', LEFT, 212, { colour: GREY });
  const billTo = [bill_to.company, bill_to.name, bill_to.email].filter(
    (text) => text !== null && text !== '',
  );
  for (const [i, text] of billTo.entries())
    put(cut(text ?? '', 80), LEFT, 228 + i * 15, { bold: i === 0 });

  const seller = linesOf(texts.seller);
  if (seller.length > 0) put('From', MIDDLE, 212, { colour: GREY });
  for (const [i, text] of seller.entries())
    put(cut(text, 44), MIDDLE, 228 + i * 15, { bold: i === 0 });

  const top = Math.max(300, 228 + seller.length * 15 + 27);
  put('Description', LEFT, top, { colour: GREY });
  put('Quantity', 0, top, { colour: GREY, rightOf: QUANTITY_RIGHT });
  put('Amount', 0, top, { colour: GREY, rightOf: RIGHT });
  rule(top + 16, '#999999');
  for (const [i, { text, quantity, amount }] of lines.entries()) {
    const y = top + 26 + i * 22;
    put(cut(text, 55), LEFT, y);
    put(quantity.toLocaleString('en'), 0, y, { rightOf: QUANTITY_RIGHT });
    put(money(amount), 0, y, { rightOf: RIGHT });
    rule(y + 16, '#dddddd');
  }
  const bottom = top + 26 + lines.length * 22 + 8;
  put('Total', LEFT, bottom, { size: 12, bold: true });
  put(money(total), 0, bottom, { size: 12, bold: true, rightOf: RIGHT });
  put(`Emails received in the period: ${emails.toLocaleString('en')}`, LEFT, bottom + 40, {
    colour: GREY,
  });
  for (const [i, text] of linesOf(texts.note).entries())
    put(cut(text, 95), LEFT, bottom + 68 + i * 15);

  document.end();
  await ended;
  return Buffer.concat(chunks);
}

const minute = (date: Date) => timestamp(date).slice(0, 16).replace('T', ' ');

const cut = (text: string, chars: number) =>
  text.length > chars ? `${text.slice(0, chars - 3)}...` : text;
