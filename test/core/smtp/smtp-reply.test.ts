/** Refusals: each has its enhanced code (D21, D25), and only a deliberate one is permanent. */
import { expect, test } from 'vitest';

import * as replies from '../../../services/core/smtp/smtp-reply.ts';

const { SmtpRefusal, replyFor, libraryReply, ...rest } = replies;
const named = Object.values(rest);

test.each(named)('$name: $code $enhanced', ({ code, enhanced, text }) => {
  expect(enhanced).toMatch(/^[45]\.\d\.\d{1,2}$/);
  expect(enhanced[0]).toBe(String(code)[0]); // RFC 3463 §2: the classes of both codes agree
  expect(text).toMatch(/^[\x20-\x7e]+$/);
});

test('D21, D25: the codes that senders are promised', () => {
  expect(
    Object.fromEntries(named.map(({ name, code, enhanced }) => [name, `${code} ${enhanced}`])),
  ).toEqual({
    no_such_address: '550 5.1.1',
    address_disabled: '550 5.2.1',
    bad_address: '553 5.1.3',
    needs_smtputf8: '553 5.6.7',
    message_too_big: '552 5.3.4',
    too_many_for_address: '450 4.7.1',
    attachment_type_refused: '550 5.7.1',
    attachment_too_big: '552 5.2.3',
    spam_refused: '550 5.7.1',
    virus_refused: '550 5.7.1',
    account_suspended: '450 4.7.1',
    quota_spent: '452 4.2.2',
    too_many_recipients: '452 4.5.3',
    queue_full: '452 4.3.1',
    sender_not_allowed: '550 5.7.1',
    rule_refused: '550 5.7.1',
    hook_refused: '550 5.7.1',
    hook_deferred: '451 4.7.1',
    too_many_connections: '421 4.7.0',
    too_many_new_connections: '421 4.7.0',
    too_many_messages: '450 4.7.1',
    too_many_unknown: '450 4.7.1',
    listed_in_blocklist: '550 5.7.1',
    out_of_memory: '452 4.3.1',
    try_later: '451 4.3.0',
    loop_detected: '554 5.4.6',
    bad_line: '500 5.5.2',
    line_too_long: '500 5.5.2',
    unknown_command: '500 5.5.2',
    bad_parameters: '501 5.5.4',
    bad_sequence: '503 5.5.1',
    unknown_parameter: '555 5.5.4',
    needs_tls: '530 5.7.0',
    talked_too_soon: '421 4.7.0',
    speaks_http: '421 4.7.0',
    too_many_errors: '421 4.7.0',
    server_full: '421 4.3.2',
    not_proxied: '421 4.7.0',
    not_trusted: '421 4.7.0',
    bad_proxy_header: '421 4.7.0',
    timed_out: '421 4.4.2',
    shutting_down: '421 4.3.2',
  });
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
