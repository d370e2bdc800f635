/**
 * The private members of mailparser that we use exist, and read a field as documented: an upgrade
 * that changes them fails here.
 */
import { MailParser } from 'mailparser';
import { expect, test } from 'vitest';

import {
  type PrivateMembers,
  readIds,
  typeOfFilename,
} from '../../../services/adapters/mime/mailparser.ts';

test('each private member exists', () => {
  const parser = new MailParser() as unknown as PrivateMembers;
  expect(parser).toHaveProperty('processHeaders', expect.any(Function));
  expect(parser.libmime).toHaveProperty('detectMimeType', expect.any(Function));
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

test('types of files', () => {
  expect([typeOfFilename('a.pdf'), typeOfFilename('a.unknown')]).toEqual([
    'application/pdf',
    'application/octet-stream',
  ]);
});
