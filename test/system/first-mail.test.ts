/**
 * The whole system as `npm start` runs it: emails arrive over SMTP, webhooks are checked at an
 * HTTPS receiver.
 */
import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';

import { type Answer, signatureHolds } from '../support/receiver.ts';
import { play } from '../support/smtp-play.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { useInFile } from '../support/use-in-file.ts';
import { webhookDocuments } from '../support/webhook-documents.ts';

const system = await useInFile(
  startWholeSystem({ RETRY_SCHEDULE: '30ms,60ms,60ms', WEBHOOK_TIMEOUT: '1s' }),
);

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('spec 6.1: a multipart email with attachments and inline images, field by field', async () => {
  const address = await system.address('/multipart');
  const pdf = randomBytes(5_000);
  await system.mailer.sendMail({
    from: 'Änn <ann@sender.example>',
    to: `"Orders" <${address.address}>`,
    cc: 'Bob <bob@else.example>, carol@else.example',
    replyTo: 'desk@sender.example',
    subject: 'Bestellung № 7 — größer',
    date: new Date('2026-01-02T03:04:05Z'),
    messageId: '<7@sender.example>',
    inReplyTo: '<6@in.example>',
    references: ['<5@in.example>', '<6@in.example>'],
    text: 'Zwei, bitte.\n',
    html: '<p>Zwei, bitte. <img src="cid:logo@sender.example"></p>',
    attachments: [
      { filename: 'Rechnung größer.pdf', content: pdf, contentType: 'application/pdf' },
      {
        filename: 'logo.png',
        content: PIXEL,
        cid: 'logo@sender.example',
        contentType: 'image/png',
      },
    ],
  });
  const webhook = await system.receiver.nth('/multipart', 1);
  expect(signatureHolds(webhook, address.webhook_secret)).toBe(true);
  const { size_bytes } = webhook.payload.content;
  expect(size_bytes).toBeGreaterThan((5_000 * 4) / 3);
  expect(webhook.payload).toEqual({
    event_id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
    address_id: address.id,
    thread_id: expect.stringMatching(/^thr_/),
    timestamp: expect.stringMatching(TIMESTAMP),
    recipient: address.address,
    recipients: [address.address],
    envelope: {
      mail_from: 'ann@sender.example',
      rcpt_to: [address.address],
      helo_domain: expect.any(String),
      remote_ip: '127.0.0.1',
    },
    headers: {
      from: '"Änn" <ann@sender.example>',
      to: `"Orders" <${address.address}>`,
      cc: '"Bob" <bob@else.example>, carol@else.example',
      bcc: null,
      subject: 'Bestellung № 7 — größer',
      date: '2026-01-02T03:04:05Z',
      message_id: '<7@sender.example>',
      in_reply_to: '<6@in.example>',
      references: '<5@in.example> <6@in.example>',
      reply_to: 'desk@sender.example',
      all: expect.arrayContaining([{ name: 'Subject', value: 'Bestellung № 7 — größer' }]),
    },
    content: {
      text: 'Zwei, bitte.\n',
      html: '<p>Zwei, bitte. <img src="cid:logo@sender.example"></p>',
      size_bytes,
    },
    attachments: expect.toSatisfy((list: { filename: string }[]) => list.length === 2),
    spam: {
      score: 0,
      verdict: 'not_spam',
      details: { spf: 'none', dkim: 'none', dmarc: 'none' },
      scored_by: 'inlet',
      rules: [],
    },
    authentication: null,
    plus_tag: null,
    auto_submitted: false,
    is_bounce: false,
    is_list: false,
    reply_text: expect.toSatisfy((text: string | null) => text === null || text.startsWith('Zwei')),
    parse_warnings: [],
    metadata: {
      received_at: expect.stringMatching(TIMESTAMP),
      processing_time_ms: expect.any(Number),
      retry_count: 0,
    },
  });
  const byName = Object.fromEntries(webhook.payload.attachments.map((one) => [one.filename, one]));
  expect(byName['Rechnung größer.pdf']).toEqual({
    filename: 'Rechnung größer.pdf',
    content_type: 'application/pdf',
    size_bytes: 5_000,
    content: pdf.toString('base64'),
    content_id: null,
    method: null,
  });
  expect(byName['logo.png']).toEqual({
    filename: 'logo.png',
    content_type: 'image/png',
    size_bytes: PIXEL.length,
    content: PIXEL.toString('base64'),
    content_id: 'logo@sender.example',
    method: null,
  });
});

describe('spec 3, 6.2: retries with the same event_id and a counted retry', () => {
  test.each<[name: string, broken: Answer]>([
    ['a 503', 503],
    ['a 429', 429],
    ['a timeout', () => undefined],
  ])('%s', async (name, broken) => {
    const path = `/retry/${encodeURIComponent(name)}`;
    const address = await system.address(path);
    system.receiver.answer(path, (count) => (count <= 2 ? broken : 200));
    await system.mailer.sendMail({
      from: 'a@b.example',
      to: address.address,
      subject: name,
      text: name,
    });
    await system.receiver.nth(path, 3);
    const webhooks = system.receiver.received(path);
    expect(webhooks.map(({ payload }) => payload.metadata.retry_count)).toEqual([0, 1, 2]);
    expect(new Set(webhooks.map(({ payload }) => payload.event_id)).size).toBe(1);
    expect(webhooks.every((one) => signatureHolds(one, address.webhook_secret))).toBe(true);
  });

  test('a refused connection, until the URL is changed; D8: the change applies to the retry', async () => {
    const address = await system.address('/unused', { webhook_url: 'https://localhost:1/' });
    await system.mailer.sendMail({
      from: 'a@b.example',
      to: address.address,
      subject: 'refused',
      text: 'refused',
    });
    await system.call('PATCH', `/addresses/${address.id}`, {
      webhook_url: system.receiver.url('/moved'),
    });
    const webhook = await system.receiver.nth('/moved', 1);
    expect(webhook.payload.metadata.retry_count).toBeGreaterThanOrEqual(0);
    expect(signatureHolds(webhook, address.webhook_secret)).toBe(true);
  });

  test('a 401 is final', async () => {
    const address = await system.address('/401');
    system.receiver.answer('/401', () => 401);
    await system.mailer.sendMail({
      from: 'a@b.example',
      to: address.address,
      subject: '401',
      text: '401',
    });
    await system.receiver.nth('/401', 1);
    const later = await system.address('/after-401');
    await system.mailer.sendMail({
      from: 'a@b.example',
      to: later.address,
      subject: 'after',
      text: 'after',
    });
    await system.receiver.nth('/after-401', 1);
    expect(system.receiver.received('/401')).toHaveLength(1);
  });
});

