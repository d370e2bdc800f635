/**
 * From SMTP to the receiver: the complete payload field by field, and difficult emails
 * (spec 6.1, D22 … D24).
 */
import { describe, expect, test } from 'vitest';

import { WebhookPayload } from '../../../services/core/webhook/payload.ts';
import { fullMail, fullMailShown } from '../../fixtures/full-mail.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { signatureHolds } from '../../support/receiver.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const pipeline = await useInFile(startPipeline());

/** Sends these bytes to a new address; resolves with the resulting webhook. */
async function deliver(path: string, raw: string | Buffer) {
  const address = await pipeline.address(path);
  await pipeline.mailer.sendMail({
    envelope: { from: 'ann@sender.example', to: address.address },
    raw,
  });
  const webhook = await pipeline.receiver.nth(path, 1);
  expect(signatureHolds(webhook, address.webhook_secret)).toBe(true);
  expect(WebhookPayload.safeParse(webhook.payload).error).toBeUndefined();
  return { ...webhook, address };
}

test('spec 6.1: every field of the payload of an email with attachments and an inline image', async () => {
  const sentAt = Math.floor(Date.now() / 1000) * 1000;
  const address = await pipeline.address('/full');
  await using smtp = await dialogue(pipeline.smtpPort);
  for (const line of [
    'EHLO mx.sender.example',
    'MAIL FROM:<joerg@sender.example> BODY=8BITMIME',
    `RCPT TO:<${address.address}>`,
    'DATA',
  ])
    await smtp.say(line);
  expect(await smtp.say(Buffer.concat([fullMail, Buffer.from('.\r\n')]))).toMatch(/^250 /);
  const { payload, headers } = await pipeline.receiver.nth('/full', 1);

  expect(payload).toEqual({
    event_id: headers['webhook-id'],
    address_id: address.id,
    recipient: address.address,
    recipients: [address.address],
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    envelope: {
      mail_from: 'joerg@sender.example',
      rcpt_to: [address.address],
      helo_domain: 'mx.sender.example',
      remote_ip: '127.0.0.1',
    },
    ...fullMailShown,
    headers: {
      ...fullMailShown.headers,
      all: [
        { name: 'Return-Path', value: '<joerg@sender.example>' },
        { name: 'Received', value: expect.stringContaining('by ') },
        ...fullMailShown.headers.all,
      ],
    },
    plus_tag: null,
    thread_id: expect.stringMatching(/^thr_/) as string,
    auto_submitted: false,
    is_bounce: false,
    is_list: false,
    reply_text: 'Schöne Grüße',
    parse_warnings: [],
    spam: {
      score: 0,
      verdict: 'not_spam',
      details: { spf: 'none', dkim: 'none', dmarc: 'none' },
      scored_by: 'inlet',
      rules: [],
    },
    authentication: null,
    metadata: {
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      processing_time_ms: expect.any(Number),
      retry_count: 0,
    },
  });
  expect(payload.event_id).toMatch(/^evt_[0-9a-z]{26}$/);
  const [received, built] = [
    Date.parse(payload.metadata.received_at),
    Date.parse(payload.timestamp),
  ];
  expect(received).toBeGreaterThanOrEqual(sentAt);
  expect(built).toBeGreaterThanOrEqual(received);
  expect(built).toBeLessThanOrEqual(Date.now());
});

