/** J2: the examples of docs/deciding-hooks.md give the answers that the page says. */
import { expect, test } from 'vitest';

import { hookAnswer } from '../../services/core/hook/hook-answer.ts';
import { codeBlocks, readPage } from './pages.ts';

type Decide = (email: object, lookups: object) => Promise<object>;

const examples = await Promise.all(
  codeBlocks(await readPage('docs/deciding-hooks.md'))
    .filter(({ language }) => language === 'js')
    .map(async ({ code }) => {
      const source = `${code}\nexport default decide;`;
      const url = `data:text/javascript,${encodeURIComponent(source)}`;
      return ((await import(/* @vite-ignore */ url)) as { default: Decide }).default;
    }),
);

/** The decision that Inlet reads in the answer of the example. */
async function decisionOf(at: number, email: object, lookups: object): Promise<string> {
  const answer = await examples[at]?.(email, lookups);
  const { decision, message, error } = hookAnswer(
    { on_error: 'accept' },
    { status: 200, body: JSON.stringify(answer), error: null, durationMs: 1 },
  );
  expect(error).toBeNull();
  return message === '' ? decision : `${decision}: ${message}`;
}

test('one email for each order', async () => {
  const known = { new: { region: 'eu' }, old: { region: 'eu', isAnswered: true } };
  const orders = { byToken: async (token: string) => new Map(Object.entries(known)).get(token) };
  const of = (plus_tag: string) => decisionOf(0, { plus_tag }, { orders });
  expect(await of('new')).toBe('accept');
  expect(await of('old')).toBe('drop');
  expect(await of('other')).toBe('refuse: There is no such order');
});

test('greylisting', async () => {
  const lookups = {
    customers: { has: async (sender: string) => sender === 'ann@a.example' },
    firstSeen: { minutesSince: async (sender: string) => (sender === 'bob@b.example' ? 7 : 0) },
  };
  const of = (mail_from: string) => decisionOf(1, { envelope: { mail_from } }, lookups);
  expect(await of('ann@a.example')).toBe('accept');
  expect(await of('bob@b.example')).toBe('accept');
  expect(await of('eve@c.example')).toBe('defer: Please try again in five minutes');
});

test.each([
  [{}, 'accept'],
  [{ isDisputed: true }, 'hold'],
  [{ isClosed: true }, 'refuse: This account is closed'],
])('the account %j', async (account, decision) => {
  const accounts = { byAddress: async () => account };
  expect(await decisionOf(2, { envelope: { rcpt_to: ['a@b.example'] } }, { accounts })).toBe(
    decision,
  );
});
