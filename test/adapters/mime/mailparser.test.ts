/** mailparser as second reader of From, and the types of files that its library knows. */
import { expect, test } from 'vitest';

import { readsOtherAuthor, typeOfFilename } from '../../../services/adapters/mime/mailparser.ts';
import { parseMail } from '../../../services/adapters/mime/parse.ts';

const isRead = (
  from: string,
  read = parseMail(Buffer.from(`From: ${from}\r\n\r\nx`)).headers.from,
) => readsOtherAuthor(Buffer.from(`To: b@x.example\r\nFrom: ${from}\r\n\r\nx`), read);

test.each([
  'Ann <ann@x.example>',
  'ann@x.example',
  '"Reed, Ann" <ann@x.example>',
  '=?utf-8?q?J=C3=B6rg?= <ann@x.example>',
  'Ann (at work) <ann@x.example>',
  'Ann <ann@x.example>, bob@x.example',
  'Team: ann@x.example, bob@x.example;',
  'Jörg <jörg@bücher.example>',
  'Mail Delivery Subsystem <MAILER-DAEMON>',
])('both read the same author: %s', async (from) => {
  expect(await isRead(from)).toBe(false);
});

test('another author is found, but not looked for in a plain From', async () => {
  expect(await isRead('Ann (x) <ann@x.example>', 'other@x.example')).toBe(true);
  expect(await isRead('Ann <ann@x.example>', 'other@x.example')).toBe(false);
  expect(await isRead('Ann (x) <ann@x.example>', null)).toBe(false);
});

test('From that reads as another address once it is decoded', () => {
  const from = '=?utf-8?Q?=3Cann=40partner=2Eexample=3E?= <x@evil.example>';
  const { headers, warnings } = parseMail(Buffer.from(`From: ${from}\r\n\r\nx`));
  expect(headers.from).toBe('"<ann@partner.example>" <x@evil.example>');
  expect(warnings.map(({ code }) => code)).toEqual(['unclear_author']);
});

test('message ids, which have brackets whether they are written or not', () => {
  const head = 'Message-ID: 3@x\r\nIn-Reply-To: <2@x>\r\nReferences: <1@x>\r\n <2@x>\t4@x\r\n\r\nx';
  expect(parseMail(Buffer.from(head)).headers).toMatchObject({
    message_id: '<3@x>',
    in_reply_to: '<2@x>',
    references: '<1@x> <2@x> <4@x>',
  });
});

test('types of files', () => {
  expect([typeOfFilename('a.pdf'), typeOfFilename('a.unknown')]).toEqual([
    'application/pdf',
    'application/octet-stream',
  ]);
});
