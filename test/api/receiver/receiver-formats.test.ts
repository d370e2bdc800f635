/** Receivers with the formats of other services, and with the email itself: from SMTP to the request. */
import { createHash, createHmac } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { signatureHolds, type Webhook } from '../../support/receiver.ts';
import type { Answer } from '../../support/start-api.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess({ RETRY_SCHEDULE: '1h' }));

type Made = { id: string; webhook_secret: string };
type Found = { event_id: string; status: string; attempts: { error: string | null }[] };
const FORMATS = ['postmark', 'sendgrid', 'mailgun', 'cloudmailin', 'raw'] as const;

async function owner() {
  const { id: accountId } = await whole.api.newAccount();
  const { token } = await whole.api.issue({ accountId });
  const ask = (method: string, url: string, body?: object): Promise<Answer> =>
    whole.api.ask(method, url, { token, ...(body && { body }) });
  const { receiver } = whole.pipeline;
  const newAddress = async (path: string) => {
    const answer = await ask('POST', '/v1/addresses', { webhook_url: receiver.url(path) });
    return answer.body as { id: string; address: string };
  };
  const address = await newAddress('/formats-own');
  const receivers = `/v1/addresses/${address.id}/receivers`;
  return {
    ask,
    address,
    newAddress,
    add: async (path: string, fields: object, to = address): Promise<Made> => {
      const url = receiver.url(path);
      const answer = await ask('POST', `/v1/addresses/${to.id}/receivers`, { url, ...fields });
      expect(answer.status).toBe(201);
      return answer.body as Made;
    },
    change: (id: string, fields: object) => ask('PATCH', `${receivers}/${id}`, fields),
    sendTest: (id: string) => ask('POST', `${receivers}/${id}/test`),
    ended: (receiverId: string, status: string) =>
      until(`delivery to ${receiverId} to be ${status}`, async () => {
        const { data } = (await ask('GET', `/v1/deliveries?receiver_id=${receiverId}`)).body;
        const [one] = data as Found[];
        if (one?.status !== status) return undefined;
        return (await ask('GET', `/v1/deliveries/${one.event_id}`)).body as Found;
      }),
  };
}

const formOf = ({ headers, raw }: Webhook): Promise<FormData> =>
  new Response(Uint8Array.from(raw), {
    headers: { 'content-type': String(headers['content-type']) },
  }).formData();
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const ofBase64 = (text: string): string => digest(Buffer.from(text, 'base64'));
const ofFile = async (form: FormData, name: string): Promise<string> =>
  digest(Buffer.from(await (form.get(name) as File).arrayBuffer()));

/** What a handler of the service sees, of an email with one attachment. */
const SEEN: Record<
  (typeof FORMATS)[number],
  (hook: Webhook) => Promise<{ recipient: unknown; file: string }>
> = {
  postmark: async ({ payload }) => {
    const json = payload as unknown as {
      OriginalRecipient: string;
      Attachments: { Content: string }[];
    };
    return {
      recipient: json.OriginalRecipient,
      file: ofBase64(json.Attachments[0]?.Content ?? ''),
    };
  },
  cloudmailin: async ({ payload }) => {
    const json = payload as unknown as {
      envelope: { to: string };
      attachments: { content: string }[];
    };
    return { recipient: json.envelope.to, file: ofBase64(json.attachments[0]?.content ?? '') };
  },
  mailgun: async (hook) => {
    const form = await formOf(hook);
    return { recipient: form.get('recipient'), file: await ofFile(form, 'attachment-1') };
  },
  sendgrid: async (hook) => {
    const form = await formOf(hook);
    const { to } = JSON.parse(String(form.get('envelope'))) as { to: string[] };
    return { recipient: to[0], file: await ofFile(form, 'attachment1') };
  },
  raw: async ({ raw }) => {
    const email = raw.toString('latin1');
    const [, recipient] = /^X-Original-To: (.*)\r\nReturn-Path: <bounce@/.exec(email) ?? [];
    const [, base64 = ''] = /order\.bin\r\n\r\n([^-]+)/.exec(email) ?? [];
    return { recipient, file: ofBase64(base64) };
  },
};

