/** The converters of docs/moving.md, on the payload of an email that Inlet received. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, describe, expect, test } from 'vitest';

import { withSharedSystem } from '../support/shared-standalone.ts';
import { withNewAccount } from '../support/start-standalone.ts';
import { CHECKOUT, readPage } from './pages.ts';

type Converters = Record<string, (payload: object, second?: string) => unknown>;

const load = (name: string) =>
  import(join(CHECKOUT, 'docs', 'examples', 'converters', `${name}.mjs`)) as Promise<Converters>;

const convert = async (name: string, fn: string, payload: object, second?: string) =>
  ((await load(name))[fn] as Converters[string])(payload, second);

describe('P.4: a payload in the form of another service', () => {
  const parts = new AsyncDisposableStack();
  let payload: { event_id: string; envelope: { rcpt_to: string[] } };
  let address: string;
  withSharedSystem.beforeAll(async ({ shared: { system } }) => {
    const own = parts.use(await withNewAccount(system));
    ({ address } = await own.address('/converted'));
    await own.mailer.sendMail({
      from: '"Ann, of Accounts" <ann@sender.example>',
      to: [address.replace('@', '+order7@'), 'Bob <bob@other.example>'],
      cc: 'carol@other.example',
      envelope: { from: 'bounce@sender.example', to: [address.replace('@', '+order7@')] },
      subject: 'Re: Order 7',
      inReplyTo: '<6@shop.example>',
      references: ['<6@shop.example>'],
      text: 'Two more, please.\n\nOn 20 Nov 2026, the shop wrote:\n> How many?\n',
      html: '<p>Two more, please. <img src="cid:logo@x"></p>',
      attachments: [
        { filename: 'order.txt', content: 'two' },
        { filename: 'logo.png', content: Buffer.from([137, 80, 78, 71]), cid: 'logo@x' },
      ],
    });
    ({ payload } = (await own.receiver.nth('/converted', 1)) as unknown as {
      payload: typeof payload;
    });
  });
  afterAll(() => parts.disposeAsync());

  test('Postmark', async () => {
    const converted = await convert('postmark', 'toPostmark', payload);
    expect(converted).toMatchObject({
      From: 'ann@sender.example',
      FromName: 'Ann, of Accounts',
      ToFull: [
        { Email: address.replace('@', '+order7@'), MailboxHash: 'order7' },
        { Email: 'bob@other.example', Name: 'Bob', MailboxHash: '' },
      ],
      CcFull: [{ Email: 'carol@other.example' }],
      OriginalRecipient: payload.envelope.rcpt_to[0],
      MailboxHash: 'order7',
      Subject: 'Re: Order 7',
      StrippedTextReply: expect.stringMatching(/^Two more, please\.\s*$/) as string,
      Attachments: [
        {
          Name: 'logo.png',
          ContentType: 'image/png',
          ContentID: expect.stringContaining('logo@x') as string,
        },
        { Name: 'order.txt', Content: Buffer.from('two').toString('base64'), ContentLength: 3 },
      ],
    });
    const { Headers: headers } = converted as { Headers: { Name: string; Value: string }[] };
    expect(headers).toContainEqual({ Name: 'In-Reply-To', Value: '<6@shop.example>' });
    expect(headers[0]?.Name).not.toMatch(/^(return-path|received)$/i);
  });

  test('SendGrid', async () => {
    const form = (await convert('sendgrid', 'toSendGrid', payload)) as FormData;
    expect(form.get('subject')).toBe('Re: Order 7');
    expect(JSON.parse(String(form.get('envelope')))).toEqual({
      to: payload.envelope.rcpt_to,
      from: 'bounce@sender.example',
    });
    expect(form.get('attachments')).toBe('2');
    expect(await (form.get('attachment2') as File).text()).toBe('two');
    expect(JSON.parse(String(form.get('attachment-info')))).toMatchObject({
      attachment2: { filename: 'order.txt', type: 'text/plain' },
    });
    expect(String(form.get('content-ids'))).toContain('attachment1');
    expect(form.get('headers')).toContain('In-Reply-To: <6@shop.example>');
  });

  test('Mailgun, with a signature that holds', async () => {
    const form = (await convert('mailgun', 'toMailgun', payload, 'key-1')) as FormData;
    const signed = `${String(form.get('timestamp'))}${String(form.get('token'))}`;
    const expected = createHmac('sha256', 'key-1').update(signed).digest('hex');
    expect(form.get('signature')).toBe(expected);
    expect(form.get('sender')).toBe('bounce@sender.example');
    expect(form.get('recipient')).toBe(payload.envelope.rcpt_to.join(','));
    expect(form.get('stripped-text')).toMatch(/^Two more, please\.\s*$/);
    expect(form.get('attachment-count')).toBe('2');
    expect(JSON.parse(String(form.get('message-headers')))).toContainEqual([
      'In-Reply-To',
      '<6@shop.example>',
    ]);
  });

  test('Amazon SES', async () => {
    expect(await convert('ses', 'toSes', payload, 'From: ann\r\n\r\nraw')).toMatchObject({
      notificationType: 'Received',
      mail: {
        source: 'bounce@sender.example',
        messageId: payload.event_id,
        destination: payload.envelope.rcpt_to,
        commonHeaders: {
          from: ['Ann, of Accounts <ann@sender.example>'],
          cc: ['carol@other.example'],
          subject: 'Re: Order 7',
        },
      },
      receipt: { spamVerdict: { status: 'PASS' }, virusVerdict: { status: 'GRAY' } },
      content: 'From: ann\r\n\r\nraw',
    });
  });

  test('CloudMailin', async () => {
    expect(await convert('cloudmailin', 'toCloudMailin', payload)).toMatchObject({
      headers: { subject: 'Re: Order 7', in_reply_to: '<6@shop.example>' },
      envelope: { from: 'bounce@sender.example', recipients: payload.envelope.rcpt_to },
      html: expect.stringContaining('Two more') as string,
      reply_plain: expect.stringMatching(/^Two more, please\.\s*$/) as string,
      attachments: [
        { file_name: 'logo.png', disposition: 'inline' },
        { file_name: 'order.txt', size: '3', disposition: 'attachment' },
      ],
    });
  });

  test('the attachments reach a bucket, from the payload or by their links', async () => {
    const { copyAttachments } = (await import(
      join(CHECKOUT, 'docs', 'examples', 'bucket', 'copy-attachments.mjs')
    )) as {
      copyAttachments: (email: object, urlFor: (key: string) => string) => Promise<object[]>;
    };
    const objects = new Map<string, string>();
    const store = async (request: IncomingMessage, response: ServerResponse) => {
      objects.set(request.url ?? '', await text(request));
      response.writeHead(request.url?.includes('refused') ? 403 : 200).end();
    };
    const bucket = createServer((request, response) => {
      if (request.method === 'GET') response.end('linked');
      else void store(request, response);
    });
    await once(bucket.listen(0, '127.0.0.1'), 'listening');
    parts.defer(() => void bucket.close());
    const url = `http://127.0.0.1:${(bucket.address() as { port: number }).port}`;
    const [second, first] = (payload as unknown as { attachments: object[] }).attachments;
    const linked = { ...second, content: null, content_url: `${url}/link` };
    const email = { ...payload, attachments: [first, linked] };
    const copied = await copyAttachments(email, (key) => `${url}/${key}`);
    expect(copied).toMatchObject([{ filename: 'order.txt' }, { filename: 'logo.png' }]);
    expect([...objects]).toEqual([
      [`/${payload.event_id}/0`, 'two'],
      [`/${payload.event_id}/1`, 'linked'],
    ]);
    await expect(copyAttachments(email, () => `${url}/refused`)).rejects.toThrow(
      'responded with 403',
    );
  });

  test('every field that the page names exists', async () => {
    const { text: page } = await readPage('docs/moving.md');
    const inlet = [...page.matchAll(/^\|[^|\n]+\| `([a-z_.[\]]+)`/gm)].map(([, path = '']) => path);
    expect(inlet.length).toBeGreaterThan(8);
    const missing = inlet.filter((path) => {
      let value: unknown = payload;
      for (const field of path.replaceAll('[]', '.0').split('.'))
        value = (value as Record<string, unknown> | undefined)?.[field];
      return value === undefined;
    });
    expect(missing).toEqual([]);
  });
});