test('D22: several recipients of one transaction get one event each', async () => {
  const [one, two] = [await system.address('/one'), await system.address('/two')];
  await system.mailer.sendMail({
    from: 'a@b.example',
    to: [one.address, two.address],
    subject: 'both',
    text: 'both',
  });
  const [first, second] = [
    await system.receiver.nth('/one', 1),
    await system.receiver.nth('/two', 1),
  ];
  expect(first.payload.event_id).not.toBe(second.payload.event_id);
  expect([first.payload.address_id, second.payload.address_id]).toEqual([one.id, two.id]);
  expect(first.payload.envelope.rcpt_to).toEqual([one.address, two.address]);
});

test('D7, D21: unknown, deleted, disabled and expired addresses are refused at RCPT', async () => {
  const { smtp_port, mongodb_uri } = system.standalone.state();
  const [disabled, deleted, expired] = [
    await system.address('/no'),
    await system.address('/no'),
    await system.address('/no', { ttl_hours: 1 }),
  ];
  await system.call('PATCH', `/addresses/${disabled.id}`, { is_enabled: false });
  await system.call('DELETE', `/addresses/${deleted.id}`);
  await using client = new MongoClient(mongodb_uri);
  await client
    .db('inlet')
    .collection<{ _id: string }>('addresses')
    .updateOne({ _id: expired.id }, { $set: { expires_at: new Date(Date.now() - 1_000) } });
  const replies = await play(smtp_port, [
    ['EHLO mx.sender.example', '250'],
    ['MAIL FROM:<a@b.example>', '250'],
    [`RCPT TO:<nobody@${disabled.address.split('@')[1]}>`, '550 5.1.1'],
    [`RCPT TO:<${deleted.address}>`, '550 5.1.1'],
    [`RCPT TO:<${expired.address}>`, '550 5.1.1'],
    [`RCPT TO:<${disabled.address}>`, '550 5.2.1'],
    ['DATA', '503'],
  ]);
  expect(replies).toHaveLength(7);
});

test('a 20 MiB attachment arrives byte for byte', async () => {
  const address = await system.address('/large');
  const content = randomBytes(20 * 1024 * 1024 * 0.73); // Base64 makes it 20 MiB
  await system.mailer.sendMail({
    from: 'a@b.example',
    to: address.address,
    subject: 'large',
    text: 'large',
    attachments: [{ filename: 'large.bin', content }],
  });
  const webhook = await system.receiver.nth('/large', 1);
  expect(webhook.payload.attachments[0]).toMatchObject({
    filename: 'large.bin',
    size_bytes: content.byteLength,
  });
  expect(Buffer.from(webhook.payload.attachments[0]?.content ?? '', 'base64').equals(content)).toBe(
    true,
  );
  expect(signatureHolds(webhook, address.webhook_secret)).toBe(true);
});

test('SMTPUTF8: an email from a non-ASCII sender with raw UTF-8 headers', async () => {
  const address = await system.address('/utf8');
  await play(system.standalone.state().smtp_port, [
    ['EHLO mx.sender.example', '250'],
    ['MAIL FROM:<jürgen@bücher.example> SMTPUTF8 BODY=8BITMIME', '250'],
    [`RCPT TO:<${address.address}>`, '250'],
    ['DATA', '354'],
    [
      `From: Jürgen <jürgen@bücher.example>\r\nTo: <${address.address}>\r\nSubject: größer 漢字\r\n` +
        'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n' +
        'naïve 漢字\r\n.',
      '250 2.6.0',
    ],
  ]);
  const { payload } = await system.receiver.nth('/utf8', 1);
  expect(payload.headers).toMatchObject({
    subject: 'größer 漢字',
    from: expect.stringContaining('jürgen@'),
  });
  expect(payload.envelope.mail_from).toMatch(/^jürgen@/);
  expect(payload.content.text).toContain('naïve 漢字');
});

test('X.1: every webhook is as the JSON Schema and the OpenAPI document of the API say', async () => {
  const { problems } = await webhookDocuments(system.standalone.state().api_url);
  const webhooks = system.receiver.received();
  expect(webhooks.length).toBeGreaterThan(10);
  expect(webhooks.flatMap((webhook) => problems('email', webhook))).toEqual([]);
  const [{ headers, payload } = expect.fail('no webhook')] = webhooks;
  const { 'webhook-id': _, ...others } = headers;
  const changed = { ...payload, plus_tag: 7, undeclared: true };
  expect(problems('email', { headers: others, payload: changed })).toEqual([
    expect.stringMatching(/email headers: .*webhook-id/s),
    expect.stringMatching(
      /openapi\.json: .*undeclared.*plus_tag|openapi\.json: .*plus_tag.*undeclared/s,
    ),
    expect.stringMatching(/payload\.schema\.json: .*plus_tag/s),
  ]);
});
