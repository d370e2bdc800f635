/**
 * Emails that break the rules of MIME: whatever appears nowhere else is shown as text, with a
 * warning (docs/receiving-webhooks.md).
 */
import { describe, expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';

const read = (...lines: (string | Buffer)[]) =>
  parseMail(Buffer.concat(lines.map((line) => Buffer.concat([Buffer.from(line), CRLF]))));
const CRLF = Buffer.from('\r\n');
const MIXED = 'Content-Type: multipart/mixed; boundary=b';
const HEADERS = [{ code: 'malformed_headers' }];
const ENCODING = [{ code: 'invalid_encoding' }];
const contentsOf = ({ attachments }: ReturnType<typeof read>) =>
  attachments.map(({ content }) => Buffer.from(content).toString());

const wrapped = (text: string) =>
  Buffer.from(text)
    .toString('base64')
    .match(/.{1,76}/g) ?? [];

const charOf = (value: number) => String.fromCharCode(value === 0 ? 0x60 : value + 0x20);
const uuencoded = (content: Buffer) => {
  const lines: string[] = [];
  for (let at = 0; at < content.byteLength; at += 45) {
    const line = content.subarray(at, at + 45);
    const padded = Buffer.concat([line, Buffer.alloc(2)]);
    let text = charOf(line.byteLength);
    for (let from = 0; from < line.byteLength; from += 3) {
      const group = padded.readUIntBE(from, 3);
      for (const shift of [18, 12, 6, 0]) text += charOf((group >> shift) & 63);
    }
    lines.push(text);
  }
  return [...lines, '`', 'end'];
};

const withOutside = (preamble: string, epilogue: string) =>
  read(MIXED, '', preamble, '--b', '', 'Hello', '--b--', epilogue);

describe('no empty line ends the headers', () => {
  test.each([
    [
      'no headers at all',
      ['Hello Ann,', 'all is well', '', 'Bob'],
      'Hello Ann,\nall is well\n\nBob\n',
    ],
    ['one line of text', ['Hello Ann'], 'Hello Ann\n'],
    [
      'text after the last header',
      ['Subject: x', 'Hello Ann,', 'all is well', '', 'Bob'],
      'Hello Ann,\nall is well\n\nBob\n',
    ],
    ['a line with a blank', ['Subject: x', ' ', 'Hello', '', 'Bob'], 'Hello\n\nBob\n'],
    ['a line with a tab, then indented text', ['Subject: x', '\t', '  Hello'], '  Hello\n'],
    ['two lines with blanks', ['Subject: x', ' ', '\t ', 'Hello'], 'Hello\n'],
  ])('%s', (_, lines, text) => {
    expect(read(...lines)).toMatchObject({ text, attachments: [], warnings: HEADERS });
  });

  test('HTML after a line with a blank is complete, although some of it looks like headers', () => {
    const html = [
      '<html><style>',
      'p {',
      'color: red',
      '}',
      '</style>',
      'http://x.example',
      '',
      'x',
    ];
    expect(read('Content-Type: text/html', ' ', ...html)).toMatchObject({
      text: null,
      html: `${html.join('\n')}\n`,
      warnings: HEADERS,
    });
  });

  test('a boundary follows the headers directly', () => {
    expect(read(MIXED, '--b', 'Content-Type: text/plain', '', 'Hello', '--b--')).toMatchObject({
      headers: { all: [{ name: 'Content-Type' }] },
      text: 'Hello',
      warnings: HEADERS,
    });
  });

  test('in parts', () => {
    const pdf = Buffer.alloc(3_750, 'pdf').toString();
    const mail = read(
      MIXED,
      '',
      '--b',
      'Content-Type: text/plain',
      'Note: read this',
      'Hello',
      '--b',
      'Content-Type: application/pdf',
      'Content-Transfer-Encoding: base64',
      ...(Buffer.from(pdf)
        .toString('base64')
        .match(/.{1,76}/g) ?? []),
      '--b',
      'Content-Type: text/html',
      '\t',
      ' <p>',
      '--b--',
    );
    expect(mail).toMatchObject({
      text: 'Note: read this\nHello\n',
      html: '<p>Note: read this<br/>\nHello</p><br/>\n <p>',
      warnings: HEADERS,
    });
    expect(contentsOf(mail)).toEqual([pdf]);
  });

  test.each([
    ['a part without a body', [MIXED, '', '--b', 'Content-Type: text/plain', '--b--']],
    ['a part without headers and body', [MIXED, '', '--b', '--b--']],
    ['a part with headers that have no meaning', [MIXED, '', '--b', 'Note: x', '', '--b--']],
    ['only headers', ['Subject: x']],
    ['only headers and a line with a blank', ['Subject: x', ' ']],
    [
      'the first line of an mbox file',
      ['From ann@x.example Sat Jan  3 01:05:34 2026', 'To: x', ''],
    ],
  ])('no warning for %s', (_, lines) => {
    expect(read(...lines)).toMatchObject({ text: null, warnings: [] });
  });
});

describe('lines among the headers', () => {
  test.each([
    ['one line', ['Stray line', 'X-Own: 1'], 'Stray line'],
    ['several lines above a known header', ['<html>', 'two words', 'To: x'], '<html>\ntwo words'],
  ])('%s that is no header is shown as text', (_, strays, text) => {
    expect(read('Subject: a', ...strays, '', 'Hello')).toMatchObject({
      headers: { subject: 'a', all: [{}, {}] },
      text: `${text}\nHello\n`,
      warnings: HEADERS,
    });
  });

  test('RFC 5322 A.6.3: a line of blanks within a folded header belongs to it', () => {
    expect(
      read('To    : Mary Smith', '  ', '          <mary@example.net>', 'Subject     : Hi', '', 'x'),
    ).toMatchObject({
      headers: { to: '"Mary Smith" <mary@example.net>', subject: 'Hi' },
      text: 'x\n',
      warnings: [],
    });
  });
});

const twoParts = (delimiter: string, empty: string, closing: string) => [
  MIXED,
  '',
  delimiter,
  'X-A: 1',
  empty,
  'X-B: pay nothing',
  delimiter,
  '',
  'Bob',
  closing,
];

describe('white space that a relaxed signature does not cover (RFC 6376 §3.4.4)', () => {
  test.each([' ', '\t', ' '.repeat(3_000), '\t '.repeat(3_000)])(
    'behind delimiters: %j',
    (blanks) => {
      const mail = read(...twoParts(`--b${blanks}`, '', `--b--${blanks}`));
      expect(mail).toMatchObject({ text: 'X-B: pay nothing\nBob', warnings: [] });
    },
  );

  test.each([' ', '\t', ' \t '])('a line of %j in the head of a part warns', (blanks) => {
    expect(read(...twoParts('--b', blanks, '--b--')).warnings).toEqual(
      HEADERS.map((one) => expect.objectContaining(one) as object),
    );
  });
});

describe('base64', () => {
  const german = 'Grüße aus Köln, schöne Sachen für alle, die hier im Büro üben dürfen\n'.repeat(3);
  const B64 = 'Content-Transfer-Encoding: base64';
  const UTF8 = 'Content-Type: text/plain; charset=utf-8';

  test.each([
    ['after its padding', `${german}x`],
    ['without padding', german.slice(0, -1).replace(/x*$/, 'xx')],
  ])('a footer that a list appends is text %s', (_, text) => {
    const footer = ['', '_______', 'Regards', 'The list, https://lists.example/unsubscribe'];
    expect(read(UTF8, B64, '', ...wrapped(text), ...footer)).toMatchObject({
      text: `${text}\n${footer.slice(1).join('\n')}`,
      warnings: ENCODING,
    });
  });

  test.each<[string, (lines: string[]) => string[]]>([
    [
      'within one line',
      ([first = '', ...rest]) => [`${first.slice(0, 5)} ${first.slice(5)}`, ...rest],
    ],
    [
      'after every 19 digits',
      (lines) => lines.map((line) => line.match(/.{1,19}/g)?.join(' ') ?? ''),
    ],
    ['instead of line ends', (lines) => [lines.join(' ')]],
    ['that are tabs', (lines) => [lines.join('\t')]],
  ])('RFC 2045 §6.8: blanks %s are no data', (_, blanked) => {
    const text = german.repeat(3);
    expect(read(UTF8, B64, '', ...blanked(wrapped(text)))).toMatchObject({ text });
  });

  test('a word alone above the footer is text', () => {
    expect(read(UTF8, B64, '', ...wrapped('abc'), 'Regards', 'Ann B.')).toMatchObject({
      text: 'abc\nRegards\nAnn B.',
      warnings: ENCODING,
    });
  });

  test('a footer after an attachment is text', () => {
    const mail = read(
      MIXED,
      '',
      '--b',
      'Content-Type: image/png',
      B64,
      '',
      'QUI=',
      '-- ',
      'list',
      '--b--',
    );
    expect(mail).toMatchObject({ text: '-- \r\nlist'.replace('\r', ''), warnings: ENCODING });
    expect(contentsOf(mail)).toEqual(['AB']);
  });

  test.each([
    ['text', ['Hello Ann,', '', 'Thanks', '', 'Bob Smith']],
    ['base64url digits', ['QUJD-_RA']],
    ['a word', ['Hello']],
  ])('%s in its place is shown as it is', (_, lines) => {
    expect(read(UTF8, B64, '', ...lines)).toMatchObject({
      text: `${lines.join('\n')}\n`,
      warnings: ENCODING,
    });
  });

  test('other characters within it are ignored', () => {
    const [first = '', ...rest] = wrapped(german);
    expect(read(UTF8, B64, '', `${first.slice(0, 9)}-!_${first.slice(9)}`, ...rest)).toMatchObject({
      text: german,
      warnings: ENCODING,
    });
  });

  test.each([
    ['pieces with padding', ['QUI=', 'QUJD', 'QQ==QUI=']],
    ['lines of any length', ['Q', 'UJ', 'BQU', 'JDQUFC']],
    ['blanks around lines', ['', ' QUJBQUJD ', '\tQUFC', '']],
    ['no padding', ['QUJBQUJDQUFC']],
  ])('%s', (_, lines) => {
    expect(read(UTF8, B64, '', ...lines)).toMatchObject({
      text: lines.length === 3 && lines[0] === 'QUI=' ? 'ABABCAAB' : 'ABAABCAAB',
      warnings: [],
    });
  });
});

describe('uuencode', () => {
  const UU = 'Content-Transfer-Encoding: x-uuencode';
  const bytes = Buffer.from(Array.from({ length: 100 }, (_, i) => (i * 37) % 256));
  const part = (...body: string[]) =>
    read(MIXED, '', '--b', 'Content-Type: application/octet-stream', UU, '', ...body, '--b--');

  test('a file is decoded, with its name', () => {
    const mail = part('begin 644 notes.pdf', ...uuencoded(bytes));
    expect(mail).toMatchObject({
      text: null,
      attachments: [{ filename: 'notes.pdf', contentType: 'application/pdf', content: bytes }],
      warnings: [],
    });
  });

  test('lines whose blanks were lost, and lines with a checksum', () => {
    const zeros = part('begin 644 a', '#', '#``` x'.slice(0, 5), '#86)C!', '`', 'end');
    expect(contentsOf(zeros)).toEqual(['\0\0\0\0\0\0abc']);
  });

  test('text around it is text', () => {
    expect(part('See below.', 'begin 644 a', ...uuencoded(bytes), 'Ann')).toMatchObject({
      text: 'See below.\nAnn',
      attachments: [{ content: bytes }],
      warnings: ENCODING,
    });
  });

  test.each([
    ['without its first line', ['#86)C', 'end'], '#86)C\r\nend', null],
    ['that ends early', ['begin 644 a', '#86)C', 'not data'], 'abc', 'not data'],
    ['whose lines are much too short', ['begin 644 a', '_', '_'], '', '_\n_'],
  ])('a file %s is shown as far as it is one', (_, lines, content, text) => {
    const mail = part(...lines);
    expect(mail).toMatchObject({ text, warnings: ENCODING });
    expect(contentsOf(mail)).toEqual([content]);
  });
});

test('RFC 2046 §5.1.5: parts of a digest are emails unless they say otherwise', () => {
  const mail = read(
    'Content-Type: multipart/digest; boundary=b',
    '',
    '--b',
    '',
    'Subject: one',
    '',
    'first',
    '--b',
    'Content-Type: text/plain',
    '',
    'plain',
    '--b--',
  );
  expect(mail).toMatchObject({
    text: 'plain',
    attachments: [{ contentType: 'message/rfc822' }],
    warnings: [],
  });
  expect(contentsOf(mail)).toEqual(['Subject: one\r\n\r\nfirst']);
});

describe('D40: text outside the parts', () => {
  test('a notice for old programs is left out without a warning', () => {
    expect(withOutside('This is a message in MIME format.', '\r\n')).toMatchObject({
      text: 'Hello',
      warnings: [],
    });
  });

  test.each([
    ['before the first part', 'x'.repeat(301), ''],
    ['of two paragraphs before it', 'one\r\n\r\ntwo', ''],
    ['after the last one', '', 'x'],
  ])('more text %s is left out with a warning', (_, preamble, epilogue) => {
    expect(withOutside(preamble, epilogue)).toMatchObject({
      text: 'Hello',
      warnings: [{ code: 'text_outside_parts' }],
    });
  });

  test('of inner parts, too, but not of a part that has none', () => {
    const inner = 'Content-Type: multipart/mixed; boundary=c';
    const long = 'x'.repeat(301);
    expect(read(MIXED, '', '--b', inner, '', '--c', '', 'x', '--c--', long, '--b--')).toMatchObject(
      {
        text: 'x',
        warnings: [{ code: 'text_outside_parts' }],
      },
    );
    expect(read(MIXED, '', '--b', inner, '', long, '--b--')).toMatchObject({
      warnings: [{ code: 'no_parts_found' }],
    });
  });
});

describe('names of transfer encodings (RFC 2045 §6.1)', () => {
  const [BASE64, QUOTED, PLAIN] = ['SGVsbG8gdGhlcmU=', 'H=65llo there', 'Hello there'];
  test.each([
    ['base64', BASE64, false],
    ['Base64', BASE64, false],
    ['base64 (RFC 2045)', BASE64, false],
    ['base64;', BASE64, true],
    ['"base64"', BASE64, true],
    ['base_64', BASE64, true],
    ['quoted-printable', QUOTED, false],
    ['"quoted-printable"', QUOTED, true],
    ['quoted printable', QUOTED, true],
    ['QUOTED-PRINTABLE;', QUOTED, true],
    ['7bit', PLAIN, false],
    ['8bit"', PLAIN, false],
    ['8bits', PLAIN, false],
    ['binary', PLAIN, false],
    ['', PLAIN, false],
    ['utf-8', PLAIN, true],
    ['x-own', PLAIN, true],
  ])('%s', (encoding, body, isOdd) => {
    expect(read(`Content-Transfer-Encoding: ${encoding}`, '', body)).toMatchObject({
      text: expect.stringMatching(/^Hello there\n?$/) as string,
      warnings: isOdd ? [{ code: 'invalid_encoding' }] : [],
    });
  });
});

describe('D38: headers that are repeated', () => {
  const ADDRESSES = ['From', 'Reply-To', 'To', 'Cc', 'Bcc'];
  test.each([...ADDRESSES, 'Subject', 'Message-ID', 'In-Reply-To', 'References'])(
    'the last %s counts',
    (name) => {
      const key = name.toLowerCase().replaceAll('-', '_') as 'from';
      const value = (one: string) =>
        /-ID|In-|Ref/.test(name) ? `<${one}@x.example>` : `${one}@x.example`;
      expect(read(`${name}: ${value('a')}`, `${name}: ${value('b')}`, '', 'x')).toMatchObject({
        headers: { [key]: value('b'), all: [{}, {}] },
        warnings: [{ code: 'repeated_header' }],
      });
    },
  );

  test.each([
    ['Content-Type', 'text/html', 'text/plain'],
    ['Content-Transfer-Encoding', 'base64', '8bit'],
    ['Content-Disposition', 'attachment', 'inline'],
    ['MIME-Version', '2.0', '1.0'],
    ['Sender', 'a@x.example', 'b@x.example'],
  ])('the last %s counts, in a part the first', (name, first, last) => {
    const whole = [`${name}: ${first}`, `${name} : ${last}`, '', 'Hello'];
    const part = [`${name}: ${last}`, `${name} : ${first}`, '', 'Hello'];
    expect(read(...whole)).toMatchObject({
      text: 'Hello\n',
      html: null,
      attachments: [],
      warnings: [{ code: 'repeated_header' }],
    });
    if (!name.startsWith('Content')) return;
    expect(read(MIXED, '', '--b', ...part, '--b--')).toMatchObject({
      text: 'Hello',
      attachments: [],
      warnings: [{ code: 'repeated_header' }],
    });
  });

  test('other headers may be repeated', () => {
    expect(read('Received: x', 'Received: y', '').warnings).toEqual([]);
  });
});

describe('comments in addresses', () => {
  test('RFC 5322 A.5', () => {
    const { headers } = read(
      'From: Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>',
      'To:A Group(Some people)',
      "     :Chris Jones <c@(Chris's host.)public.example>,",
      '         joe@example.org,',
      '  John <jdoe@one.test> (my dear friend); (the end of the group)',
      'Cc:(Empty list)(start)Hidden recipients  :(nobody(that I know))  ;',
      'Date: Thu,',
      '      13',
      '        Feb',
      '          1969',
      '      23:32',
      '               -0330 (Newfoundland Time)',
      '',
      'Testing.',
    );
    expect(headers).toMatchObject({
      from: '"Pete" <pete@silly.test>',
      to: '"A Group": "Chris Jones" <c@public.example>, joe@example.org, "John" <jdoe@one.test>;',
      cc: '"Hidden recipients": ;',
      date: new Date('1969-02-14T03:02:00Z'),
    });
  });

  test('in encoded words', () => {
    const from = 'From: a@x.example (=?utf-8?q?J=C3=B6rg_(x)?=)';
    expect(read(from, '').headers.from).toBe('"Jörg (x)" <a@x.example>');
  });
});
