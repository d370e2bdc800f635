/** What the dashboard says about a delivery that ended, and how it shows text that reorders itself. */
import { expect, test } from 'vitest';

import { escaped } from '../../services/dashboard/parts/plain-text.ts';
import { endOf } from '../../services/dashboard/screens/mail/end-of-delivery.ts';
import { isStub } from '../../services/dashboard/screens/mail/views/stub-text.ts';
import { accountText } from '../../services/dashboard/strings/account.ts';
import { emailText } from '../../services/dashboard/strings/mail/email.ts';

const failed = { content_erased_at: null, outcome: 'busy' as const, attempts: [] };
const answered = (status_code: number) => ({
  ...failed,
  outcome: 'refused' as const,
  attempts: [{ status_code: 503 }, { status_code }],
});

test.each([
  ['a redirect', answered(301), 'follows no redirect'],
  ['a 404', answered(404), 'status is final'],
  ['a 422', answered(422), 'status is final'],
  ['a canceled one', { ...answered(503), outcome: 'canceled' as const }, 'A request ended'],
  ['an erased one', { ...failed, content_erased_at: '2026-11-21T08:00:00Z' }, 'cannot be replayed'],
  ['a blocked one', { ...failed, outcome: 'blocked' as const }, 'Nothing was sent'],
  ['the last 503', failed, 'No attempts are left'],
])('%s has its own last line', (_, delivery, says) => {
  expect(emailText.ended[endOf(delivery)].text).toContain(says);
});

test('marks that reorder text are shown as their code, which in JSON is the same character', () => {
  const name = 'invoice\u202egnp.exe \u2066x\u2069 \u009bm';
  expect(escaped(name)).toBe('invoice\\u202egnp.exe \\u2066x\\u2069 \\u009bm');
  expect(JSON.parse(escaped(JSON.stringify({ name })))).toEqual({ name });
  expect(escaped('שלום\u200f\n\tü 👩\u200d💻')).toBe('שלום\u200f\n\tü 👩\u200d💻');
});

test('a text that only leads to the HTML is not shown first; a text of its own is', () => {
  expect(
    ['See the HTML.', 'View this email in your browser: https://a.example'].map(isStub),
  ).toEqual([true, true]);
  expect(
    ['Hello Ann', `The browser test failed. ${'It says why. '.repeat(20)}`].map(isStub),
  ).toEqual([false, false]);
});

test('the link of a session does not read like the invitation of a person', () => {
  expect(accountText.invite).toMatch(/ once$/);
  expect(accountText.inviteHint).toContain('makes nobody a member');
});
