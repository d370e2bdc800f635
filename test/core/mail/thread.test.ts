/** The conversation of an email (D58). */
import { expect, test } from 'vitest';

import { THREAD_ID, threadId } from '../../../services/core/mail/thread.ts';

const of = (fields: Partial<Parameters<typeof threadId>[1]>, addressId = 'addr_1') =>
  threadId(addressId, { message_id: null, in_reply_to: null, references: null, ...fields });

const FIRST = of({ message_id: '<first@x.example>' });

test.each([
  ['a reply', { message_id: '<2@x>', in_reply_to: '<first@x.example>' }],
  [
    'References before In-Reply-To',
    { in_reply_to: '<2@x>', references: '<first@x.example> <2@x>' },
  ],
  ['References over lines', { references: '\r\n\t<first@x.example>\r\n\t<2@x>' }],
  ['words around it', { in_reply_to: 'Your message of Monday <first@x.example>' }],
  ['an id without brackets', { in_reply_to: ' first@x.example ' }],
])('%s is in the conversation of the first email', (_, fields) => {
  expect(FIRST).toMatch(THREAD_ID);
  expect(of(fields)).toBe(FIRST);
});

test('another first email, or another address, is another conversation', () => {
  expect(of({ message_id: '<other@x.example>' })).not.toBe(FIRST);
  expect(of({ message_id: '<first@x.example>' }, 'addr_2')).not.toBe(FIRST);
});

test('without ids there is none', () => {
  expect(of({})).toBeUndefined();
  expect(of({ references: ' ', in_reply_to: '' })).toBeUndefined();
});
