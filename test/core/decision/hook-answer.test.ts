/** J2: what an answer of a deciding hook means, and the text of the SMTP reply. */
import { describe, expect, test } from 'vitest';

import {
  hookAnswer,
  hookReply,
  type HookResponse,
  replyText,
} from '../../../services/core/decision/hook-answer.ts';

const response = (body: string | null, status: number | null = 200): HookResponse => ({
  status,
  body,
  error: status === null ? 'no response within 5 s' : null,
  durationMs: 7,
});
const VALID = '{"decision":"refuse","message":"No","tags":["a","a","b"]}';

describe('J2: only a 2xx with a valid answer decides', () => {
  test('a decision with its message and tags', () => {
    expect(hookAnswer({ on_error: 'accept' }, response(VALID))).toEqual({
      decision: 'refuse',
      message: 'No',
      tags: ['a', 'b'],
      error: null,
      durationMs: 7,
    });
    expect(
      hookAnswer({ on_error: 'defer' }, response('{"decision":"drop","more":1}', 204)),
    ).toEqual({ decision: 'drop', message: '', tags: [], error: null, durationMs: 7 });
  });

  test.each([
    [
      'a byte order mark',
      `\ufeff${VALID}`,
      { decision: 'refuse', message: 'No', tags: ['a', 'b'] },
    ],
    ['a tag that is none', '{"decision":"refuse","tags":["A b","c"]}', { tags: ['c'] }],
    ['a message that is no text', '{"decision":"refuse","message":5}', { message: '' }],
    ['tags that are no list', '{"decision":"refuse","tags":"a"}', { tags: [] }],
  ])('a refusal that can be read refuses: %s', (_, body, expected) => {
    expect(hookAnswer({ on_error: 'accept' }, response(body))).toMatchObject({
      decision: 'refuse',
      ...expected,
    });
  });

  test.each<[string, HookResponse, string]>([
    ['no response', response(null, null), 'no response within 5 s'],
    ['a redirect', response(VALID, 302), 'it responded with 302'],
    ['an error', response(VALID, 500), 'it responded with 500'],
    ['a refusal by status', response(VALID, 403), 'it responded with 403'],
    ['no body', response(null), 'its answer is not valid'],
    ['an empty body', response(''), 'its answer is not valid'],
    ['no JSON', response('{"decision":'), 'its answer is not valid'],
    ['another type', response('"refuse"'), 'its answer is not valid'],
    ['an unknown decision', response('{"decision":"reject"}'), 'its answer is not valid'],
    ['4 KiB of blanks', response(`${VALID}${' '.repeat(4 * 1024)}`), 'its answer is too long'],
  ])('%s is on_error, never a refusal', (_, given, error) => {
    for (const on_error of ['accept', 'defer'] as const)
      expect(hookAnswer({ on_error }, given)).toMatchObject({
        decision: on_error,
        tags: [],
        error,
      });
  });
});

const replyOf = (decision: 'refuse' | 'defer' | 'hold', message: string) =>
  hookReply({ decision, message }, false);

describe('J2: the message in the SMTP reply', () => {
  test.each<[string, string, string, string]>([
    ['plain', 'Mailbox is full', 'Mailbox is full', 'Mailbox is full'],
    ['several lines', 'one\r\n250 OK\ttwo', 'one 250 OK two', 'one 250 OK two'],
    ['control characters', 'a\u0000b\u001bc\u007f', 'a?b?c?', 'a?b?c?'],
    ['other alphabets', 'Größe ✓ 語', 'Gr??e ? ?', 'Größe ✓ 語'],
    ['hidden and turning characters', 'a\u202eb\u200bc', 'a?b?c', 'a?b?c'],
    ['spaces only', ' \n ', '', ''],
    ['too long', 'x'.repeat(300), 'x'.repeat(200), 'x'.repeat(200)],
    ['too many bytes', '語'.repeat(200), '?'.repeat(200), '語'.repeat(160)],
    ['half a surrogate pair', 'a\ud83d', 'a?', 'a?'],
  ])('%s', (_, message, ascii, utf8) => {
    expect(replyText(message, false)).toBe(ascii);
    expect(replyText(message, true)).toBe(utf8);
  });

  test('refuse and defer have their codes, and a fixed text without a message', () => {
    expect(replyOf('refuse', 'Gone')).toMatchObject({ code: 550, enhanced: '5.7.1', text: 'Gone' });
    expect(replyOf('defer', 'Later')).toMatchObject({
      code: 451,
      enhanced: '4.7.1',
      text: 'Later',
    });
    expect(replyOf('refuse', '')?.text).toBe('Message rejected by the policy of the recipient');
    expect(replyOf('hold', 'x')).toBeUndefined();
  });
});
