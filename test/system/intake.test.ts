/**
 * Email by SMTP, LMTP and HTTP: the same email has the same payload, except for its envelope, and
 * an HTTP client learns what became of each recipient.
 */
import MailComposer from 'nodemailer/lib/mail-composer';
import { expect, test } from 'vitest';

import { createSubmission } from '../../services/adapters/smtp/lmtp-client.ts';
import type { WebhookPayload } from '../../services/core/webhook/payload.ts';
import { createStuffer } from '../../services/core/smtp/dot-stuffing.ts';
import { startInProcess } from '../support/start-in-process.ts';
import { dialogue, exchange } from '../support/smtp-play.ts';
import { useInFile } from '../support/use-in-file.ts';

const whole = await useInFile(
  startInProcess({
    LMTP_PORT: '0',
    LMTP_NETWORKS: '127.0.0.1/32',
    MAX_MESSAGE_BYTES: '2000000',
  }),
);

type Submitted = { recipient: string; result: string; reply: string; event_id: string | null };

async function submit(raw: Buffer | string, headers: Record<string, string>, token?: string) {
  const response = await fetch(`${whole.api.url}/v1/intake`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token ?? whole.api.token}`,
      'Content-Type': 'message/rfc822',
      ...headers,
    },
    body: raw,
  });
  const body = (await response.json()) as { error?: string; recipients?: Submitted[] };
  return { status: response.status, body };
}

const FROM = 'ann@sender.example';
const SIMPLE = 'From: ann@sender.example\r\nSubject: x\r\n\r\nx\r\n';

/** Fifty emails that differ in structure, charset, encoding, size and faults. */
async function emails(): Promise<Buffer[]> {
  const composed = Array.from({ length: 44 }, (_, i) =>
    new MailComposer({
      from: 'Ann Müller <ann@sender.example>',
      to: 'box@in.example',
      subject: `Order ${i} – größer`,
      messageId: `<${i}@sender.example>`,
      text: `.${'\r\n.line ü '.repeat(i * 3)}\r\n.`,
      ...(i % 2 === 1 && { html: `<p>Order <b>${i}</b></p>` }),
      ...(i % 3 === 1 && {
        attachments: [
          { filename: `täble ${i}.bin`, content: Buffer.alloc(i * 9000, i) }, // 380 KB at most
          { filename: 'a.txt', content: 'a\r\n.\r\nb' },
        ],
      }),
      textEncoding: i % 4 === 0 ? 'base64' : 'quoted-printable',
      newline: '\r\n',
    })
      .compile()
      .build(),
  );
  const odd = [
    SIMPLE,
    'Subject: bare\r\n\r\na\nb\rc\r\n',
    'no headers at all\r\n',
    '\r\n',
    `Subject: long\r\n\r\n${'x'.repeat(70_000)}\r\n`,
    'Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$B$3$s\x1b(B\0\xff\r\n..\r\n',
  ].map((text) => Buffer.from(text, 'latin1'));
  return [...(await Promise.all(composed)), ...odd];
}

/** What the three ways have in common: not ids, times, links, the envelope and our own headers. */
function comparable({ content, headers, attachments, spam, ...others }: WebhookPayload): unknown {
  return {
    content,
    attachments,
    spam,
    headers: {
      ...headers,
      all: headers.all.filter(({ name }) => name !== 'Received' && name !== 'Return-Path'),
    },
    warnings: others.parse_warnings,
  };
}

test('M.2: the same 50 emails by SMTP, LMTP and HTTP have the same payloads', async () => {
  const ways = ['/smtp', '/lmtp', '/http'] as const;
  const [bySmtp, byLmtp, byHttp] = await Promise.all(ways.map((path) => whole.address(path)));
  const lmtp = createSubmission({ host: '127.0.0.1', port: whole.pipeline.lmtpPort });
  const all = await emails();
  await using smtpClient = await dialogue(whole.pipeline.smtpPort);
  await exchange(smtpClient, [{ send: 'EHLO relay.example\r\n', expect: '250' }]);
  const throughSmtp = (raw: Buffer) => {
    const { stuff, end } = createStuffer(); // nodemailer would repair line ends
    return exchange(smtpClient, [
      { send: `MAIL FROM:<${FROM}>\r\nRCPT TO:<${bySmtp!.address}>\r\n`, expect: ['250', '250'] },
      { send: 'DATA\r\n', expect: '354' },
      { send: Buffer.concat([stuff(raw), Buffer.from(end())]), expect: '250' },
    ]);
  };
  for (const raw of all) {
    const [, replies, { status }] = await Promise.all([
      throughSmtp(raw),
      lmtp!({
        mailFrom: FROM,
        recipients: [byLmtp!.address],
        remoteIp: '127.0.0.1',
        heloDomain: 'relay.example',
        sizeBytes: undefined,
        content: pieces(raw),
      }),
      submit(raw, {
        'Svc-Rcpt-To': byHttp!.address,
        'Svc-Mail-From': FROM,
        'Svc-Helo-Domain': 'relay.example',
      }),
    ]);
    expect(replies).toEqual([expect.stringMatching(/^250 2\.6\.0 OK: stored as evt_/)]);
    expect(status).toBe(200);
  }
  const { receiver } = whole.pipeline;
  const [smtp, throughLmtp, http] = await Promise.all(
    ways.map(async (path) => {
      await receiver.nth(path, all.length);
      const payloads = receiver.received(path).map(({ payload }) => payload);
      return payloads
        .toSorted((one, other) => (one.event_id < other.event_id ? -1 : 1))
        .map((payload) => comparable(payload));
    }),
  );
  for (const [index, payload] of smtp!.entries())
    expect([throughLmtp![index], http![index]]).toEqual([payload, payload]);
});

async function* pieces(raw: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < raw.byteLength; at += 50_000) yield raw.subarray(at, at + 50_000);
}

test('M.2: the headers are the envelope, and each recipient has a result', async () => {
  const { address } = await whole.address('/envelope');
  const stranger = await whole.api.newAccount();
  const other = await whole.pipeline.address('/other', { account_id: stranger.id });
  const { status, body } = await submit(SIMPLE, {
    'Svc-Rcpt-To': `${address}, ${other.address}, nobody@in.example`,
    'Svc-Mail-From': 'bounce@sender.example',
    'Svc-Remote-Ip': '203.0.113.7',
    'Svc-Helo-Domain': 'mx.sender.example',
  });
  const { payload } = await whole.pipeline.receiver.nth('/envelope', 1);
  expect(status).toBe(200);
  expect(body.recipients).toEqual([
    {
      recipient: address,
      result: 'accepted',
      reply: `250 2.6.0 OK: stored as ${payload.event_id}`,
      event_id: payload.event_id,
    },
    ...[other.address, 'nobody@in.example'].map((recipient) => ({
      recipient,
      result: 'refused',
      reply: '550 5.1.1 No such address',
      event_id: null,
    })),
  ]);
  expect(payload.envelope).toMatchObject({
    mail_from: 'bounce@sender.example',
    remote_ip: '203.0.113.7',
    helo_domain: 'mx.sender.example',
  });
  expect(whole.pipeline.receiver.received('/other')).toEqual([]);
});

test('M.2: 422 when all refuse, also above the size limit; 415 for another type', async () => {
  const { address } = await whole.address('/refused');
  const to = { 'Svc-Rcpt-To': address };
  expect(await submit(SIMPLE, { 'Svc-Rcpt-To': 'nobody@in.example' })).toMatchObject({
    status: 422,
    body: { error: 'validation_failed', recipients: [{ result: 'refused' }] },
  });
  expect(await submit(Buffer.alloc(2_000_001, 'x'), to)).toMatchObject({
    status: 422,
    body: { recipients: [{ result: 'refused', reply: expect.stringMatching(/^552 /) as string }] },
  });
  expect(await submit('x', { ...to, 'Content-Type': 'text/plain' })).toMatchObject({ status: 415 });
  expect(await submit('x', {})).toMatchObject({
    status: 422,
    body: { error: 'validation_failed', details: { field: 'Svc-Rcpt-To', code: 'required' } },
  });
});

test('M.2: it needs the permission mail:submit, and the environment of the address', async () => {
  const { address } = await whole.address('/live');
  const to = { 'Svc-Rcpt-To': address };
  const { token } = await whole.api.issue({ permissions: ['addresses:write'] });
  expect(await submit(SIMPLE, to, token)).toMatchObject({ status: 403 });
  const test_ = await whole.api.issue({ permissions: ['mail:submit'], environment: 'test' });
  expect(await submit(SIMPLE, to, test_.token)).toMatchObject({ status: 422 });
  const live = await whole.api.issue({ permissions: ['mail:submit'] });
  expect(await submit(SIMPLE, to, live.token)).toMatchObject({ status: 200 });
});
