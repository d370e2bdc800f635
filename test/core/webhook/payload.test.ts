/**
 * The webhook's body, field by field (spec 6.1, D22 … D24), and how a later attempt differs from
 * the first.
 */
import { describe, expect, test } from 'vitest';

import { buildPayload } from '../../../services/core/webhook/build-payload.ts';
import {
  type ParsedMail,
  type UnwrittenPayload,
  WebhookPayload,
  NOTHING_READ,
} from '../../../services/core/webhook/payload.ts';
import {
  encodePayload,
  type PayloadPiece,
  slicesOf,
  writtenBytes,
  writtenLength,
  writtenPayload,
  piecesOfAttempt,
} from '../../../services/core/webhook/payload-bytes.ts';
import { mailWith, payloadFacts } from '../../support/payload-facts.ts';
import { fc, runs } from '../../support/random.ts';

const NO_NAME = {
  filename: null,
  contentType: 'image/png',
  content: Buffer.alloc(0),
  contentId: null,
  disposition: null,
  method: null,
};
const bytesOf = (payload: UnwrittenPayload) => writtenBytes(encodePayload(payload));

test('spec 6.1: every field, in the order of the document', () => {
  const mail = mailWith({
    headers: {
      from: '"Ann" <ann@sender.example>',
      to: 'box@in.example',
      cc: 'c@x.example',
      bcc: 'b@x.example',
      subject: 'Grüße',
      date: new Date('2026-03-01T11:59:00.500Z'),
      message_id: '<1@x>',
      in_reply_to: '<0@x>',
      references: '<0@x>',
      reply_to: 'r@x.example',
      all: [
        { name: 'X-Twice', value: 'a' },
        { name: 'X-Twice', value: 'b' },
      ],
    },
    text: 'plain',
    html: '<p>rich</p>',
    replyText: 'new',
    attachments: [
      {
        filename: 'a.bin',
        contentType: 'application/octet-stream',
        content: Buffer.from([0, 1, 255]),
        contentId: 'logo@x',
        disposition: 'inline',
        method: null,
      },
    ],
    warnings: [{ code: 'too_many_parts', message: 'x' }],
  });
  const payload = writtenPayload(buildPayload(payloadFacts({ mail, plusTag: 'tag' })));
  expect(payload).toEqual({
    event_id: 'evt_1',
    address_id: 'addr_1',
    timestamp: '2026-03-01T12:00:01Z',
    recipient: 'box@in.example',
    recipients: ['box@in.example'],
    envelope: {
      mail_from: 'ann@sender.example',
      rcpt_to: ['box@in.example'],
      helo_domain: 'mx.sender.example',
      remote_ip: '192.0.2.7',
    },
    headers: {
      from: '"Ann" <ann@sender.example>',
      to: 'box@in.example',
      cc: 'c@x.example',
      bcc: 'b@x.example',
      subject: 'Grüße',
      date: '2026-03-01T11:59:00Z',
      message_id: '<1@x>',
      in_reply_to: '<0@x>',
      references: '<0@x>',
      reply_to: 'r@x.example',
      all: [
        { name: 'X-Twice', value: 'a' },
        { name: 'X-Twice', value: 'b' },
      ],
    },
    content: { text: 'plain', html: '<p>rich</p>', size_bytes: 1234 },
    attachments: [
      {
        filename: 'a.bin',
        content_type: 'application/octet-stream',
        size_bytes: 3,
        content: 'AAH/',
        content_id: 'logo@x',
        disposition: 'inline',
        method: null,
      },
    ],
    spam: {
      score: 0,
      verdict: 'not_spam',
      details: { spf: 'none', dkim: 'none', dmarc: 'none' },
      scored_by: 'inlet',
      rules: [],
    },
    authentication: null,
    plus_tag: 'tag',
    thread_id: expect.stringMatching(/^thr_/) as string,
    auto_submitted: false,
    is_bounce: false,
    is_list: false,
    reply_text: 'new',
    parse_warnings: [{ code: 'too_many_parts', message: 'x' }],
    metadata: { received_at: '2026-03-01T12:00:00Z', processing_time_ms: 200, retry_count: 0 },
  });
  const {
    is_test: _onlyInTests,
    tags: _onlyByRules,
    extracted: _onlyIfAsked,
    reply: _onlyIfOn,
    virus: _onlyIfScanned,
    signature: _onlyIfSigned,
    encrypted: _onlyIfEncrypted,
    ...fields
  } = WebhookPayload.shape;
  expect(Object.keys(payload)).toEqual(Object.keys(fields));
});

