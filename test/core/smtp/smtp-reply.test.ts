/**
 * Refusals: each has its enhanced code (D21, D25; docs/smtp.md lists them), and only a deliberate one is
 * permanent.
 */
import { expect, test } from 'vitest';

import { libraryReply } from '../../../services/core/smtp/library-reply.ts';
import * as replies from '../../../services/core/smtp/smtp-reply.ts';

const { SmtpRefusal, replyFor, ...rest } = replies;
const named = Object.values(rest);

test.each(named)('$name: $code $enhanced', ({ code, enhanced, text }) => {
  expect(enhanced).toMatch(/^[45]\.\d\.\d{1,2}$/);
  expect(enhanced[0]).toBe(String(code)[0]); // RFC 3463 §2: the classes of both codes agree
  expect(text).toMatch(/^[\x20-\x7e]+$/);
});

test('each has a name of its own', () => {
  expect(new Set(named.map(({ name }) => name)).size).toBe(named.length);
});

test.each([
  ['an unexpected error', new Error('connect ECONNREFUSED')],
  ['an error with a code of its own', Object.assign(new Error('no'), { responseCode: 550 })],
  ['no error at all', undefined],
])('%s is temporary: the sender keeps the mail', (_, error) => {
  expect(replyFor(error)).toBe(replies.tryLater);
});

test('a refusal has its own reply, and keeps its cause for the log', () => {
  const cause = new Error('10077');
  const refusal = new SmtpRefusal(replies.queueFull, { cause });
  expect([replyFor(refusal), refusal.cause]).toEqual([replies.queueFull, cause]);
});

test.each([
  [500, replies.unknownCommand],
  [501, replies.badParameters],
  [503, replies.badSequence],
  [552, replies.messageTooBig],
  [421, replies.timedOut],
  [455, replies.tryLater],
])('a %d that smtp-server chose itself has a name', (code, reply) => {
  expect(libraryReply(code)).toBe(reply);
});