describe.each([
  ['small', 1_000],
  ['large', 900_000],
])('a %s email', (_, bytes) => {
  test('reaches every format, signed over the bytes of the request', async () => {
    const { address, add } = await owner();
    const made = new Map<string, Made>();
    for (const format of FORMATS) {
      const auth = { basic: { username: 'actionmailbox', password: `${bytes} secrets` } };
      const fields = { format, ...(format === 'raw' && { auth }) };
      made.set(format, await add(`/${format}-${bytes}`, fields));
    }
    const content = Buffer.alloc(bytes, 'aé€😀\0');
    const recipient = address.address.replace('@', '+Order7@');
    await whole.pipeline.mailer.sendMail({
      from: '"Ann" <ann@sender.example>',
      to: recipient,
      envelope: { from: 'bounce@sender.example', to: [recipient] },
      text: 'See the file.',
      attachments: [{ filename: 'order.bin', content }],
    });
    for (const format of FORMATS) {
      const hook = await whole.pipeline.receiver.nth(`/${format}-${bytes}`, 1);
      expect(signatureHolds(hook, made.get(format)?.webhook_secret ?? '')).toBe(true);
      expect(await SEEN[format](hook)).toEqual({ recipient, file: digest(content) });
    }
    expect((await whole.pipeline.receiver.nth(`/raw-${bytes}`, 1)).headers).toMatchObject({
      'content-type': 'message/rfc822',
      authorization: `Basic ${Buffer.from(`actionmailbox:${bytes} secrets`).toString('base64')}`,
    });
    const form = await formOf(await whole.pipeline.receiver.nth(`/mailgun-${bytes}`, 1));
    const hmac = createHmac('sha256', made.get('mailgun')?.webhook_secret ?? '');
    hmac.update(`${String(form.get('timestamp'))}${String(form.get('token'))}`);
    expect(form.get('signature')).toBe(hmac.digest('hex'));
  });
});

test('an email to two addresses: each webhook says its own', async () => {
  const { address, newAddress, add } = await owner();
  const other = await newAddress('/two-other');
  await add('/two-first', { format: 'postmark' });
  await add('/two-second', { format: 'postmark' }, other);
  const to = [address.address, other.address];
  await whole.pipeline.mailer.sendMail({ from: 'ann@sender.example', to, text: 'to both' });
  const named = async (path: string) =>
    (await whole.pipeline.receiver.nth(path, 1)).payload as unknown as object;
  expect(await named('/two-first')).toMatchObject({ OriginalRecipient: address.address });
  expect(await named('/two-second')).toMatchObject({ OriginalRecipient: other.address });
  expect(await named('/two-other')).toMatchObject({
    recipient: other.address,
    recipients: [other.address],
  });
});

test('a test webhook has the format; an attempt that is repeated has the same body', async () => {
  const { address, add, sendTest, ask, ended } = await owner();
  for (const format of FORMATS) {
    const { id, webhook_secret } = await add(`/test-${format}`, { format });
    expect((await sendTest(id)).body).toMatchObject({ outcome: 'accepted' });
    const hook = await whole.pipeline.receiver.nth(`/test-${format}`, 1);
    expect(signatureHolds(hook, webhook_secret)).toBe(true);
    expect(hook.raw.toString()).toContain('Test webhook');
    expect(hook.raw.toString()).toContain(address.address);
    await ask('DELETE', `/v1/addresses/${address.id}/receivers/${id}`);
  }
  whole.pipeline.receiver.answer('/again', (count) => (count === 1 ? 503 : 200));
  const { id } = await add('/again', { format: 'raw' });
  await whole.send(address.address, 'again');
  const { event_id } = await ended(id, 'retrying');
  expect((await ask('POST', `/v1/deliveries/${event_id}/retry`)).status).toBe(200);
  const [first, second] = [
    await whole.pipeline.receiver.nth('/again', 1),
    await whole.pipeline.receiver.nth('/again', 2),
  ];
  expect(second.raw.equals(first.raw)).toBe(true);
});

test('an email that arrived before the receiver had the format raw fails, and says why', async () => {
  const { address, add, change, ask, ended } = await owner();
  const { id } = await add('/changed', {});
  await whole.send(address.address, 'changed');
  const { event_id } = await ended(id, 'delivered');
  const replay = async (format: string) => {
    expect((await change(id, { format })).body).toMatchObject({ format });
    expect((await ask('POST', `/v1/deliveries/${event_id}/replay`)).status).toBe(200);
  };
  await replay('raw');
  const failed = await ended(id, 'failed');
  expect(failed.attempts.at(-1)?.error).toBe(
    'the raw email is not stored: it arrived before the receiver had the format raw, or was removed',
  );
  await replay('cloudmailin');
  await ended(id, 'delivered');
  const hook = await whole.pipeline.receiver.nth('/changed', 2);
  expect(hook.payload).toMatchObject({ headers: { subject: 'changed' } });
});

test('without contents in the payload, a format has no attachments', async () => {
  const { address, add } = await owner();
  await add('/without', { format: 'postmark', payload: { attachments: 'omit' } });
  await whole.pipeline.mailer.sendMail({
    from: 'ann@sender.example',
    to: address.address,
    attachments: [{ filename: 'a.txt', content: 'a' }],
  });
  const hook = await whole.pipeline.receiver.nth('/without', 1);
  expect(hook.payload).toMatchObject({ Attachments: [] });
});
