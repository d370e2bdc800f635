/**
 * Varied emails as Inlet stores them: random heads over random trees of parts, and emails of
 * companies in fifteen languages. The seed of test/support/random.ts makes them.
 */
import { parseMail } from '../../services/adapters/mime/parse.ts';
import { UNKNOWN } from '../../services/core/mail/authentication.ts';
import { NOT_CHECKED } from '../../services/core/mail/spam.ts';
import { buildPayload } from '../../services/core/webhook/build-payload.ts';
import { encodePayload, slicesOf } from '../../services/core/webhook/payload-bytes.ts';
import type { WebhookPayload } from '../../services/core/webhook/payload.ts';
import { build, tree } from '../adapters/mime/mail-trees.ts';
import { fullMail } from '../fixtures/full-mail.ts';
import { fc, seed } from '../support/random.ts';

export type StoredMail = {
  raw: Buffer;
  payload: WebhookPayload;
  /** The payload as it is stored, in pieces of odd sizes. */
  stored: Uint8Array[];
};

const RECEIVED_AT = new Date('2026-11-21T08:00:01Z');

const name = fc.constantFrom(
  '',
  'Ann',
  '"Doe, John"',
  '"O\\"Neil \\\\ Sons"',
  '=?utf-8?q?J=C3=B6rg_M=C3=BCller=2C_GmbH?=',
  '=?iso-2022-jp?B?GyRCOzMbKEI=?=',
  '"a@b.example"',
  'Ünï Cödé',
  '(comment) Bob',
  '=?utf-8?b?2KPYrdmF2K8=?=',
);
const mailbox = fc
  .tuple(
    name,
    fc.constantFrom('ann', 'bob+tag', "o'neil", '"quoted local"', 'x.y', 'jörg'),
    fc.constantFrom('sender.example', 'bücher.example', 'xn--bcher-kva.example', 'SUB.Example.COM'),
  )
  .map(([display, local, domain]) =>
    display === '' ? `${local}@${domain}` : `${display} <${local}@${domain}>`,
  );
const mailboxes = fc
  .array(mailbox, { minLength: 1, maxLength: 4 })
  .map((all) => all.join(',\r\n '));
const list = fc.oneof(
  { weight: 6, arbitrary: mailboxes },
  fc.constantFrom('undisclosed-recipients:;', 'Team: ann@sender.example, bob@sender.example;', ''),
);
const subject = fc.constantFrom(
  'Order 7',
  '',
  '=?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n =?utf-8?q?_aus_Berlin?=',
  'Ünencoded 漢字 🎉',
  'x'.repeat(300),
  '=?utf-8?q?two=0D=0Alines: injected?=',
  'tab\there',
);
const odd = fc.constantFrom(
  'X-Spam-Status: No, forged',
  'X-Mailgun-Spf: Pass',
  'Received-SPF: Pass (forged)',
  'Return-Path: <forged@sender.example>',
  'Subject: another one',
  'From: another@sender.example',
  'To: another@sender.example',
  'Message-ID: <second@sender.example>',
  'Content-Type: text/plain',
  'MIME-Version: 1.0',
  'DKIM-Signature: v=1; a=rsa-sha256; d=sender.example;\r\n b=abc\r\n def=',
  'recipient: forged@sender.example',
  'signature: forged',
  '__proto__: x',
  'X-Latin: \xe9t\xe9',
  'X-Empty:',
  'bad name: x',
  'Reply-To: "Answers, please" <answers@sender.example>',
  'In-Reply-To: <6@shop.example>',
  'References: <5@shop.example>\r\n\t<6@shop.example>',
  'Content-ID: <whole@sender.example>',
  'Auto-Submitted: auto-replied',
);
const FIELDS = {
  From: fc.oneof({ weight: 9, arbitrary: mailbox }, list),
  To: list,
  Cc: fc.option(list),
  Bcc: fc.option(mailboxes),
  Subject: fc.option(subject, { freq: 9 }),
  Date: fc.option(
    fc.constantFrom(
      'Sat, 21 Nov 2026 09:00:00 +0100 (CET)',
      '21 Nov 2026 08:00 GMT',
      'yesterday',
      'Sat, 21 Nov 2026 99:00:00 +0100',
    ),
  ),
  'Message-ID': fc.option(fc.constantFrom('<7@sender.example>', 'no-brackets@x', '<a b@c>')),
};

