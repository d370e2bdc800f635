/** The example that copies attachments, and the fields of docs/moving.md, on an email that Inlet received. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, describe, expect, test } from 'vitest';

import { withSharedSystem } from '../support/shared-standalone.ts';
import { withNewAccount } from '../support/start-standalone.ts';
import { CHECKOUT, readPage } from './pages.ts';

describe('an email that was received', () => {
  const parts = new AsyncDisposableStack();
  let payload: { event_id: string; envelope: { rcpt_to: string[] } };
  withSharedSystem.beforeAll(async ({ shared: { system } }) => {
    const own = parts.use(await withNewAccount(system));
    const { address } = await own.address('/received');
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
    ({ payload } = (await own.receiver.nth('/received', 1)) as unknown as {
      payload: typeof payload;
    });
  });
  afterAll(() => parts.disposeAsync());

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
    const fields = page.split('| what | Inlet | Postmark |')[1] ?? '';
    const inlet = [...fields.matchAll(/^\|[^|\n]+\| `([a-z_.[\]]+)`/gm)].map(
      ([, path = '']) => path,
    );
    expect(inlet.length).toBeGreaterThan(8);
    const missing = inlet.filter((path) => {
      let value: unknown = payload;
      for (const field of path.replaceAll('[]', '.0').split('.'))
        if (value !== null) value = (value as Record<string, unknown> | undefined)?.[field];
      return value === undefined; // what is null exists: a local email is not authenticated
    });
    expect(missing).toEqual([]);
  });
});
