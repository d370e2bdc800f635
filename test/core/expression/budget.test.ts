/** The CPU time of an account's expressions: for each email and for each minute, with a clock of the test. */
import { expect, test } from 'vitest';

import {
  type Budget,
  createEmailBudgets,
  noBudget,
} from '../../../services/core/expression/budget.ts';
import { evaluateWithin } from '../../../services/core/expression/evaluate-within.ts';
import { compileExpression } from '../../../services/core/expression/expression.ts';
import { createFilter } from '../../../services/core/expression/filter.ts';
import { variablesOf } from '../../../services/core/expression/variables.ts';
import { evaluateRules } from '../../../services/core/decision/rules.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';

function start() {
  const clock = { cpuMs: 0, nowMs: 0 };
  const usedUp: string[] = [];
  const budgets = createEmailBudgets({
    cpuMs: () => clock.cpuMs,
    nowMs: () => clock.nowMs,
    minuteCpuMs: 1_000,
    onUsedUp: (accountId) => usedUp.push(accountId),
  });
  const take = (budget: Budget, ms: number) => budget.charge(() => (clock.cpuMs += ms));
  return { clock, usedUp, budgets, take };
}

test('an email has 200 ms for all recipients of an account, and another account its own', () => {
  const { budgets, take, usedUp } = start();
  const email = budgets();
  const [one, other, stranger] = [email('a'), email('a'), email('b')];
  take(one, 199);
  expect(other.isUsedUp()).toBe(false);
  take(other, 1);
  expect([one, other, stranger].map((budget) => budget.isUsedUp())).toEqual([true, true, false]);
  expect(usedUp).toEqual(['a']);
  expect(budgets()('a').isUsedUp()).toBe(false);
});

test('an account has its time of a minute, and the next minute begins anew', () => {
  const { budgets, take, clock } = start();
  for (let emails = 0; emails < 10; emails++) take(budgets()('a'), 100);
  expect(budgets()('a').isUsedUp()).toBe(true);
  expect(budgets()('b').isUsedUp()).toBe(false);
  clock.nowMs += 60_000;
  expect(budgets()('a').isUsedUp()).toBe(false);
});

test('the content of an email is read at nobody’s expense', () => {
  const { budgets, clock } = start();
  const budget = budgets()('a');
  budget.charge(() => budget.exempt(() => (clock.cpuMs += 5_000)));
  expect(budget.isUsedUp()).toBe(false);
});

test('a failed evaluation is charged as well', () => {
  const { budgets, clock } = start();
  const budget = budgets()('a');
  const failing = () =>
    budget.charge(() => {
      clock.cpuMs += 300;
      throw new Error('no such key');
    });
  expect(failing).toThrow('no such key');
  expect(budget.isUsedUp()).toBe(true);
});

const EMPTY = { ...EXAMPLE_PAYLOAD, budget: noBudget('a') };
const ERROR = expect.stringContaining('have used their CPU time') as string;

test('without time, an expression is not evaluated, and that is said', () => {
  const { expression } = compileExpression('true');
  if (!expression) throw new Error('not compiled');
  const budget = noBudget('a');
  expect(budget.isIncomplete()).toBe(false);
  expect(evaluateWithin(budget, expression, variablesOf(EXAMPLE_PAYLOAD))).toMatchObject({
    value: null,
    error: { message: ERROR },
  });
  expect(budget.isIncomplete()).toBe(true);
});

test.each([
  ['refuse', { action: 'hold', reply: undefined, accepted: { reason: 'not_evaluated' } }],
  ['hold', { action: 'hold', reply: undefined, accepted: { reason: 'not_evaluated' } }],
  ['drop', { action: 'hold', reply: undefined, accepted: { reason: 'not_evaluated' } }],
  ['tag', { action: 'deliver', reply: undefined, tags: [] }],
] as const)('a rule that would %s, and has no time', (action, expected) => {
  for (const when of ['false', 'sender == ""']) {
    const rule = { name: 'r', when, action, ...(action === 'tag' && { tags: ['t'] }) };
    expect(evaluateRules({ account: [], address: [rule] }, EMPTY)).toMatchObject({
      ...expected,
      trace: { rules: [{ result: 'failed', error: ERROR }] },
    });
  }
});

test('what reads the tags of a rule that was not evaluated is not evaluated either', () => {
  const budget = start().budgets()('a');
  const facts = { ...EXAMPLE_PAYLOAD, budget };
  const headers = Array.from({ length: 500 }, (_, at) => ({ name: `x-${at}`, value: 'v' }));
  const long = { ...facts, headers: { ...facts.headers, all: headers } };
  const slow =
    'headers.exists(h, headers.exists(i, headers.exists(j, h == i && i == j && j == "")))';
  const address = [
    { name: 'slow', when: slow, action: 'tag' as const, tags: ['bad'] },
    { name: 'bad', when: '"bad" in tags', action: 'drop' as const },
  ];
  expect(evaluateRules({ account: [], address }, long)).toMatchObject({
    accepted: { action: 'hold', reason: 'not_evaluated' },
  });
  expect(createFilter(long)('!("bad" in tags)')).toMatchObject({ isNotEvaluated: true });
  expect(createFilter(long)('subject != ""')).toEqual({ passes: true });
});

test('a filter that has no time does not pass', () => {
  const filter = createFilter(EMPTY);
  expect(filter('true')).toEqual({ passes: false, error: ERROR, isNotEvaluated: true });
  expect(filter(null)).toEqual({ passes: true });
});
