/** Encoded words as programs write them, with the source of each form, and what they cost. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import type { Doubt } from '../../../services/adapters/mime/charset.ts';
import { decodeWords } from '../../../services/adapters/mime/encoded-words.ts';
import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { seed } from '../../support/random.ts';
import { atMost } from '../../support/slowdown.ts';

test.each<[source: string, text: string, shown: string, doubts?: Doubt[]]>([
  ['RFC 2047 §8', '=?US-ASCII?Q?Keith_Moore?=', 'Keith Moore'],
  ['RFC 2047 §8', '=?ISO-8859-1?Q?Keld_J=F8rn_Simonsen?=', 'Keld Jørn Simonsen'],
  [
    'RFC 2047 §8',
    '=?ISO-8859-1?B?SWYgeW91IGNhbiByZWFkIHRoaXMgeW8=?=\r\n    =?ISO-8859-2?B?dSB1bmRlcnN0YW5kIHRoZSBleGFtcGxlLg==?=',
    'If you can read this you understand the example.',
  ],
  ['RFC 2047 §8', '=?ISO-8859-8?b?7eXs+SDv4SDs6Oj08A==?=', 'םולש ןב לטטפנ'],
  ['RFC 2047 §8', '=?ISO-8859-1?Q?a?=', 'a'],
  ['RFC 2047 §8', '=?ISO-8859-1?Q?a?= b', 'a b'],
  ['RFC 2047 §8', '=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=', 'ab'],
  ['RFC 2047 §8', '=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?=', 'ab'],
  ['RFC 2047 §8', '=?ISO-8859-1?Q?a_b?=', 'a b'],
  ['RFC 2047 §8', '=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=', 'a b'],
  ['RFC 2231 §5', '=?US-ASCII*EN?Q?Keith_Moore?=', 'Keith Moore'],
  ['RFC 2047 §4.2, lower case', '=?utf-8?q?=c3=bc?=', 'ü'],
  ['RFC 2047 §2, any case', '=?UtF-8?b?w7w=?=', 'ü'],
  ['a fold between two', '=?utf-8?q?a?=\r\n\t=?utf-8?q?b?=', 'ab'],
  ['no blank between two', '=?utf-8?q?a?==?utf-8?q?b?=', 'ab'],
  ['text before it', 'Re: =?utf-8?q?=C3=BC?=', 'Re: ü'],
  ['no blank before it', 'Re:=?utf-8?q?=C3=BC?=', 'Re:ü'],
  ['no blank behind it', '=?utf-8?q?=C3=BC?=x', 'üx'],
  ['in quotes', '"=?utf-8?q?=C3=BC?="', '"ü"'],
  ['in brackets', '(=?utf-8?q?=C3=BC?=)', '(ü)'],
  ['a character between two words of B', '=?utf-8?B?R3LD?= =?utf-8?B?vMOfZQ==?=', 'Grüße'],
  ['a character between two words of Q', '=?utf-8?q?=E2=82?= =?utf-8?q?=AC?=', '€'],
  ['a character between B and Q', '=?utf-8?b?4oI=?= =?utf-8?q?=AC?=', '€'],
  ["Ruby's mail, ? in Q", '=?UTF-8?Q?Ready_for_lunch??=', 'Ready for lunch?'],
  ['PHP, ? in the middle', '=?UTF-8?Q?What?_Really??=', 'What? Really?'],
  ['? and a code', '=?utf-8?q?a?=C3=BC?=', 'a?ü'],
  ['? and a code, and text behind it', '=?utf-8?q?a?=C3=BC?= b', 'a?ü b'],
  ['two question marks', '=?utf-8?q?a???=', 'a??'],
  ['? and another word', '=?utf-8?q?a??= =?utf-8?q?b?=', 'a?b'],
  ['blanks in Q', '=?utf-8?q?a b =C3=BC?=', 'a b ü'],
  ['blanks in B', '=?utf-8?b?w7 w=?=', 'ü'],
  ['no padding', '=?utf-8?b?w7w?=', 'ü'],
  ['an equals sign in Q', '=?utf-8?q?a=b?=', 'a=b'],
  ['an equals sign at the end', '=?utf-8?q?a=?=', 'a='],
  ['letters beyond ASCII in Q', '=?utf-8?q?ü?=', 'ü'],
  ['a long word', `=?utf-8?q?${'a'.repeat(300)}?=`, 'a'.repeat(300)],
  ['an empty word', '=?utf-8?q??=', ''],
  ['an empty word of B', '=?utf-8?b??= x', ' x'],
  ['latin1 with the euro of Windows', '=?iso-8859-1?Q?=80?=', '€'],
  [
    'ISO-2022-JP in two words',
    '=?ISO-2022-JP?B?GyRCMnE1RBsoQg==?=\n =?ISO-2022-JP?B?GyRCO3FOQRsoQg==?=',
    '会議資料',
  ],
  ['PHP, UTF-8 called Latin-1', '=?iso-8859-1?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße', ['wrong']],
  ['Latin-1 that could be UTF-8', '=?iso-8859-1?Q?=C3=89?=', 'Ã\u2030'],
  ['UTF-8 in quotes', '=?"utf-8"?q?=C3=BC?=', 'ü'],
  ['a charset that means nothing', '=?unknown-8bit?q?f=FCr?=', 'für', ['guessed']],
  ['an unknown charset, letters of UTF-8', '=?x-nobody?q?=C3=BC?=', 'ü'],
  ['an unknown charset, other letters', '=?x-nobody?q?f=FCr?=', 'für', ['guessed']],
  ['no charset', '=??q?f=C3=BCr?=', 'für'],
  ['UTF-8 that is Windows-1252', '=?utf-8?q?f=FCr?=', 'für', ['wrong']],
  ['a broken character', '=?euc-kr?q?=B0?=', '\ufffd', ['wrong']],
  ['another encoding', '=?utf-8?x?a?=', '=?utf-8?x?a?='],
  ['no end', '=?utf-8?q?a b', '=?utf-8?q?a b'],
  ['no end before another word', '=?utf-8?q?a =?utf-8?q?b?=', '=?utf-8?q?a b'],
  ['a line end within it', '=?utf-8?q?a\r\n b?=', '=?utf-8?q?a\r\n b?='],
  ['only its beginning', '=?', '=?'],
  ['a URL', 'https://x.example/?a=?b', 'https://x.example/?a=?b'],
  ['nothing', '', ''],
])('%s: %s', (_, text, shown, expected = []) => {
  const doubts: Doubt[] = [];
  expect(decodeWords(text, (doubt) => doubts.push(doubt))).toBe(shown);
  expect(doubts).toEqual(expected);
});

test(
  `3,000 random headers of each charset are what Python's email reads in them (seed ${seed})`,
  { timeout: atMost(120_000) },
  async () => {
    const program = join(import.meta.dirname, 'header_words.py');
    const { stdout } = await promisify(execFile)('python3', [program, String(seed), '3000'], {
      maxBuffer: 64 * 1024 * 1024,
    });
    const headers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [charset: string, source: string, text: string]);
    expect(headers).toHaveLength(81_000);
    expect(headers.filter(([, source, text]) => decodeWords(source) !== text)).toEqual([]);
  },
);

test.each([
  ['Die Frösche', '=?iso-8859-1?Q?Die_Fr\xf6sche?='],
  ['тест', '=?koi8-r?Q?\xd4\xc5\xd3\xd4?='],
  ['Grüße', '=?iso-8859-1?Q?Gr\xfc=DFe?='],
  ['ü für', '=?utf-8?Q?\xc3\xbc?= f\xfcr'],
])('bytes beyond ASCII in a word are in its charset: %s', (subject, source) => {
  const raw = Buffer.from(`Subject: ${source}\r\n\r\nx`, 'latin1');
  expect(parseMail(raw).headers.subject).toBe(subject);
});