describe('difficult emails', () => {
  test('large emails in sequence on a connection, with leading dots and pipelined commands', async () => {
    const address = await pipeline.address('/large-dots');
    await using smtp = await dialogue(pipeline.smtpPort);
    await smtp.say('EHLO mx.sender.example');
    for (const n of [1, 2]) {
      const lines = Array.from(
        { length: 40_000 },
        (_, i) => `${i % 500 === 0 ? '.' : ''}mail ${n}, line ${i}: ${'x'.repeat(60)}`,
      );
      for (const step of ['MAIL FROM:<ann@sender.example>', `RCPT TO:<${address.address}>`, 'DATA'])
        await smtp.say(step);
      const stuffed = lines.map((line) => (line.startsWith('.') ? `.${line}` : line)).join('\r\n');
      expect(
        await smtp.say(Buffer.from(`Subject: ${n}\r\n\r\n${stuffed}\r\n.\r\nNOOP\r\nRSET\r\n`)),
      ).toMatch(/^250 .*stored/);
      expect([await smtp.hear(), await smtp.hear()]).toEqual([
        expect.stringMatching(/^250 /),
        expect.stringMatching(/^250 /),
      ]);
      const { payload } = await pipeline.receiver.nth('/large-dots', n);
      expect(payload.content.text?.trimEnd() === lines.join('\n')).toBe(true);
      expect(payload.content.size_bytes).toBe(
        Buffer.byteLength(`Subject: ${n}\r\n\r\n${lines.join('\r\n')}\r\n`),
      );
    }
  });

  test('a Subject and a From of 100,000 characters', async () => {
    const long = 'ü'.repeat(100_000);
    const { payload } = await deliver(
      '/long-headers',
      `From: ${long} <ann@sender.example>\r\nSubject: ${long}\r\n\r\nx\r\n`,
    );
    expect(payload.headers).toMatchObject({
      subject: long,
      from: `"${long}" <ann@sender.example>`,
    });
    const record = await until('the record', () =>
      pipeline.mongo.db
        .collection<{ _id: string; subject: string }>('deliveries')
        .findOne({ _id: payload.event_id }),
    );
    expect(record.subject).toBe(long.slice(0, 1000));
  });

  test.each([
    [
      'arbitrary bytes',
      Buffer.from([0, 255, 254, 13, 10, 13, 10, 0, 1, 0x80, 65]),
      '\ufffdÿþ\n\n\ufffd\u0001€A\n',
    ],
    ['no header at all', Buffer.from('\r\njust text\r\n'), 'just text\n'],
    ['Latin-1 without a charset', Buffer.from('Subject: x\r\n\r\nf\xfcr\r\n', 'latin1'), 'für\n'],
    [
      'a multipart without its boundary',
      Buffer.from('Content-Type: multipart/mixed; boundary=b\r\n\r\nhere\r\n'),
      'here\r\n',
    ],
    [
      'an unknown charset',
      Buffer.from('Content-Type: text/plain; charset=nonsense\r\n\r\nhere\r\n'),
      'here\n',
    ],
    [
      'a broken encoding',
      Buffer.from(
        'Content-Transfer-Encoding: base64\r\nContent-Type: text/plain\r\n\r\n!!aGVyZQ==!!\r\n',
      ),
      'here',
    ],
    [
      'lines of a megabyte',
      Buffer.from(`\r\n${'x'.repeat(1_000_000)}\r\n`),
      `${'x'.repeat(1_000_000)}\n`,
    ],
    [
      'line ends of all kinds',
      Buffer.from('\r\na\rb\nc\r\n'),
      expect.stringMatching(/^a\r?\n?b\r?\nc\r?\n$/),
    ],
  ])('%s: delivered with what can be parsed', async (name, raw, text) => {
    const { payload } = await deliver(`/garbage/${encodeURIComponent(name)}`, raw);
    expect(payload.content.text).toEqual(text);
  });

  test('a bounce from the null sender', async () => {
    const address = await pipeline.address('/bounce');
    await pipeline.mailer.sendMail({
      envelope: { from: '', to: address.address },
      raw: 'Subject: Undelivered\r\n\r\nx\r\n',
    });
    expect((await pipeline.receiver.nth('/bounce', 1)).payload).toMatchObject({
      envelope: { mail_from: '' },
      headers: { subject: 'Undelivered', from: null },
    });
  });
});

test('D22: two accounts in one transaction do not see each other', async () => {
  const [ours, theirs] = [await pipeline.address('/ours'), await pipeline.address('/theirs')];
  await pipeline.mailer.sendMail({
    envelope: { from: 'ann@sender.example', to: [ours.address, theirs.address] },
    raw: 'Subject: both\r\n\r\nx\r\n',
  });
  const [one, other] = [
    await pipeline.receiver.nth('/ours', 1),
    await pipeline.receiver.nth('/theirs', 1),
  ];
  expect(one.raw.toString()).not.toContain(theirs.address);
  expect(other.raw.toString()).not.toContain(ours.address);
  expect(one.payload.event_id).not.toBe(other.payload.event_id);
});