test('D23: what the email does not have is null, and attachments are a list', () => {
  const payload = buildPayload(payloadFacts());
  const { all, ...headers } = payload.headers;
  expect(Object.values(headers)).toEqual(Array.from({ length: 10 }, () => null));
  expect(all).toEqual([]);
  expect(payload).toMatchObject({
    content: { text: null, html: null },
    attachments: [],
    plus_tag: null,
    reply_text: null,
    parse_warnings: [],
  });
});

test('D22: the recipients of the same account are listed as the client wrote them', () => {
  expect(
    buildPayload(payloadFacts({ rcptTo: ['Box@in.example', 'other@in.example'] })).envelope.rcpt_to,
  ).toEqual(['Box@in.example', 'other@in.example']);
});

test('D24: a clock that is set back causes no negative duration', () => {
  expect(
    buildPayload(payloadFacts({ now: new Date('2026-03-01T11:00:00Z') })).metadata,
  ).toMatchObject({
    processing_time_ms: 0,
  });
});

test('an attachment without a name is named by its number', () => {
  const { attachments } = buildPayload(
    payloadFacts({
      mail: mailWith({ attachments: [NO_NAME, { ...NO_NAME, filename: 'b.png' }, NO_NAME] }),
    }),
  );
  expect(attachments.map(({ filename }) => filename)).toEqual([
    'attachment-1',
    'b.png',
    'attachment-3',
  ]);
});

test('an attachment that is part of a larger buffer is sent without its neighbours', () => {
  const content = Buffer.from('before-middle-after').subarray(7, 13);
  const { attachments } = writtenPayload(
    buildPayload(payloadFacts({ mail: mailWith({ attachments: [{ ...NO_NAME, content }] }) })),
  );
  expect(attachments).toMatchObject([
    { size_bytes: 6, content: Buffer.from('middle').toString('base64') },
  ]);
});

const withRetryCount = (firstAttempt: Buffer, retryCount: number) =>
  Buffer.concat(piecesOfAttempt([firstAttempt], { retryCount }));

describe('a later attempt', () => {
  const anyText = fc.option(fc.string({ unit: 'binary', maxLength: 40 }), { nil: null });
  const anyMail = fc.record<ParsedMail>({
    headers: fc.record({
      from: anyText,
      to: anyText,
      cc: anyText,
      bcc: anyText,
      subject: anyText,
      message_id: anyText,
      in_reply_to: anyText,
      references: anyText,
      reply_to: anyText,
      all: fc.array(fc.record({ name: fc.string(), value: fc.string({ unit: 'binary' }) }), {
        maxLength: 3,
      }),
      date: fc.option(
        fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
        { nil: null },
      ),
    }),
    text: anyText,
    html: anyText,
    replyText: anyText,
    attachments: fc.array(
      fc.record({
        filename: anyText,
        contentType: fc.string(),
        content: fc.uint8Array(),
        contentId: anyText,
        disposition: fc.constantFrom('attachment', 'inline', null),
        method: anyText,
      }),
      { maxLength: 2 },
    ),
    warnings: fc.array(fc.record({ code: fc.string(), message: fc.string() }), { maxLength: 2 }),
  });

  test('spec 6.1: differs from the first only in retry_count, whatever the email is', () => {
    fc.assert(
      fc.property(anyMail, fc.integer({ min: 0, max: 1000 }), (mail, retryCount) => {
        const payload = buildPayload(payloadFacts({ mail: mailWith(mail) }));
        const later = JSON.parse(withRetryCount(bytesOf(payload), retryCount).toString('utf8'));
        expect(later).toEqual({
          ...writtenPayload(payload),
          metadata: { ...payload.metadata, retry_count: retryCount },
        });
        expect(WebhookPayload.safeParse(later).success).toBe(true);
      }),
    );
  });

  test('keeps every other byte', () => {
    const first = bytesOf(buildPayload(payloadFacts()));
    expect(withRetryCount(first, 12).toString()).toBe(
      first.toString().replace(/"retry_count":0}}$/, '"retry_count":12}}'),
    );
  });

  test('leaves the first attempt as it is, for the attempts after it', () => {
    const first = bytesOf(buildPayload(payloadFacts()));
    const before = Buffer.from(first);
    withRetryCount(first, 3);
    expect(first.equals(before)).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['other JSON', '{"metadata":{"retry_count":1}}'],
    ['half a payload', '0}'],
  ])('%s is not a payload', (_, text) => {
    expect(() => withRetryCount(Buffer.from(text), 1)).toThrow(
      'payload does not end with its retry count',
    );
  });
});

test('pieces are split into small ones with the same bytes', () => {
  const pieces = ['', 'abcdefg', 'hi', 'jkl'].map((text) => Buffer.from(text));
  expect([...slicesOf(pieces, 3)].map(String)).toEqual(['abc', 'def', 'g', 'hi', 'jkl']);
});

