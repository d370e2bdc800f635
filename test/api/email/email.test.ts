/** The email of a delivery as people read it: what is shown, its sandbox, and a fresh signature. */
import { expect, test } from 'vitest';

import { startInProcess } from '../../support/start-in-process.ts';
import { signatureHolds, type Webhook } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess());
const address = await whole.address('/read');
const secret = address.webhook_secret;
await whole.pipeline.mailer.sendMail({
  from: 'Ann <ann@sender.example>',
  to: address.address,
  subject: 'with a picture',
  text: 'plain text',
  html: '<p>rich text</p><img src="cid:logo@x"><script>1</script>',
  attachments: [
    { filename: 'logo.png', content: Buffer.from('pixels'), cid: 'logo@x' },
    { filename: 'notes.txt', content: 'a note' },
  ],
});
const eventId = await until('a delivery', async () => {
  const { body } = await whole.api.ask('GET', `/v1/deliveries?address_id=${address.id}`);
  const [item] = body.data as { event_id: string; status: string }[];
  return item?.status === 'delivered' ? item.event_id : undefined;
});

const raw = (path: string, token = whole.api.token) =>
  fetch(`${whole.api.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

test('GET …/email has texts, headers and results, but no HTML and no contents', async () => {
  const { status, body } = await whole.api.ask('GET', `/v1/deliveries/${eventId}/email`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    event_id: eventId,
    headers: { subject: 'with a picture' },
    content: { text: 'plain text', has_html: true, is_cut: false },
    attachments: [{ filename: 'logo.png' }, { filename: 'notes.txt', size_bytes: 6 }],
    spam: { verdict: expect.any(String) as string },
  });
  expect(JSON.stringify(body)).not.toMatch(/rich text|"content":"/);
});

test('GET …/html is a page in a sandbox, with images of the email and without scripts', async () => {
  const response = await raw(`/v1/deliveries/${eventId}/html`);
  expect(response.headers.get('content-type')).toBe('text/html');
  expect(response.headers.get('content-security-policy')).toBe(
    "sandbox allow-same-origin; default-src 'none'; img-src data:; style-src 'unsafe-inline'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  );
  expect(response.headers.get('x-dns-prefetch-control')).toBe('off');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const page = await response.text();
  expect(page).toContain('<p>rich text</p><img src="data:image/png;base64,cGl4ZWxz">');
  expect(page).not.toContain('<script');
});

test('POST …/signature signs the payload that GET …/payload returns', async () => {
  const payload = await (await raw(`/v1/deliveries/${eventId}/payload`)).text();
  const { body } = await whole.api.ask('POST', `/v1/deliveries/${eventId}/signature`);
  const { headers, size_bytes, webhook_url } = body as {
    headers: Record<string, string>;
    size_bytes: number;
    webhook_url: string;
  };
  expect(size_bytes).toBe(Buffer.byteLength(payload));
  expect(webhook_url).toBe(whole.pipeline.receiver.url('/read'));
  expect(signatureHolds({ headers, raw: Buffer.from(payload) } as Webhook, secret)).toBe(true);
});
