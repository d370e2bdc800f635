/** Fields of addresses as senders write them, with the source of each form, and what they cost. */
import { describe, expect, test } from 'vitest';

import {
  readAddressField,
  writeAddresses,
} from '../../../../services/core/mail/fields/address-field.ts';
import { growth, LINEAR } from '../../../support/growth.ts';
import { fc } from '../../../support/random.ts';

const shown = (field: string) => writeAddresses(readAddressField(field).entries);

/** Source, field, what is shown. */
const CLEAR: [source: string, field: string, shown: string][] = [
  ['RFC 5322 A.1.1', 'John Doe <jdoe@machine.example>', '"John Doe" <jdoe@machine.example>'],
  ['RFC 5322 A.1.2', '"Joe Q. Public" <john.q@e.example>', '"Joe Q. Public" <john.q@e.example>'],
  ['RFC 5322 A.1.2', 'Who? <one@y.test>', '"Who?" <one@y.test>'],
  [
    'RFC 5322 A.1.2',
    '<boss@nil.test>, "Giant; \\"Big\\" Box" <s@e.example>',
    'boss@nil.test, "Giant; \\"Big\\" Box" <s@e.example>',
  ],
  [
    'RFC 5322 A.1.3',
    'A Group:Ed Jones <c@a.test>,joe@where.test,John <jdoe@one.test>;',
    '"A Group": "Ed Jones" <c@a.test>, joe@where.test, "John" <jdoe@one.test>;',
  ],
  ['RFC 5322 A.1.3', 'Undisclosed recipients:;', '"Undisclosed recipients": ;'],
  [
    'RFC 5322 A.5',
    'Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>',
    '"Pete" <pete@silly.test>',
  ],
  ['RFC 5322 A.6.1', 'Joe Q. Public <john.q@e.example>', '"Joe Q. Public" <john.q@e.example>'],
  [
    'RFC 5322 A.6.1',
    'Mary Smith <mary@example.net>, , jdoe@test.example',
    '"Mary Smith" <mary@example.net>, jdoe@test.example',
  ],
  [
    'RFC 5322 A.6.3',
    'John Doe <jdoe@machine(comment).  example>',
    '"John Doe" <jdoe@machine.example>',
  ],
  ['RFC 5322 §3.4.1', 'x@[192.0.2.1]', 'x@[192.0.2.1]'],
  ['RFC 5322 §3.4.1', 'x@[IPv6:2001:db8::1]', 'x@[IPv6:2001:db8::1]'],
  ['RFC 5322 §3.4.1', '"joe blow"@e.example', '"joe blow"@e.example'],
  ['RFC 5322 §3.4.1', '"joe"@e.example', 'joe@e.example'],
  ['RFC 5322 §4.4', 'joe . blow @ mail . e . example', 'joe.blow@mail.e.example'],
  ['RFC 5322 §4.4', '"joe".blow@e.example', 'joe.blow@e.example'],
  ['RFC 5322 §4.4', ',,a@e.example,,b@e.example,', 'a@e.example, b@e.example'],
  ['RFC 6854 §2.1', 'Pete:;', '"Pete": ;'],
  [
    'RFC 6854 §4',
    'Sales: a@e.example (day), b@e.example;',
    '"Sales": "day" <a@e.example>, b@e.example;',
  ],
  ['RFC 6532 §3.2', 'Jörg <jörg@bücher.example>', '"Jörg" <jörg@bücher.example>'],
  ['RFC 822 A.1.1', 'ann@x.example (Ann Smith)', '"Ann Smith" <ann@x.example>'],
  ['RFC 822 §3.4.3', 'ann@x.example (Ann (Sales) Smith)', '"Ann Sales Smith" <ann@x.example>'],
  ['RFC 1036 §2.1.1', 'mark@cbosgd.test (Mark Horton)', '"Mark Horton" <mark@cbosgd.test>'],
  ['docomo, local part with two dots', 'ann..reed@docomo.example', 'ann..reed@docomo.example'],
  ['docomo, dot before the at', '"jo.no.doe."@doe.example', '"jo.no.doe."@doe.example'],
  ['Outlook, address as name', 'ann@x.example <ann@x.example>', '"ann@x.example" <ann@x.example>'],
  [
    'Outlook, in apostrophes',
    "'ann@x.example' <ann@x.example>",
    `"'ann@x.example'" <ann@x.example>`,
  ],
  ['mailing lists', 'Ann via List <list@l.example>', '"Ann via List" <list@l.example>'],
  ['Mailman', '"ann--- via list" <list@l.example>', '"ann--- via list" <list@l.example>'],
  ['names with a role', 'Reed (Sales) <ann@x.example>', '"Reed" <ann@x.example>'],
  ['names with an at sign', 'Ann @ Home <ann@x.example>', '"Ann @ Home" <ann@x.example>'],
  ['names in quotes and words', 'Ann "AJ" Reed <ann@x.example>', '"Ann AJ Reed" <ann@x.example>'],
  [
    'names with quotes in them',
    '"Ann \\"AJ\\" Reed" <ann@x.example>',
    '"Ann \\"AJ\\" Reed" <ann@x.example>',
  ],
  ['names with a backslash', '"A\\\\B" <ann@x.example>', '"A\\\\B" <ann@x.example>'],
  ['an empty name', '"" <ann@x.example>', 'ann@x.example'],
  ['a name of blanks', '"  " <ann@x.example>', 'ann@x.example'],
  ['no blank before <', 'Ann<ann@x.example>', '"Ann" <ann@x.example>'],
  ['blanks in <>', 'Ann < ann@x.example >', '"Ann" <ann@x.example>'],
  ['a fold in the name', '"Ann\r\n Reed"\r\n\t<ann@x.example>', '"Ann Reed" <ann@x.example>'],
  ['a fold after the colon', '\r\n ann@x.example', 'ann@x.example'],
  ['a semicolon at the end', 'ann@x.example;', 'ann@x.example'],
  ['Exchange, semicolons for commas', 'a@x.example; b@x.example', 'a@x.example, b@x.example'],
  ['a dot behind the domain', 'ann@x.example.', 'ann@x.example'],
  ['a comma in a word', 'Reed, Ann <ann@x.example>', '"Reed", "Ann" <ann@x.example>'],
  ['plus and equals', 'a+b=c@x.example', 'a+b=c@x.example'],
  ['BATV', 'prvs=0123abcd=ann@x.example', 'prvs=0123abcd=ann@x.example'],
  ['X.400', '/G=Ann/S=Reed/@x400.example', '/G=Ann/S=Reed/@x400.example'],
  ['UUCP', 'host!user@gw.example', 'host!user@gw.example'],
  ['percent hack', 'user%host@gw.example', 'user%host@gw.example'],
  ['a name that is no address', 'MAILER-DAEMON', '"MAILER-DAEMON"'],
  ['cron', 'root (Cron Daemon)', '"root"'],
  ['nothing but a comment', '(nobody)', ''],
  ['nothing', '', ''],
  ['empty brackets', '<>', ''],
  ['a bracket that is not closed', 'Ann (x <ann@x.example>', '"Ann x" <ann@x.example>'],
  ['a smile', 'Ann :) <ann@x.example>', expect.stringContaining('ann@x.example') as string],
  ['a quote that is not closed', '"Ann <ann@x.example>', '"Ann" <ann@x.example>'],
  ['< that is not closed', 'Ann <ann@x.example', '"Ann" <ann@x.example>'],
  [
    'ESC in a name, as in ISO-2022-JP',
    'A\x1b(B <ann@x.example>',
    expect.stringContaining('ann@x.example') as string,
  ],
  ['> twice', 'Ann <ann@x.example>>', '"Ann" <ann@x.example>'],
  ['no brackets', 'Ann ann@x.example', '"Ann" <ann@x.example>'],
];