test('base64 slices can be joined, whatever their length is', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 200_000 }),
      fc.integer({ min: 32 * 1024, max: 100_000 }),
      (bytes, maxBytes) => {
        const content = Buffer.alloc(bytes, 'the content');
        const pieces: PayloadPiece[] = [Buffer.from('"'), { base64Of: content }, Buffer.from('"')];
        const slices = [...slicesOf(pieces, maxBytes)];
        expect(slices.every(({ byteLength }) => byteLength <= maxBytes)).toBe(true);
        expect(Buffer.concat(slices).toString()).toBe(`"${content.toString('base64')}"`);
        expect(writtenLength(pieces)).toBe(writtenBytes(pieces).byteLength);
      },
    ),
    runs(50),
  );
});

describe('texts in separate pieces', () => {
  const LARGE = 'ü"\\\u0001\n'.repeat(10_000);
  const mail: ParsedMail = {
    ...NOTHING_READ,
    text: LARGE,
    html: `<p>${LARGE}`,
    replyText: LARGE,
    attachments: [
      { ...NO_NAME, content: Buffer.alloc(300_001, 'a') },
      NO_NAME,
      { ...NO_NAME, content: Buffer.alloc(700_000, 'b') },
    ],
  };
  const plain = buildPayload(payloadFacts({ mail }));
  const whole = {
    ...plain,
    attachments: plain.attachments.map((part) => ({
      ...part,
      content: part.content && Buffer.from(part.content.base64Of).toString('base64'),
    })),
  };

  test('are at their place in the bytes, as pieces of their own', () => {
    expect(writtenPayload(plain)).toEqual(whole);
    const small = encodePayload(plain).filter((piece) => piece instanceof Uint8Array);
    expect(small.length).toBe(6); // around five large contents
    expect(writtenBytes(small).byteLength).toBeLessThan(3000);
  });

  test('are written in their order, however many there are', () => {
    const many = {
      ...NOTHING_READ,
      attachments: Array.from({ length: 12 }, (_, i) => ({
        ...NO_NAME,
        content: Buffer.alloc(30_000, `content ${i}`),
      })),
    };
    expect(
      writtenPayload(buildPayload(payloadFacts({ mail: many }))).attachments.map(
        ({ content }) => content,
      ),
    ).toEqual(many.attachments.map(({ content }) => content.toString('base64')));
  });

  test.each([
    ['short texts', { text: 'a "text"', html: null, attachments: [] }, 1],
    [
      'texts of 64 Ki characters',
      { text: '"'.repeat(32_768), html: 'b'.repeat(32_768), attachments: [] },
      1,
    ],
    ['more, in at most 512 KiB', { text: LARGE, html: LARGE, attachments: [NO_NAME] }, 1],
    ['more than 512 KiB', { text: '\u0001'.repeat(90_000), html: null, attachments: [] }, 3],
    [
      '512 KiB by an attachment',
      { text: null, html: null, attachments: [{ ...NO_NAME, content: Buffer.alloc(400_000) }] },
      3,
    ],
  ])('%s: written as JSON.stringify does, in one piece up to 512 KiB', (_, contents, pieces) => {
    const payload = buildPayload(payloadFacts({ mail: mailWith(contents) }));
    const written = encodePayload(payload);
    expect(written.length).toBe(pieces);
    const { attachments } = payload;
    expect(writtenBytes(written).toString()).toBe(
      JSON.stringify({
        ...payload,
        attachments: attachments.map((part) => ({
          ...part,
          content: part.content && Buffer.from(part.content.base64Of).toString('base64'),
        })),
      }),
    );
  });

  test('are not written where an address leaves attachments out', () => {
    const payload = buildPayload(
      payloadFacts({
        mail,
        settings: { attachments: 'omit', raw: false, extract: [], storage: null },
      }),
    );
    expect(writtenPayload(payload)).toEqual({
      ...whole,
      attachments: whole.attachments.map((part) => ({ ...part, content: null })),
    });
  });

  test('are the same bytes as with JSON.stringify of storable text, however they are split', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', '\u0001', '"', '\\', 'ü', '🎉', '\ud83c', '漢', '\0'),
        }),
        fc.integer({ min: 16_380, max: 16_390 }),
        (text, filler) => {
          const long = `${'x'.repeat(filler)}${text}${'🎉'.repeat(20_000)}`;
          const pieces: PayloadPiece[] = [{ jsonOf: long }];
          const written = writtenBytes(pieces);
          expect(`"${written.toString()}"`).toBe(
            JSON.stringify(long.toWellFormed().replaceAll('\0', '\ufffd')),
          );
          expect(writtenLength(pieces)).toBe(written.byteLength);
        },
      ),
    );
  });
});
