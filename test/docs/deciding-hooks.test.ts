/** J2: the examples of docs/deciding-hooks.md give the answers that the page says. */
import { execFileSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { hookAnswer } from '../../services/core/decision/hook-answer.ts';
import { questionSecret } from '../../services/core/webhook/signature.ts';
import { codeBlocks, readPage } from './pages.ts';

type Decide = (email: object, lookups: object) => Promise<object>;

const page = await readPage('docs/deciding-hooks.md');
const blocks = codeBlocks(page);
const [key = '', ...sources] = blocks
  .filter(({ language }) => language === 'js')
  .map(({ code }) => code);
const moduleOf = (source: string): Promise<object> =>
  import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`);
const examples = await Promise.all(
  sources.map(async (code) => {
    const source = `${code}\nexport default decide;`;
    return ((await moduleOf(source)) as { default: Decide }).default;
  }),
);

test('D311: the secret of a hook, as the page makes it and as Inlet does', async () => {
  const [secret = '', ofHook] = [...page.text.matchAll(/`(whsec_[^`]+)`/g)].map(([, text]) => text);
  expect(questionSecret(secret)).toBe(ofHook);
  const { hookSecret } = (await moduleOf(key)) as { hookSecret: (secret: string) => string };
  expect(hookSecret(secret)).toBe(ofHook);
  const python = blocks.find(({ language }) => language === 'python')?.code ?? '';
  const printed = execFileSync('python3', ['-c', `${python}\nprint(hook_secret("${secret}"))`]);
  expect(printed.toString().trim()).toBe(ofHook);
});

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
