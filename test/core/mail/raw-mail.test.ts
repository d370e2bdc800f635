/** The bytes of an email: split, and with corrected line ends. */
import { describe, expect, test } from 'vitest';

import {
  endOfLines,
  hasBareLineEnds,
  lineCount,
  messageIdIn,
  splitMail,
  withWholeLineEnds,
  withoutPrelude,
} from '../../../services/core/mail/raw-mail.ts';
import { fc } from '../../support/random.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
/** Mostly bytes that matter to these functions. */
const trickyBytes = fc
  .array(
    fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x20, 0x3a, 0x61), fc.integer({ min: 0, max: 255 })),
    { maxLength: 60 },
  )
  .map((bytes) => Buffer.from(bytes));

test.each([
  ['A: b\r\n\r\nbody', 'A: b\r\n\r\n'],
  ['A: b\n\nbody', 'A: b\n\n'],
  ['A: b\n\r\nbody', 'A: b\n\r\n'],
  ['\r\nA: b\r\n\r\nbody', '\r\n'],
  ['\nbody', '\n'],
  ['A: b', 'A: b'],
  ['', ''],
])('the header block of %j ends with its empty line', (mail, head) => {
  expect(splitMail(bytesOf(mail)).head.toString()).toBe(head);
});

test('head and body together are the email', () => {
  fc.assert(
    fc.property(trickyBytes, (mail) => {
      const { head, body } = splitMail(mail);
      expect(Buffer.concat([head, body])).toEqual(mail);
    }),
  );
});

test('every line of a header block counts, folded ones too', () => {
  expect(lineCount(bytesOf('A: b\r\n c\r\n\r\n'))).toBe(3);
  expect(lineCount(bytesOf('A: b'))).toBe(0);
});

test('a piece ends after so many lines or bytes, whichever comes first', () => {
  const bytes = bytesOf('a\nb\nccccc');
  expect([
    endOfLines(bytes, 0, 100, 1),
    endOfLines(bytes, 2, 100, 1),
    endOfLines(bytes, 4, 100, 1),
    endOfLines(bytes, 0, 3, 5),
    endOfLines(bytes, 0, 4, 2),
  ]).toEqual([2, 4, 9, 3, 4]);
});

describe('line ends', () => {
  test('a bare LF gets a CR, however the email is split; nothing else changes', () => {
    fc.assert(
      fc.property(trickyBytes, fc.integer({ min: 1, max: 7 }), (mail, size) => {
        let last = 0;
        const pieces: Buffer[] = [];
        for (let start = 0; start < mail.byteLength; start += size) {
          const piece = mail.subarray(start, start + size);
          pieces.push(withWholeLineEnds(piece, last));
          last = piece.at(-1) ?? last;
        }
        expect(Buffer.concat(pieces).toString('latin1')).toBe(
          mail.toString('latin1').replace(/(?<!\r)\n/g, '\r\n'),
        );
      }),
    );
  });

  test('a piece that needs no change is the same buffer', () => {
    const piece = bytesOf('a\r\nb\r');
    expect(withWholeLineEnds(piece, 0)).toBe(piece);
  });
});

test('a bare CR or LF is found at any position', () => {
  fc.assert(
    fc.property(trickyBytes, (mail) => {
      expect(hasBareLineEnds(mail)).toBe(/\r(?!\n)|(?<!\r)\n/.test(mail.toString('latin1')));
    }),
  );
});

test('a line end that two slices of a large email share is not bare; a bare one there is', () => {
  for (let bytes = 65_534; bytes <= 65_538; bytes++) {
    const line = 'x'.repeat(bytes);
    expect(hasBareLineEnds(bytesOf(`${line}\r\n\r\nx`))).toBe(false);
    for (const end of ['\r', '\n', '\n\r', '\r\r\n', '\r\n\n'])
      expect(hasBareLineEnds(bytesOf(`${line}${end}x`))).toBe(true);
  }
});

test.each<[string, string | undefined]>([
  ['Message-ID: <1@a.example>\r\n', '<1@a.example>'],
  ['Subject: x\nmessage-id :\n <2@a.example>\nTo: b\n', '<2@a.example>'],
  ['Message-ID: <1@a>\r\nMessage-ID: <2@a> (old)\r\n', '<2@a>'],
  ['Message-ID: bare@a.example\r\n', 'bare@a.example'],
  ['Message-ID:\r\nFrom: ann\r\n', undefined],
  ['X-Message-ID: <1@a.example>\r\n', undefined],
  [`Message-ID: <${'x'.repeat(301)}>\r\n`, undefined],
  ['', undefined],
])('the Message-ID of %j is %j', (head, id) => {
  expect(messageIdIn(bytesOf(head))).toBe(id);
});

test.each([
  ['a byte order mark', '\ufeff'],
  ['the line of an mbox file', 'From ann@x.example Sat Jan  3 01:05:34 2026\r\n'],
  ['with two blanks', 'From ann@x.example  Mon Aug 22 09:45:15 2026\n'],
  ['with another date', 'From - 2026-08-22 09:45:15\n'],
  ['quoted, below a mark', '\ufeff>From ann@x.example Sat Jan  3 01:05:34 2026\n'],
  ['nothing', ''],
])('what is before the head is left out below our own headers: %s', (_, prelude) => {
  const own = 'Return-Path: <>\r\nReceived: here\r\n';
  const email = 'From : ann@x.example 10:00\r\n\r\ntext';
  const whole = withoutPrelude(Buffer.from(`${own}${prelude}${email}`), own.length);
  expect(whole.toString()).toBe(own + email);
});
