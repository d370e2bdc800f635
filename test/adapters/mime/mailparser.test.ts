/**
 * The private members of mailparser that we use exist, and read a field as documented: an upgrade
 * that changes them fails here.
 */
import { MailParser } from 'mailparser';
import { expect, test } from 'vitest';

import {
  decodeUtf8Words,
  type PrivateMembers,
  readIds,
  readParameters,
  typeOfFilename,
} from '../../../services/adapters/mime/mailparser.ts';

test('each private member exists', () => {
  const parser = new MailParser() as unknown as PrivateMembers;
  const expected = ['parseHeaderValue', 'decodeWords', 'detectMimeType'];
  expect(parser).toHaveProperty('processHeaders', expect.any(Function));
  for (const name of expected) expect(parser.libmime).toHaveProperty(name, expect.any(Function));
});

test('message ids', () => {
  expect(readIds('references', [' <1@x>\r\n <2@x>', ' <4@x>'])).toEqual([
    '<1@x>',
    '<2@x>',
    '<4@x>',
  ]);
  expect(readIds('message-id', [' <3@x>'])).toEqual(['<3@x>']);
  expect(readIds('in-reply-to', [])).toEqual([]);
});

test('RFC 2231: parameters', () => {
  expect(
    readParameters('attachment;\r\n filename*0*=utf-8\'\'%e2%82%ac;\r\n filename*1=".txt"'),
  ).toEqual({ value: 'attachment', params: { filename: '€.txt' } });
  expect(decodeUtf8Words('=?utf-8?B?w7w=?=.txt')).toBe('ü.txt');
  expect([typeOfFilename('a.pdf'), typeOfFilename('a.unknown')]).toEqual([
    'application/pdf',
    'application/octet-stream',
  ]);
});
