/** The addresses and emails of `npm start -- --demo`: a small company's mail, in every state. */
import type { OutgoingMail } from '../../adapters/smtp/mail-client.ts';

/** How the receiver of an address behaves. The demo receiver reads it from the path of its URL. */
export const DEMO_ANSWERS = {
  accepted: { status: 200 },
  slow: { status: 200, afterMs: 4_000 },
  broken: { status: 500 },
  busy: { status: 429 },
  refused: { status: 422 },
  gone: { status: 404 },
  moved: { status: 301 },
} as const;
type DemoAnswer = keyof typeof DEMO_ANSWERS;

export type DemoAddress = {
  name: string;
  description: string;
  /** `missing`: its host does not exist. */
  answer: DemoAnswer | 'missing';
  settings?: object;
  /** After its emails. */
  isDisabled?: boolean;
};

const holdsInvoices = {
  rules: [{ name: 'invoices wait', when: "subject.contains('Invoice')", action: 'hold' }],
};
const tagsVip = {
  rules: [
    { name: 'vip', when: "from.domain == 'northwind.example'", action: 'tag', tags: ['vip'] },
  ],
};

export const DEMO_ADDRESSES: readonly DemoAddress[] = [
  { name: 'orders', description: 'Orders of the web shop', answer: 'accepted', settings: tagsVip },
  {
    name: 'support',
    description: 'Help desk',
    answer: 'slow',
    settings: { payload: { extract: ['codes', 'links'] } },
  },
  {
    name: 'billing',
    description: 'Invoices wait here',
    answer: 'accepted',
    settings: holdsInvoices,
  },
  { name: 'crm', description: 'Its receiver has a bug', answer: 'broken' },
  { name: 'reports', description: 'Its receiver has too much to do', answer: 'busy' },
  { name: 'signup', description: 'Its receiver does not like the data', answer: 'refused' },
  { name: 'alerts', description: 'Its receiver is gone', answer: 'gone' },
  { name: 'careers', description: 'Its receiver has moved', answer: 'moved' },
  { name: 'archive', description: 'The host of its receiver does not exist', answer: 'missing' },
  {
    name: 'campaign',
    description: 'Ended in spring',
    answer: 'accepted',
    isDisabled: true,
    settings: { ttl_hours: 48 },
  },
];

type DemoMail = Omit<OutgoingMail, 'to'> & { to: string };

const MARA = 'Mara Lindqvist <mara@northwind.example>';
const SENDERS = [
  MARA,
  'Chidi Okafor <chidi@acme.example>',
  'Cloud Billing <billing@cloud.example>',
  '田中 ゆき <yuki@harbour.example>',
  '"Orders, Inc." <orders@shop.example>',
  'no-reply@status.example',
];
const SUBJECTS = [
  'Re: Order 10492, new delivery address',
  'A question about the API limits',
  '[Ticket 4411] Cannot sign in',
  'Weekly report, 16 to 22 November',
  'Your parcel arrives tomorrow',
  'Minutes of Thursday’s meeting',
  'Réunion de jeudi : ordre du jour',
  'ご注文の確認（10492）',
  'Fwd: photos of the new shelf',
  'Build 2211 failed on main',
];
const TEXT = `Hello,

thank you for the quick answer. The new delivery address is

    12 Harbour Lane
    Bristol BS1 4QA

Could you confirm that the parcel leaves today?

Kind regards
Mara
`;
const ORDER_HTML = `<div style="font-family:Georgia,serif"><h2 style="color:#0b6472">Order 10492</h2>
<p>Hello,</p><p>thank you for the <b>quick answer</b>. You can
<a href="https://shop.example/orders/10492">follow your order</a> at any time.</p>
<table border="1" cellpadding="8" style="border-collapse:collapse">
<tr><th>Item</th><th>Quantity</th><th>Price</th></tr>
<tr><td>Sprocket, 32 teeth</td><td>2</td><td>18.00</td></tr>
<tr><td>Chain</td><td>1</td><td>24.50</td></tr></table></div>`;
const NEWSLETTER_HTML = `<div style="max-width:600px;margin:auto;font-family:Arial,sans-serif">
<h1 style="background:#0b6472;color:#fff;padding:24px">News of November</h1>
<p>Three things are new in the workshop. <a href="https://news.example/read?id=7">Read more</a></p>
<img src="https://news.example/open.gif" width="1" height="1" alt="">
<p style="color:#777">You get this because you asked for it.
<a href="https://news.example/unsubscribe">Unsubscribe</a></p></div>`;

const file = (filename: string, content: string) => ({ filename, content: Buffer.from(content) });

const SPECIAL: readonly DemoMail[] = [
  { from: MARA, to: 'orders', subject: 'Order 10492', text: TEXT, html: ORDER_HTML },
  {
    from: 'News <news@news.example>',
    to: 'support',
    subject: 'News of November',
    text: 'Three things are new in the workshop.',
    html: NEWSLETTER_HTML,
    headers: [
      { key: 'List-Id', value: 'News <news.news.example>' },
      { key: 'List-Unsubscribe', value: '<https://news.example/unsubscribe>' },
    ],
  },
  {
    from: 'Accounts <accounts@id.example>',
    to: 'support',
    subject: 'Your sign-in code',
    text: 'Your code is 481 920. It works for ten minutes.\n',
  },
  {
    from: 'Cloud Billing <billing@cloud.example>',
    to: 'billing',
    subject: 'Invoice 2026-1107 is ready',
    text: 'The invoice is attached.\n',
    attachments: [file('invoice-2026-1107.csv', 'item,amount\nhosting,42.00\n')],
  },
  {
    from: 'Cloud Billing <billing@cloud.example>',
    to: 'billing',
    subject: 'Receipt of your payment',
    text: 'Thank you.\n',
    attachments: [file('receipt.txt', 'paid\n'), file('terms.txt', 'terms\n')],
  },
  { from: MARA, to: 'careers', subject: '', text: 'An email without a subject.\n' },
];

const EMAILS = 40;

/** Forty emails to the addresses above, by their names. */
export function demoMails(): DemoMail[] {
  const usual = Array.from({ length: EMAILS - SPECIAL.length }, (_, n): DemoMail => {
    const { name } = DEMO_ADDRESSES[n % DEMO_ADDRESSES.length] ?? { name: 'orders' };
    const subject = SUBJECTS[(n * 7) % SUBJECTS.length] ?? '';
    const isRich = n % 5 === 0;
    return {
      from: SENDERS[n % SENDERS.length] ?? MARA,
      to: name,
      subject,
      text: TEXT,
      ...(isRich && { html: ORDER_HTML }),
      ...(n % 6 === 0 && { attachments: [file('notes.txt', 'Notes of the meeting.\n')] }),
    };
  });
  return [...SPECIAL, ...usual];
}
