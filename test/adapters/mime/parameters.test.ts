/** Fields with parameters as programs write them, with the source of each form, and what they cost. */
import { expect, test } from 'vitest';

import { decodeText } from '../../../services/adapters/mime/charset.ts';
import { type DecodeBytes, readParameters } from '../../../services/adapters/mime/parameters.ts';

const decode: DecodeBytes = (bytes, charset) => decodeText(bytes, charset);

function read(field: string) {
  const { value, params } = readParameters(field, decode);
  return [
    value,
    Object.fromEntries(Object.entries(params).map(([name, { text }]) => [name, text])),
  ];
}

const CHARSET = { charset: 'us-ascii' };
const NAME = { filename: 'a b.txt' };

test.each<[source: string, field: string, value: string, params: Record<string, string>]>([
  ['RFC 2045 §5.1', 'text/plain; charset=us-ascii (Plain text)', 'text/plain', CHARSET],
  ['RFC 2045 §5.1', 'text/plain; charset="us-ascii"', 'text/plain', CHARSET],
  ['RFC 2045 §5.1', 'TEXT/Plain; CHARSET=us-ascii', 'text/plain', CHARSET],
  ['RFC 2045 §5.1', 'text/plain (a) ; (b) charset (c) = (d) us-ascii', 'text/plain', CHARSET],
  [
    'RFC 2046 §5.1.1',
    'multipart/mixed; boundary=gc0pJq0M:08jU534c0p',
    'multipart/mixed',
    { boundary: 'gc0pJq0M:08jU534c0p' },
  ],
  [
    'RFC 2046 §5.1.1',
    'multipart/mixed; boundary="gc0y0pkb9ex ="',
    'multipart/mixed',
    { boundary: 'gc0y0pkb9ex =' },
  ],
  [
    'RFC 2046 §5.2.3',
    'message/external-body; access-type=ANON-FTP;\r\n site="thumper.bellcore.com"',
    'message/external-body',
    { 'access-type': 'ANON-FTP', site: 'thumper.bellcore.com' },
  ],
  [
    'RFC 2183 §2.10',
    'attachment; filename=genome.jpeg;\r\n modification-date="Wed, 12 Feb 1997 16:29:51 -0500";',
    'attachment',
    { filename: 'genome.jpeg', 'modification-date': 'Wed, 12 Feb 1997 16:29:51 -0500' },
  ],
  [
    'RFC 2231 §3',
    'message/external-body; URL*0="ftp://";\r\n URL*1="cs.utk.edu/pub/x"',
    'message/external-body',
    { url: 'ftp://cs.utk.edu/pub/x' },
  ],
  [
    'RFC 2231 §4',
    "application/x-stuff;\r\n title*=us-ascii'en-us'This%20is%20%2A%2A%2Afun%2A%2A%2A",
    'application/x-stuff',
    { title: 'This is ***fun***' },
  ],
  [
    'RFC 2231 §4.1',
    "application/x-stuff;\r\n title*0*=us-ascii'en'This%20is%20even%20more%20;\r\n" +
      ' title*1*=%2A%2A%2Afun%2A%2A%2A%20;\r\n title*2="isn\'t it!"',
    'application/x-stuff',
    { title: "This is even more ***fun*** isn't it!" },
  ],
  [
    'RFC 6266 §5',
    'attachment; filename="EURO rates"; filename*=utf-8\'\'%e2%82%ac%20rates',
    'attachment',
    { filename: '€ rates' },
  ],
  [
    'RFC 5987 §3.2.2',
    "attachment; filename*=iso-8859-1'en'%A3%20rates",
    'attachment',
    { filename: '£ rates' },
  ],
  [
    'roundcube mail0.eml',
    'multipart/mixed;\r\n boundary*0="==heron";\r\n boundary*1="-77=="',
    'multipart/mixed',
    { boundary: '==heron-77==' },
  ],
  [
    'cyrus-imapd#3048',
    "multipart/mixed; boundary*=us-ascii''%3D%3Dheron",
    'multipart/mixed',
    { boundary: '==heron' },
  ],
  ['pieces out of order', 'x/y; a*1="c"; a*0="b"', 'x/y', { a: 'bc' }],
  ['a piece is missing', 'x/y; a*0="b"; a*2="d"', 'x/y', { a: 'b' }],
  ['the first piece is missing', 'x/y; a*1="b"', 'x/y', {}],
  ['a character between two pieces', "x/y; a*0*=utf-8''%e2%82; a*1*=%ac", 'x/y', { a: '€' }],
  ['a code between two pieces', "x/y; a*0*=utf-8''%e2%8; a*1*=2%ac", 'x/y', { a: '€' }],
  [
    'a plain piece after an encoded one',
    'x/y; a*0*=utf-8\'\'%e2%82%ac; a*1="%41"',
    'x/y',
    { a: '€%41' },
  ],
  ['an encoded piece after a plain one', 'x/y; a*0="b"; a*1*=%41', 'x/y', { a: 'bA' }],
  ['no apostrophes', 'attachment; filename*=a%20b.txt', 'attachment', NAME],
  ['a charset in quotes', 'attachment; filename*="utf-8\'\'a%20b.txt"', 'attachment', NAME],
  [
    'letters beyond ASCII',
    "attachment; filename*=utf-8''ü%20.txt",
    'attachment',
    { filename: 'ü .txt' },
  ],
  ['a percent sign', 'attachment; filename="100%25.txt"', 'attachment', { filename: '100%25.txt' }],
  ['Outlook, blanks without quotes', 'attachment; filename=a b.txt', 'attachment', NAME],
  [
    'blanks, and another parameter',
    'attachment; filename=a b.txt; size=3',
    'attachment',
    { ...NAME, size: '3' },
  ],
  [
    'Python, boundary with blanks',
    'multipart/mixed; boundary=----=_Next Part 7',
    'multipart/mixed',
    { boundary: '----=_Next Part 7' },
  ],
  [
    'brackets in a name',
    'attachment; filename=report (1).pdf',
    'attachment',
    { filename: 'report (1).pdf' },
  ],
  [
    'brackets in a quoted name',
    'attachment; filename="report (1).pdf"',
    'attachment',
    { filename: 'report (1).pdf' },
  ],
  [
    'a semicolon in quotes',
    'x/y; name="list; charset=koi8-r; v2.txt"; charset=iso-8859-2',
    'x/y',
    { name: 'list; charset=koi8-r; v2.txt', charset: 'iso-8859-2' },
  ],
  [
    'quotes in quotes',
    'attachment; filename="a "b" c.txt"',
    'attachment',
    { filename: 'a "b" c.txt' },
  ],
  [
    'quotes in quotes, more parameters',
    'attachment; filename="a "b" c.txt"; size=3',
    'attachment',
    { filename: 'a "b" c.txt', size: '3' },
  ],
  [
    'escaped quotes',
    'attachment; filename="a \\"b\\" c.txt"',
    'attachment',
    { filename: 'a "b" c.txt' },
  ],
  [
    'a path of Windows',
    'attachment; filename="C:\\temp\\a.txt"',
    'attachment',
    { filename: 'C:\\temp\\a.txt' },
  ],
  ['an escaped backslash', 'attachment; filename="a\\\\b"', 'attachment', { filename: 'a\\b' }],
  ['a quote that is not closed', 'attachment; filename="a b.txt', 'attachment', NAME],
  [
    'a quote that is not closed before another parameter',
    'attachment; filename="a b.txt; size=3',
    'attachment',
    { ...NAME, size: '3' },
  ],
  ['no semicolon', 'text/plain charset=us-ascii', 'text/plain', CHARSET],
  ['a comma for the semicolon', 'text/plain, charset=us-ascii', 'text/plain', CHARSET],
  [
    'no semicolon between parameters',
    'text/plain; charset=us-ascii format=flowed',
    'text/plain',
    { ...CHARSET, format: 'flowed' },
  ],
  ['no semicolon after quotes', 'x/y; name="a" charset=us-ascii', 'x/y', { name: 'a', ...CHARSET }],
  ['two semicolons', 'text/plain;; charset=us-ascii;', 'text/plain', CHARSET],
  ['a semicolon first', '; charset=us-ascii', '', CHARSET],
  ['blanks around =', 'text/plain; charset = us-ascii', 'text/plain', CHARSET],
  ['tabs', 'text/plain;\tcharset=us-ascii\t', 'text/plain', CHARSET],
  ['folds', 'text/plain;\r\n\tcharset=\r\n us-ascii', 'text/plain', CHARSET],
  ['a type in quotes', '"text/html"; charset="us-ascii"', 'text/html', CHARSET],
  ['a disposition in quotes', '"attachment"; filename="a b.txt"', 'attachment', NAME],
  ['blanks around the slash', 'text / html; charset=us-ascii', 'text/html', CHARSET],
  ['a comment in the type', 'text/(x)html(y)', 'text/html', {}],
  ['no subtype', 'text', 'text', {}],
  ['a repeated parameter', 'x/y; a=1; a=2', 'x/y', { a: '1' }],
  ['a parameter without a value', 'x/y; a; b=2', 'x/y', { b: '2' }],
  ['an empty value', 'x/y; a=; b=""', 'x/y', { a: '', b: '' }],
  [
    'an equals sign in the value',
    'x/y; boundary="----=_a=b"; c==d',
    'x/y',
    { boundary: '----=_a=b', c: '=d' },
  ],
  [
    'a value that begins with an equals sign and has blanks',
    'multipart/mixed; boundary== x',
    'multipart/mixed',
    { boundary: '= x' },
  ],
  [
    'apostrophes for quotes',
    "text/plain; charset='us-ascii'",
    'text/plain',
    { charset: "'us-ascii'" },
  ],
  [
    'a bracket that is not closed',
    'text/plain; charset=us-ascii (x',
    'text/plain',
    { charset: 'us-ascii (x' },
  ],
  [
    'names that objects have',
    'x/y; __proto__=1; constructor=2',
    'x/y',
    { ['__proto__']: '1', constructor: '2' },
  ],
  ['nothing', '', '', {}],
])('%s: %s', (_, field, value, params) => {
  expect(read(field)).toEqual([value, params]);
});
