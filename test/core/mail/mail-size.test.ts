/** Large emails, and emails with large heads, are handled by a thread of their own. */
import { expect, test } from 'vitest';

import { isLarge, LARGE_FROM_BYTES } from '../../../services/core/mail/mail-size.ts';
import { atMost } from '../../support/slowdown.ts';

const HEAD_MAX = 16 * 1024;
const withHead = (bytes: number) => `X: ${'x'.repeat(bytes - 7)}\r\n\r\n`;

test.each([
  ['an ordinary email', 'Subject: x\r\n\r\nHello', false],
  ['the largest body', 'x: y\r\n\r\n'.padEnd(LARGE_FROM_BYTES, 'x'), false],
  ['a larger body', 'x: y\r\n\r\n'.padEnd(LARGE_FROM_BYTES + 1, 'x'), true],
  ['the largest head', withHead(HEAD_MAX), false],
  ['a larger head', withHead(HEAD_MAX + 1), true],
  ['a long text without an empty line', 'x\r\n'.repeat(HEAD_MAX / 3 + 1), true],
  ['a short one', 'x\r\n'.repeat(100), false],
])('%s', (_, mail, large) => {
  expect(isLarge(Buffer.from(mail))).toBe(large);
});

test('an email of millions of lines is not searched', () => {
  const mail = Buffer.alloc(24_000_000, 'a: b\r\n');
  const startedAt = performance.now();
  for (let i = 0; i < 1_000; i++) isLarge(mail);
  expect(performance.now() - startedAt).toBeLessThan(atMost(1_000));
});