/** What is shown has each author whom some program could read. */
const UNCLEAR: [form: string, field: string, shown: unknown][] = [
  [
    'a comment that is not closed before a second address',
    'x@evil.example (<ann@partner.example>',
    '"x@evil.example" <ann@partner.example>, x@evil.example',
  ],
  ['two addresses without a comma', 'a@x.example b@y.example', expect.anything() as string],
  ['two pairs of brackets', '<a@x.example> <b@y.example>', expect.anything() as string],
  ['text behind the brackets', '<a@x.example> b@y.example', expect.anything() as string],
  ['a domain cut by a fold', 'ann@part\r\n ner.example', '"ner.example" <ann@part>'],
  ['a domain cut by a comment', 'ann@part(x)ner.example', expect.anything() as string],
  ['two at signs', 'ann@partner.example@evil.test', expect.anything() as string],
  ['a route', '<@evil.test:ann@partner.example>', 'ann@partner.example'],
  [
    'an address in quotes as local part',
    '"ann@partner.example"@evil.test',
    expect.anything() as string,
  ],
  ['U+00A0 in an address', 'ann@partner.example\u00a0.evil.test', expect.anything() as string],
  ['a NUL', 'ann@partner.example\0.evil.test', expect.anything() as string],
  ['a NUL behind an address', 'ann@partner.example\0', 'ann@partner.example'],
  ['a NUL in a name', '"A\0nn" <ann@partner.example>', expect.anything() as string],
  ['a NUL in a comment', 'ann@partner.example (\0)', expect.anything() as string],
  ...['\x01', '\x1f', '\x7f', '\x85'].flatMap((control): [string, string, unknown][] => [
    [`${control} in front of an address`, `${control}ann@x.example`, 'ann@x.example'],
    [`${control} behind an address`, `<ann@x.example${control}>`, 'ann@x.example'],
    [`${control} in a domain`, `ann@x.exa${control}mple`, expect.anything()],
    [`${control} in front of a domain`, `ann@${control}x.example`, expect.anything()],
  ]),
  ['an encoded word as local part', '=?utf-8?q?a?=@x.example', expect.anything() as string],
  ['an empty label', 'ann@x..example', expect.anything() as string],
  ['an address in quotes alone', '"ann@partner.example"', '"ann@partner.example"'],
];