/** Parts that the trees lack. */
const part = fc.constantFrom(
  'Content-Type: image/png; name=logo.png\r\nContent-ID: <logo@x>\r\n' +
    'Content-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=',
  'Content-Type: image/png; name=two.png\r\nContent-ID: <logo@x>\r\n' +
    'Content-Transfer-Encoding: base64\r\n\r\nAAECAwQ=',
  'Content-Type: application/pdf; name=empty.pdf\r\nContent-Disposition: attachment\r\n\r\n',
  'Content-Type: text/plain; charset=utf-16; name=notes.txt\r\nContent-Disposition: attachment\r\n' +
    'Content-Transfer-Encoding: base64\r\n\r\n//5hAGIA',
  'Content-Type: text/calendar; method=REQUEST\r\nContent-Disposition: attachment\r\n\r\n' +
    'BEGIN:VCALENDAR\r\nEND:VCALENDAR',
  'Content-Type: application/x-any\r\nContent-Disposition: attachment; filename="../.."\r\n\r\nup',
  'Content-Type: application/x-any\r\nContent-Disposition: attachment; filename="a\\"b\\\\c; d.txt"\r\n\r\nquoted',
  'Content-Type: application/x-any\r\nContent-Disposition: attachment; filename="C:\\\\x\\\\y.doc"\r\n\r\npath',
  'Content-Type: bad type\r\nContent-Disposition: attachment; filename=bad.bin\r\n\r\nbad',
  'Content-Type: application/x-any\r\nContent-Disposition: attachment\r\n\r\n--inlet-boundary\r\nno name',
);
const content = fc
  .tuple(tree.map(build), fc.array(part, { maxLength: 4 }))
  .map(([whole, parts]) => {
    if (parts.length === 0) return whole;
    const all = [whole, ...parts].map((one) => `--=_varied\r\n${one}\r\n`).join('');
    return `Content-Type: multipart/mixed; boundary="=_varied"\r\n\r\n${all}--=_varied--\r\n`;
  });

const email = fc
  .tuple(fc.record(FIELDS), fc.array(odd, { maxLength: 4 }), content)
  .map(([fields, further, body]) => {
    const head = Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([field, value]) => `${field}: ${value}`);
    const utf8 = [...head, ...further, 'MIME-Version: 1.0'].join('\r\n');
    return Buffer.concat([Buffer.from(`${utf8}\r\n`), Buffer.from(body, 'latin1')]);
  });

/** The first one is test/fixtures/full-mail.ts. */
export function variedEmails(count: number): StoredMail[] {
  const raws = [fullMail, ...fc.sample(email, { numRuns: count - 1, seed })];
  return raws.map((raw, at) => storedMail(raw, at));
}

export function storedMail(raw: Buffer, at = 0): StoredMail {
  const ours =
    `Return-Path: <bounce+${at}@sender.example>\r\n` +
    'Received: from mx by in.example with ESMTPS id 1; Sat, 21 Nov 2026 08:00:01 +0000\r\n';
  const recipient = at % 3 === 0 ? `Orders+${at}@in.example.com` : `orders${at}@in.example.com`;
  const built = buildPayload({
    eventId: `evt_${String(at).padStart(26, '0')}`,
    addressId: 'addr_1',
    envelope: {
      mailFrom: at % 7 === 0 ? '' : `bounce+${at}@sender.example`,
      heloDomain: 'mx.sender.example',
      remoteIp: '192.0.2.25',
    },
    named: [recipient],
    rcptTo: ['other@in.example.com', recipient],
    plusTag: at % 3 === 0 ? String(at) : undefined,
    mail: parseMail(Buffer.concat([Buffer.from(ours), raw])),
    sizeBytes: raw.byteLength,
    spam: { ...NOT_CHECKED, score: at % 10, verdict: at % 10 > 5 ? 'spam' : 'not_spam' },
    authentication: at % 2 === 0 ? undefined : UNKNOWN,
    receivedAt: RECEIVED_AT,
    now: RECEIVED_AT,
  });
  const bytes = Buffer.concat([...slicesOf(encodePayload(built), 48 * 1024)]);
  return {
    raw,
    payload: JSON.parse(bytes.toString()) as WebhookPayload,
    stored: inPieces(bytes, 1_009 + at),
  };
}

export function inPieces(bytes: Buffer, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes.byteLength; from += size)
    pieces.push(bytes.subarray(from, from + size));
  return pieces;
}
