/** A small company's mail for the screenshots: senders, subjects, receivers that work and fail. */
import { createTransport } from 'nodemailer';

import type { ApiClient } from '../../services/standalone/api-client.ts';
import type { StandaloneState } from '../../services/standalone/state.ts';
import { until } from '../support/until.ts';

/** What the screenshots show. */
export type Samples = { addressId: string; waiting: string; rich: string };

const SENDERS = [
  'Mara Lindqvist <mara@northwind.example>',
  'Chidi Okafor <chidi@acme.example>',
  'Cloud Billing <billing@cloud.example>',
  'Yuki Tanaka <yuki@harbour.example>',
  '"Orders, Inc." <orders@shop.example>',
];
const SUBJECTS = [
  'Re: Order 10492, new delivery address',
  'Invoice 2026-1107 is ready',
  'A question about the API limits',
  '[Ticket 4411] Cannot sign in',
  'Weekly report, 16 to 22 November',
  'Your parcel arrives tomorrow',
  'Minutes of Thursday’s meeting',
];
const TEXT = `Hello,

thank you for the quick answer. The new delivery address is

    12 Harbour Lane
    Bristol BS1 4QA

Could you confirm that the parcel leaves today?

Kind regards
Mara
`;
const HTML = `<div style="font-family:Georgia,serif"><h2 style="color:#0b6472">Order 10492</h2>
<p>Hello,</p><p>thank you for the <b>quick answer</b>. You can
<a href="https://shop.example/orders/10492">follow your order</a> at any time.</p>
<table border="1" cellpadding="8" style="border-collapse:collapse"><tr><th>Item</th><th>Quantity</th></tr>
<tr><td>Sprocket, 32 teeth</td><td>2</td></tr><tr><td>Chain</td><td>1</td></tr></table>
<p><img src="https://shop.example/pixel.png" alt="Shop logo"></p></div>`;
const MAILS = 34;

export const sampleData = () => ({
  settings: { RETRY_SCHEDULE: '20m,1h', MAIL_AUTH: 'true', INBOUND_DOMAIN: 'in.example.com' },
  create,
});

async function create(state: StandaloneState, api: ApiClient): Promise<Samples> {
  const [orders, support, invoices] = await Promise.all([
    address(api, {
      local_part: 'orders',
      webhook_url: state.receiver_url,
      description: 'Web shop',
    }),
    address(api, { local_part: 'support', webhook_url: state.receiver_url }),
    address(api, { local_part: 'invoices', webhook_url: 'https://127.0.0.1:9/inbound' }),
  ]);
  await api('POST', '/domains', { domain: 'mail.northwind.example' });
  await api('POST', '/account/tokens', { name: 'Web shop', permissions: ['deliveries:read'] });
  const mailer = createTransport({
    host: state.smtp_host,
    port: state.smtp_port,
    tls: { rejectUnauthorized: false },
  });
  for (let n = 0; n < MAILS; n++)
    await mailer.sendMail({
      from: SENDERS[n % SENDERS.length],
      to: n % 7 === 3 ? invoices.address : n % 3 === 0 ? support.address : orders.address,
      subject: SUBJECTS[n % SUBJECTS.length],
      text: TEXT,
      ...(n % 7 === 0 && {
        html: HTML,
        attachments: [{ filename: 'order-10492.pdf', content: Buffer.alloc(48_213, 1) }],
      }),
    });
  mailer.close();
  type Item = { event_id: string; status: string; size_bytes: number };
  const items = await until('every email was attempted', async () => {
    const { data } = (await api('GET', '/deliveries?limit=100')).body as { data: Item[] };
    const attempted = data.filter(({ status }) => status !== 'pending');
    return attempted.length >= MAILS ? attempted : undefined;
  });
  const idOf = (matches: (item: Item) => boolean) => items.find(matches)?.event_id ?? '';
  return {
    addressId: orders.id,
    waiting: idOf(({ status }) => status === 'retrying'),
    rich: idOf(({ status, size_bytes }) => status === 'delivered' && size_bytes > 40_000),
  };
}

async function address(api: ApiClient, fields: object): Promise<{ id: string; address: string }> {
  const { status, body } = await api('POST', '/addresses', fields);
  if (status !== 201) throw new Error(`create an address: ${JSON.stringify(body)}`);
  return body as { id: string; address: string };
}
