/**
 * Parsing of raw emails: parts, names, charsets, and what remains of malformed emails (spec 6.1,
 * D23).
 */
import { describe, expect, test } from 'vitest';

import { parseMail, rescueMail } from '../../../services/adapters/mime/parse.ts';
import { buildPayload } from '../../../services/core/webhook/build-payload.ts';
import { WebhookPayload } from '../../../services/core/webhook/payload.ts';
import { writtenPayload } from '../../../services/core/webhook/payload-bytes.ts';
import { fullMail, fullMailShown } from '../../fixtures/full-mail.ts';
import { payloadFacts } from '../../support/payload-facts.ts';
import { fc, runs } from '../../support/random.ts';

const read = async (...parts: (string | Buffer)[]) =>
  parseMail(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
  );
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const multipart = (subtype: string, ...parts: string[]) =>
  `Content-Type: multipart/${subtype}; boundary=b\r\n\r\n` +
  `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
const attached = async (part: string) =>
  (await read(multipart('mixed', '\r\ntext', part))).attachments[0];
const headersOf = async (...raw: (string | Buffer)[]) => (await read(...raw, '\r\n\r\nx')).headers;

test('spec 6.1: an email with everything has every field', async () => {
  const mail = parseMail(fullMail);
  const payload = buildPayload(payloadFacts({ mail, sizeBytes: fullMail.byteLength }));
  expect(writtenPayload(payload)).toMatchObject(fullMailShown);
});

describe('bodies', () => {
  test.each([
    [
      'plain text alone: no HTML is derived from it',
      'Subject: x\r\n\r\nhello\r\n',
      'hello\n',
      null,
    ],
    [
      'HTML alone: no text is derived from it',
      'Content-Type: text/html\r\n\r\n<p>hi</p>',
      null,
      '<p>hi</p>',
    ],
    [
      'both',
      multipart(
        'alternative',
        'Content-Type: text/plain\r\n\r\nplain',
        'Content-Type: text/html\r\n\r\n<b>rich</b>',
      ),
      'plain',
      '<b>rich</b>',
    ],
    [
      'a text next to HTML is in both, because a reader of either must find it',
      multipart(
        'mixed',
        '\r\nthe <intro>\r\n& more\r\n',
        'Content-Type: text/html\r\n\r\n<b>rich</b>',
      ),
      'the <intro>\n& more\n\n',
      '<p>the &lt;intro&gt;<br/>\n&amp; more</p><br/>\n<b>rich</b>',
    ],
    [
      'the footer of a mailing list',
      multipart(
        'mixed',
        multipart(
          'alternative',
          'Content-Type: text/plain\r\n\r\nplain',
          'Content-Type: text/html\r\n\r\n<b>rich</b>',
        ).replaceAll(/(boundary=|--)b/g, '$1c'),
        '\r\nfooter',
      ),
      'plain\nfooter',
      '<b>rich</b><br/>\n<p>footer</p>',
    ],
    ['a type without a subtype', 'Content-Type: text\r\n\r\nhello', 'hello', null],
    [
      'a type that ends in a comma',
      'Content-Type: text/html, charset=utf-8\r\n\r\n<p>ü',
      null,
      '<p>ü',
    ],
    ['two texts are joined', multipart('mixed', '\r\none', '\r\ntwo'), 'one\ntwo', null],
    ['links stay text', '\r\nsee https://x.example/ now', 'see https://x.example/ now', null],
    [
      'format=flowed is put together',
      'Content-Type: text/plain; format=flowed\r\n\r\none \r\ntwo',
      'one two',
      null,
    ],
    [
      'RFC 3676: each quoting depth flows separately, a signature never',
      'Content-Type: text/plain; format=flowed\r\n\r\n> a \r\n> b \r\n>> c\r\n from \r\nhere \r\n-- \r\nAnn',
      '> a b \n>> c\nfrom here \n-- \nAnn',
      null,
    ],
    [
      'RFC 3676: DelSp removes the space',
      'Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\nlo \r\nng \r\n',
      'long',
      null,
    ],
    [
      'empty parts',
      multipart(
        'alternative',
        'Content-Type: text/plain\r\n\r\n',
        'Content-Type: text/html\r\n\r\n',
      ),
      null,
      null,
    ],
    ['a body without any header', '\r\nhello', 'hello', null],
    ['only headers', 'Subject: x\r\n', null, null],
    ['nothing at all', '', null, null],
  ])('D23: %s', async (_, raw, text, html) => {
    expect(await read(raw)).toMatchObject({ text, html, attachments: [], warnings: [] });
  });
});

describe('attachments', () => {
  test('bytes are unchanged', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256));
    const part =
      'Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n' +
      bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
    expect(Buffer.compare((await attached(part))?.content as Buffer, bytes)).toBe(0);
  });

  test('8-bit bytes without an encoding are unchanged', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x80, 0xfc]);
    const { attachments } = await read(
      'Content-Type: application/octet-stream\r\nSubject: x\r\n\r\n',
      bytes,
    );
    expect(attachments).toMatchObject([{ content: bytes }]);
  });

  test('an inline image is known by its Content-ID without brackets, and the HTML still refers to it', async () => {
    const image =
      'Content-Type: image/png\r\nContent-Disposition: inline\r\nContent-ID: <Logo@x>\r\n' +
      'Content-Transfer-Encoding: base64\r\n\r\niVBORw==';
    const mail = await read(
      multipart('related', 'Content-Type: text/html\r\n\r\n<img src="cid:Logo@x">', image),
    );
    expect(mail).toMatchObject({
      html: '<img src="cid:Logo@x">',
      attachments: [
        {
          contentType: 'image/png',
          contentId: 'Logo@x',
          content: Buffer.from('iVBORw==', 'base64'),
        },
      ],
    });
  });

  test.each(['attachment', 'inline'])(
    'a forwarded email (%s) is one attachment, byte for byte, and its text is not part of ours',
    async (disposition) => {
      const inner =
        'From: in@x.example\r\nSubject: inner\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n' +
        '--c\r\n\r\ninner text \r\n--c--\r\n';
      const mail = await read(
        multipart(
          'mixed',
          '\r\nouter text',
          `Content-Type: message/rfc822\r\nContent-Disposition: ${disposition}; filename=fwd.eml\r\n\r\n${inner}`,
        ),
      );
      expect(mail).toMatchObject({
        text: 'outer text',
        attachments: [
          { filename: 'fwd.eml', contentType: 'message/rfc822', content: Buffer.from(inner) },
        ],
      });
    },
  );

  test.each([
    [
      'next to the text',
      'mixed',
      'Content-Type: text/plain; name=notes.txt\r\n\r\nnotes',
      'notes.txt',
    ],
    [
      'inline',
      'mixed',
      'Content-Type: text/html\r\nContent-Disposition:\r\n inline; filename="page.html"\r\n\r\nnotes',
      'page.html',
    ],
  ])('a text with a file name is an attachment (%s)', async (_, subtype, part, filename) => {
    expect(await read(multipart(subtype, '\r\ntext', part))).toMatchObject({
      text: 'text',
      html: null,
      attachments: [{ filename, content: Buffer.from('notes') }],
    });
  });

  test('a blank is no name', async () => {
    const part = 'Content-Type: text/html\r\nContent-Disposition: inline; filename=" "\r\n\r\nrich';
    expect(await read(multipart('mixed', '\r\ntext', part))).toMatchObject({
      html: expect.stringContaining('rich') as string,
      attachments: [],
    });
  });

  test('a first or only text, and an alternative, are not attachments, whatever their names are', async () => {
    expect(
      await read(
        multipart(
          'alternative',
          'Content-Type: text/plain; name=a.txt\r\n\r\nplain',
          'Content-Type: text/html; name=a.html\r\n\r\nrich',
        ),
      ),
    ).toMatchObject({ text: 'plain', html: 'rich', attachments: [] });
    expect(await read('Content-Type: text/plain; name=a.txt\r\n\r\nplain')).toMatchObject({
      text: 'plain',
      attachments: [],
    });
  });

  test('a part without a type gets one', async () => {
    expect(
      await attached('Content-Type: ;name=x\r\nContent-Disposition: attachment\r\n\r\nx'),
    ).toMatchObject({ contentType: expect.stringMatching(/^\w+\/[\w-]+$/) });
  });

  test.each([
    [
      'in the alternative with the texts',
      'alternative',
      'Content-Type: text/calendar; charset=utf-8; method=REQUEST\r\n\r\nBEGIN:VCALENDAR',
      'REQUEST',
    ],
    [
      'with the method in its Content-Type',
      'mixed',
      'Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\nmethod:reply\r\n',
      'REPLY',
    ],
    ['without a method', 'mixed', 'Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR', null],
    [
      'that cancels under another type',
      'mixed',
      'Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\nMETHOD:CANCEL\r\n',
      'CANCEL',
    ],
  ])('an invitation %s is an attachment with its method', async (_, subtype, part, method) => {
    const { attachments, text } = await read(multipart(subtype, '\r\nplain', part));
    expect(text).toBe('plain');
    expect(attachments).toMatchObject([
      {
        contentType: 'text/calendar',
        method,
        content: Buffer.from(part.slice(part.indexOf('\r\n\r\n') + 4)),
      },
    ]);
  });

  test('the method is found after other properties, and in Base64', async () => {
    const invitation = Buffer.from(
      `BEGIN:VCALENDAR\r\nPRODID:x\r\n${'X-WR-RELCALID:y\r\n'.repeat(300)}METHOD:CANCEL\r\n`,
    );
    expect(
      await attached(
        `Content-Type: text/calendar\r\nContent-Transfer-Encoding: base64\r\n\r\n${invitation.toString('base64')}`,
      ),
    ).toMatchObject({ method: 'CANCEL', content: invitation });
  });

  test('only an invitation has a method', async () => {
    expect(await attached('Content-Type: application/pdf; method=REQUEST\r\n\r\nx')).toMatchObject({
      method: null,
    });
  });

  test.each([
    [
      'an image without a disposition',
      'Content-Type: image/png; name=image001.png\r\nContent-ID: <image001.png@01D0>',
      { filename: 'image001.png', contentId: 'image001.png@01D0' },
    ],
    [
      'an inline image without a name',
      'Content-Type: image/png\r\nContent-ID: <Logo@X>',
      { filename: null, contentId: 'Logo@X' },
    ],
    [
      'an inline image without an id',
      'Content-Type: image/png\r\nContent-Disposition: inline; filename=a.png',
      { filename: 'a.png', contentId: null },
    ],
    [
      'an id without brackets',
      'Content-Type: image/png\r\nContent-ID: Logo@X',
      { contentId: 'Logo@X' },
    ],
    [
      'an id with too many brackets',
      'Content-Type: image/png\r\nContent-ID:  << Logo@X> >',
      { contentId: 'Logo@X' },
    ],
  ])('%s', async (_, head, shown) => {
    expect(
      await attached(`${head}\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw==`),
    ).toMatchObject({
      contentType: 'image/png',
      content: Buffer.from('iVBORw==', 'base64'),
      ...shown,
    });
  });

  test('the parts of a delivery report stay separate', async () => {
    const status =
      'Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; a@b.example\r\nAction: failed';
    const { text, attachments } = await read(
      multipart(
        'report; report-type=delivery-status',
        '\r\nit failed',
        `Content-Type: message/delivery-status\r\n\r\n${status}`,
        'Content-Type: message/rfc822\r\n\r\nSubject: old\r\n\r\nx',
      ),
    );
    expect(text).toBe('it failed');
    expect(attachments).toMatchObject([
      { contentType: 'message/delivery-status', content: Buffer.from(status) },
      { contentType: 'message/rfc822' },
    ]);
  });
});

describe('headers', () => {
  test('D23: absent ones are null', async () => {
    const { all, ...fields } = (await read('\r\nx')).headers;
    expect(new Set(Object.values(fields))).toEqual(new Set([null]));
    expect(all).toEqual([]);
  });

  test('D23: so are empty ones', async () => {
    expect(await headersOf('To: \r\nSubject:\r\nMessage-ID:')).toMatchObject({
      to: null,
      subject: null,
      message_id: null,
    });
  });

  test('every header is listed, repeated ones too, in order, decoded', async () => {
    const { all } = await headersOf(
      'Received: from a\r\n\tby b\r\nReceived: from c\r\n' +
        'X-Name: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nNo header at all\r\nEmpty:',
    );
    expect(all).toEqual([
      { name: 'Received', value: 'from a\tby b' },
      { name: 'Received', value: 'from c' },
      { name: 'X-Name', value: 'Grüße' },
      { name: 'Empty', value: '' },
    ]);
  });

  test('RFC 6532: raw UTF-8', async () => {
    expect(await headersOf('From: Jörg <jörg@bücher.example>\r\nSubject: Grüße 🎉')).toMatchObject({
      from: '"Jörg" <jörg@bücher.example>',
      subject: 'Grüße 🎉',
    });
  });

  test('a date that is folded, and one that is none', async () => {
    const { date } = await headersOf('Date: Sun, 1 Mar\r\n 2026 12:00:00 +0130');
    expect(date?.toISOString()).toBe('2026-03-01T10:30:00.000Z');
    expect((await headersOf('Date: yesterday')).date).toBeNull();
  });
});

describe('malformed emails', () => {
  test('a multipart without its boundary is its body as text', async () => {
    expect(
      await read('Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\nhere I am'),
    ).toMatchObject({ headers: { subject: 'x' }, text: 'here I am' });
    expect(await read('Content-Type: multipart/mixed\r\n\r\nhere I am')).toMatchObject({
      text: 'here I am',
    });
  });

  const pdf =
    'Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nQUJD';
  test('RFC 2046: an unclosed multipart ends where the outer one continues', async () => {
    const mail = await read(
      multipart(
        'mixed',
        'Content-Type: multipart/alternative; boundary=i\r\n\r\n' +
          '--i\r\n\r\nplain\r\n--i\r\nContent-Type: text/html\r\n\r\nrich',
        pdf,
      ),
    );
    expect(mail).toMatchObject({
      text: 'plain',
      html: 'rich',
      attachments: [{ filename: 'a.pdf', content: Buffer.from('ABC') }],
    });
  });

  test('RFC 2046: spaces after a boundary are not part of it', async () => {
    const mail = await read(
      multipart('mixed', '\r\nplain', pdf).replaceAll(/^--b(--)?/gm, '$& \t'),
    );
    expect(mail).toMatchObject({
      text: 'plain',
      attachments: [{ filename: 'a.pdf', content: Buffer.from('ABC') }],
      warnings: [],
    });
  });

  const withBoundary = (boundary: string) =>
    read(multipart('mixed', '\r\nplain', pdf).replaceAll(/(boundary=|--)b/g, `$1${boundary}`));
  test('RFC 2046 §5.1.1: a boundary of more than 70 characters has a warning', async () => {
    expect(await withBoundary('b'.repeat(70))).toMatchObject({
      text: 'plain',
      attachments: [{ filename: 'a.pdf' }],
      warnings: [],
    });
    expect(await withBoundary('b'.repeat(71))).toMatchObject({
      text: 'plain',
      attachments: [{ filename: 'a.pdf' }],
      warnings: [{ code: 'boundary_too_long' }],
    });
    expect(await withBoundary('b'.repeat(901))).toMatchObject({
      text: expect.stringContaining('plain') as string,
      attachments: [],
      warnings: [{ code: 'boundary_too_long' }, { code: 'no_parts_found' }],
    });
  });

  test('a multipart in another one with the same boundary, and a file behind its end', async () => {
    const inner = 'Content-Type: multipart/alternative; boundary=b\r\n\r\n';
    const file = 'Content-Type: application/zip; name=a.zip\r\n\r\nPK';
    const mail = await read(
      `${inner.replace('alternative', 'mixed')}--b\r\n${inner}--b\r\n\r\nplain\r\n` +
        `--b\r\nContent-Type: text/html\r\n\r\n<p>plain\r\n--b--\r\n--b\r\n${file}\r\n--b--\r\n`,
    );
    expect(mail).toMatchObject({
      text: expect.stringContaining('plain') as string,
      html: expect.stringContaining('<p>plain') as string,
      attachments: [{ filename: 'a.zip', content: Buffer.from('PK') }],
      warnings: [{ code: 'parts_behind_end' }],
    });
  });

  test.each(['\t', ' ', '\ufeff'])(
    '%j before the first header is not part of it',
    async (blank) => {
      expect(await read(`${blank}${multipart('mixed', '\r\nplain', pdf)}`)).toMatchObject({
        text: 'plain',
        attachments: [{ filename: 'a.pdf' }],
        headers: { all: [{ name: 'Content-Type' }] },
      });
    },
  );

  test('RFC 2046: an unknown multipart subtype is treated as mixed, in any case', async () => {
    for (const subtype of ['x-own', 'mi"xed', 'a$&b'])
      expect(await read(multipart(subtype, '\r\nplain', pdf))).toMatchObject({
        text: 'plain',
        attachments: [{ filename: 'a.pdf', contentType: 'application/pdf' }],
      });
  });

  test('a bare CR in a header hides no charset', async () => {
    expect(
      await read(
        'Content-Type: text/plain; x=\r; charset=utf-16le\r\n\r\n',
        Buffer.from('hi', 'utf16le'),
      ),
    ).toMatchObject({ text: 'hi' });
  });

  test('a multipart part without its boundary is an attachment, with a warning', async () => {
    const mail = await read(
      multipart(
        'mixed',
        '\r\nplain',
        'Content-Type: multipart/alternative; boundary=other\r\n\r\nthe rest',
      ),
    );
    expect(mail).toMatchObject({
      text: 'plain',
      attachments: [{ contentType: 'application/octet-stream', content: Buffer.from('the rest') }],
      warnings: [{ code: 'no_parts_found' }],
    });
  });

  test('line ends in encoded words become spaces, so one header cannot become two', async () => {
    const hidden = '=?utf-8?q?a=0D=0ABcc:_x=40y=00?=';
    const { headers, attachments } = await read(
      `Subject: ${hidden}\r\nFrom: ${hidden} <a@x.example>\r\nContent-Type: application/x; name="${hidden}"\r\n\r\nx`,
    );
    expect(headers.subject).toBe('a Bcc: x@y ');
    expect(
      JSON.stringify({ headers, names: attachments.map(({ filename }) => filename) }),
    ).not.toMatch(/\\r|\\n|\\u0000/);
  });

  test('lone surrogates are replaced, because not every JSON parser accepts them', async () => {
    const mail = await read(
      'Subject: =?utf-7?q?+2AA-?=\r\nContent-Type: text/plain; charset=utf-7\r\n\r\n+2AA-',
    );
    expect([mail.text, mail.headers.subject]).toEqual(['\ufffd', '\ufffd']);
  });

  test('if an email cannot be parsed as a whole, its first text is shown, decoded', async () => {
    const warning = { code: 'parse_timeout', message: '' };
    const text =
      'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: base64\r\n\r\n' +
      latin1('Gr\xfc\xdfe').toString('base64');
    const inner = multipart('alternative', text).replaceAll(/(boundary=|--)b/g, '$1c');
    expect(
      rescueMail(Buffer.from(`Subject: x\r\n${multipart('mixed', inner, pdf)}`), warning),
    ).toMatchObject({ headers: { subject: 'x' }, text: 'Grüße', warnings: [warning] });
    for (const blanks of ['', ' ', '  '])
      expect(
        rescueMail(Buffer.from(`Subject: x\r\n\r\n${blanks}${'漢字'.repeat(100_000)}`), warning)
          .text,
      ).toMatch(/^ *(漢字)+漢?$/); // cut in each of the three bytes
  });

  test('arbitrary bytes are shown as text', async () => {
    expect(await read(Buffer.from([0, 255, 254, 13, 10, 13, 10, 65, 0x80]))).toMatchObject({
      text: '\0ÿþ\n\nA€',
      warnings: [{ code: 'malformed_headers' }, { code: 'guessed_charset' }],
    });
  });

  test('any bytes have a result that fits into a payload', async () => {
    const pieces = fc.constantFrom(
      '\r\n',
      '\n',
      '\r\n\r\n',
      'Content-Type: multipart/mixed; boundary=b',
      '--b',
      '--b--',
      'Content-Type: text/html',
      'Content-Transfer-Encoding: base64',
      'Content-Transfer-Encoding: quoted-printable',
      'To: <',
      'Date: ',
      'Content-Type: message/rfc822',
      'Content-ID: <>',
      '=?utf-8?q?',
      "filename*0*=x''",
      'charset=utf-16',
      '\r\n--b\r\n',
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n',
      'Content-Type: ;name=x\r\n',
      'Content-Disposition: inline; name=x\r\n',
      '=?utf-16be?b?2AA=?=',
      '\x1b$B',
      '\t',
      ';',
      ':',
      '=',
      '"',
      ' ',
    );
    const noise = fc
      .uint8Array({ maxLength: 20 })
      .map((bytes) => Buffer.from(bytes).toString('latin1'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(pieces, noise), { maxLength: 40 }), async (parts) => {
        const raw = Buffer.from(parts.join(''), 'latin1');
        const mail = parseMail(raw);
        const unwritten = buildPayload(payloadFacts({ mail, sizeBytes: raw.byteLength }));
        const payload = writtenPayload(unwritten);
        const halves: string[] = []; // of characters
        const received = JSON.parse(JSON.stringify(payload), (_, value: unknown) => {
          if (typeof value === 'string' && !value.isWellFormed()) halves.push(value);
          return value;
        }) as unknown;
        expect(halves).toEqual([]);
        expect(WebhookPayload.parse(received)).toEqual(payload);
      }),
      runs(1000),
    );
  });
});
