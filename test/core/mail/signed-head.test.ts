/** The part of a header block that authentication reads, and its limits. */
import { describe, expect, test } from 'vitest';

import { signedHead } from '../../../services/core/mail/signed-head.ts';

const read = (text: string, bodyBytes = 1000) => signedHead(Buffer.from(text, 'latin1'), bodyBytes);
const kept = (text: string) => read(text)?.head.toString('latin1');
const many = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => field(i)).join('');
const END = 'From: a@a.test\r\n\r\n';

describe('only the ten topmost DKIM signatures remain', () => {
  test.each([
    ['plain', (i: number) => `DKIM-Signature: ${i}\r\n folded\r\n`],
    ['in other case, with a space before the colon', (i: number) => `dkim-signaTURE \t: ${i}\r\n`],
    ['with a fold before the colon', (i: number) => `DKIM-Signature\r\n : ${i}\r\n`],
    ['with the colon on the next line', (i: number) => `DKIM-Signature\r\n:${i}\r\n`],
    ['with bare line feeds', (i: number) => `DKIM-Signature \n :${i}\n`],
  ])('%s', (_, field) => {
    expect(kept(`X: 1\r\n${many(12, field)}Y: DKIM-Signature: no\r\n${END}`)).toBe(
      `X: 1\r\n${many(10, field)}Y: DKIM-Signature: no\r\n${END}`,
    );
    expect(read(many(12, field) + END)?.keyed.map(String)).toEqual(
      Array.from({ length: 10 }, (__, i) => field(i)),
    );
  });

  test('the empty line remains when the field above it is removed', () => {
    expect(kept(`From: a@a.test\r\n${many(11, (i) => `DKIM-Signature: ${i}\r\n`)}\r\n`)).toBe(
      `From: a@a.test\r\n${many(10, (i) => `DKIM-Signature: ${i}\r\n`)}\r\n`,
    );
  });
});

test('a signature or seal that takes too long to parse is left out', () => {
  for (const name of [
    'DKIM-Signature',
    'ARC-Seal',
    'ARC-Message-Signature',
    'ARC-Authentication-Results',
  ]) {
    for (const value of ['x'.repeat(8192), `a${' '.repeat(50)}b`, 'é'.repeat(1025)])
      expect(kept(`${name}: ${value}\r\n${END}`)).toBe(END);
  }
  expect(kept(`${many(61, (i) => `ARC-Seal: ${i}\r\n`)}${END}`)).toBe(
    `${many(60, (i) => `ARC-Seal: ${i}\r\n`)}${END}`,
  );
});

const MEBIBYTE = 1024 * 1024;
const partial = (i: number) => `DKIM-Signature: v=1;\r\n l=${i}; b=\r\n`;
const whole = (i: number) => `DKIM-Signature: v=1; b=${i}; h=from\r\n`;
const keyedOf = (head: string, bodyBytes: number) => read(head + END, bodyBytes)?.keyed.length;

test('of a large body, only a few signatures that need a separate hash remain', () => {
  expect(keyedOf(many(10, partial), MEBIBYTE)).toBe(10);
  expect(keyedOf(many(10, partial), 25 * MEBIBYTE)).toBe(2);
  expect(keyedOf(many(10, partial), 1000 * MEBIBYTE)).toBe(1);
  expect(keyedOf(many(10, whole), 1000 * MEBIBYTE)).toBe(10);
});

test('the body is needed if a signature covers it', () => {
  expect(
    [END, `ARC-Seal: i=1\r\n${END}`, `X: DKIM-Signature: \r\n${END}`].map(
      (head) => read(head)?.signsBody,
    ),
  ).toEqual([false, false, false]);
  expect(
    [`dkim-signature\r\n :\r\n${END}`, `ARC-Message-Signature: i=1\r\n${END}`].map(
      (head) => read(head)?.signsBody,
    ),
  ).toEqual([true, true]);
});

test('a block without excess is unchanged', () => {
  for (const text of [
    '',
    '\r\n',
    'no field at all',
    `From ann@a.test Mon Feb 2\r\n${END}`,
    `DKIM-Signature: x\r\n${END}`,
  ]) {
    const head = Buffer.from(text);
    expect(signedHead(head, 1000)?.head).toBe(head);
  }
});

test.each([
  ['bytes', `X: ${'x'.repeat(262_144)}\r\n`],
  ['lines', `X:${'\r\n x'.repeat(5_000)}\r\n`],
  ['fields', 'X: x\r\n'.repeat(500)],
  ['a name', `X${' '.repeat(8192)}Y: x\r\n`],
  ['From', `From: ${'x'.repeat(8192)}\r\n`],
  ['From in parts', `From: ${'x'.repeat(4096)}\r\n`.repeat(2)],
  ['From with a fold before the colon', `From\r\n : ${'x'.repeat(8192)}\r\n`],
  ['letters of From', `From: ${'é'.repeat(1025)}\r\n`],
  ['Content-Type', `Content-Type: ${'x'.repeat(8192)}\r\n`],
])('too long: %s', (_, field) => {
  expect(read(`${field}To: you@in.example\r\n\r\n`)).toBeUndefined();
});