test.each(CLEAR)('%s: %s', (_, field, expected) => {
  expect(shown(field)).toEqual(expected);
  expect(readAddressField(field).isUnclear).toBe(false);
});

test.each(UNCLEAR)('unclear: %s', (_, field, expected) => {
  expect(shown(field)).toEqual(expected);
  expect(readAddressField(field).isUnclear).toBe(true);
});

test('one quoted name with an address and a comma in it is one mailbox', () => {
  const name = 'a" <ann@partner.example>, "b';
  const field = `"${name.replaceAll('"', '\\"')}" <x@evil.example>`;
  expect(readAddressField(field).entries).toEqual([{ name, address: 'x@evil.example' }]);
  expect(shown(field)).toBe(field);
});

test('an address within nested comments is none', () => {
  const { mailboxes } = readAddressField('CEO (a (b) <m@evil.test> c) <ceo@bank.test>');
  expect(mailboxes).toEqual([{ name: 'CEO', address: 'ceo@bank.test' }]);
});

test('encoded words are decoded after the field is read', () => {
  const read = readAddressField('=?utf-8?q?a,_b?= <d@x.example>', (name) =>
    name.replace(/=\?.*?\?=/, 'a, "b" <c@x.example>'),
  );
  expect(read.entries).toEqual([{ name: 'a, "b" <c@x.example>', address: 'd@x.example' }]);
});

test('what is written has the same mailboxes when it is read again', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab ."\\<>(),;:@[]ü\t'.split('')) });
  const local = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.', 'ü'), minLength: 1 });
  const mailbox = fc.record({
    name: text.map((one) => one.trim()),
    address: local.map((one) => readAddressField(`"${one}"@x.example`).mailboxes[0]?.address ?? ''),
  });
  fc.assert(
    fc.property(fc.array(mailbox, { maxLength: 5 }), (mailboxes) => {
      const again = readAddressField(writeAddresses(mailboxes));
      expect(again.mailboxes).toEqual(mailboxes.filter(({ address }) => address !== ''));
      expect(writeAddresses(again.entries)).toBe(
        writeAddresses(mailboxes.filter(({ name, address }) => name !== '' || address !== '')),
      );
    }),
  );
});

describe('cost', () => {
  const SIZE = 200_000;
  test.each([
    '(',
    '()',
    '((a)',
    '"',
    '"\\"',
    '\\',
    '<',
    '<a@x.example',
    '[',
    '[]',
    '@',
    'a@',
    ',',
    ':',
    ';',
    '=?',
    '=?a?q?',
    '=?a?q?a?= ',
    'a@x.example ',
    'a@x.example, ',
    '<a@x.example> ',
    'a.',
    ' ',
    '\u00a0',
    '\0',
    '\r\n ',
  ])('of many %j is linear', (piece) => {
    const read = (size: number) => readAddressField(piece.repeat(size / piece.length));
    expect(growth(SIZE, read)).toBeLessThan(LINEAR);
  });
});
