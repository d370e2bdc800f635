import { describe, expect, test } from 'vitest';

import type { Rule } from '../../../services/core/rule/rule.ts';
import {
  isListed,
  senderList,
  senderLists,
} from '../../../services/core/expression/sender-list.ts';
import type { ExpressionFacts } from '../../../services/core/expression/variables.ts';
import { changedEntries } from '../../../services/core/list/sender-list.ts';
import { listsIn } from '../../../services/core/text/expression-text.ts';
import { evaluateRules, impersonal } from '../../../services/core/decision/rules.ts';
import { rulesFault } from '../../../services/core/rule/rules-fault.ts';
import { expressionFacts } from '../expression/facts.ts';

const rule = (name: string, when: string, action: Rule['action'], tags?: string[]): Rule => ({
  name,
  when,
  action,
  ...(tags && { tags }),
});

/** An email of ann@partner.example, which DMARC proves unless the result says otherwise. */
const facts = (dmarc: 'pass' | 'fail' | 'temperror' = 'pass'): ExpressionFacts =>
  expressionFacts({ from: 'Ann <ann@partner.example>', subject: 'Order 7', dmarc });

const address = (...rules: Rule[]) => ({ account: [], address: rules });

describe('J1: rules are evaluated in their order', () => {
  test('the first terminal action that matches wins, and nothing after it is evaluated', () => {
    const outcome = evaluateRules(
      {
        account: [rule('no', 'subject == "x"', 'refuse'), rule('yes', 'size_bytes > 0', 'hold')],
        address: [rule('later', 'true', 'drop')],
      },
      facts(),
    );
    expect(outcome).toEqual({
      action: 'hold',
      reply: undefined,
      accepted: { action: 'hold', reason: 'rule' },
      tags: [],
      trace: {
        rules: [
          { name: 'no', scope: 'account', action: 'refuse', result: 'not_matched', error: null },
          { name: 'yes', scope: 'account', action: 'hold', result: 'matched', error: null },
        ],
        facts: [
          { name: 'subject', value: 'Order 7' },
          { name: 'size_bytes', value: '100' },
        ],
      },
    });
  });

  test('tags are collected, once each, and later rules see them', () => {
    const outcome = evaluateRules(
      address(
        rule('tag it', 'true', 'tag', ['vip', 'order']),
        rule('again', 'true', 'tag', ['vip']),
        rule('hold vips', '"vip" in tags', 'hold'),
      ),
      facts(),
    );
    expect(outcome).toMatchObject({ action: 'hold', tags: ['vip', 'order'] });
  });

  test('without a match the email is delivered', () => {
    expect(evaluateRules(address(rule('no', 'false', 'refuse')), facts()).action).toBe('deliver');
  });

  test.each<[string, string]>([
    ['a header that is missing', 'headers["x-none"] == "1"'],
    ['a list that does not exist', 'sender in lists.none'],
    ['an expression of another version', 'nothing.like.this'],
  ])('a rule that fails does nothing: %s', (_, when) => {
    const { action, trace } = evaluateRules(
      address(rule('bad', when, 'refuse'), rule('good', 'true', 'hold')),
      facts(),
    );
    expect(action).toBe('hold');
    expect(trace.rules[0]).toMatchObject({ result: 'failed', error: expect.any(String) as string });
  });
});

test('an email has at most twenty tags, and a trace at most twenty facts', () => {
  const rules = Array.from({ length: 20 }, (_, n) =>
    rule(
      `r${n}`,
      `headers[?"x-${n}"].orValue("") == "" && size_bytes > ${n}`,
      'tag',
      Array.from({ length: 5 }, (__, tag) => `t${n}-${tag}`),
    ),
  );
  const all = Array.from({ length: 30 }, (_, n) => ({ name: `x-${n}`, value: '' }));
  const long = { ...facts(), headers: { ...facts().headers, all } };
  const { tags, trace } = evaluateRules(address(...rules), long);
  expect([tags.length, trace.rules.length, trace.facts.length]).toEqual([20, 20, 20]);
});

/** Bytes of a trace of forty rules with long names, as a header has them. */
function sizeOf(when: (n: number) => string): number {
  const rules = Array.from({ length: 20 }, (_, n) => rule('ß'.repeat(64), when(n), 'hold'));
  const email = { ...facts(), headers: { ...facts().headers, subject: 'ß'.repeat(1_000) } };
  const { trace } = evaluateRules({ account: rules, address: rules }, email);
  expect(trace.rules).toHaveLength(40);
  return JSON.stringify(trace).replace(/[^ -~]/g, '\\uffff').length;
}

test('a trace leaves room in the header of its event, whatever rules and emails are', () => {
  expect(sizeOf(() => 'subject == "x"')).toBeLessThan(20_480);
  expect(sizeOf((n) => `headers["${'ß'.repeat(250)}${n}"] == subject`)).toBeLessThan(20_480);
});

describe('sender is the proven author', () => {
  const onList = address(rule('known', 'sender in lists.partners', 'tag', ['known']));
  const lists = senderLists(new Map([['partners', new Set(['partner.example'])]]));

  test.each([
    ['pass', ['known']],
    ['fail', []],
  ] as const)('DMARC %s', (dmarc, tags) => {
    expect(evaluateRules(onList, { ...facts(dmarc), lists }).tags).toEqual(tags);
  });

  test('while DNS does not answer, a rule that could refuse or hold waits for it', () => {
    const silent = { ...facts('temperror'), lists };
    const strict = address(rule('unknown', '!(sender in lists.partners)', 'refuse'));
    expect(evaluateRules(strict, silent).action).toBe('later');
    expect(evaluateRules(onList, silent)).toMatchObject({
      action: 'deliver',
      trace: { rules: [{ result: 'failed', error: expect.stringContaining('DNS') as string }] },
    });
    const needless = address(rule('any', 'size_bytes > 0 || sender == "a@b.example"', 'hold'));
    expect(evaluateRules(needless, silent).action).toBe('hold');
  });
});

describe('lists', () => {
  const list = senderList(
    new Set(['ann@partner.example', 'shop.example', '*.group.example', 'bücher.example']),
  );

  test.each([
    ['ann@partner.example', true],
    ['ANN@PARTNER.EXAMPLE', true],
    ['bob@partner.example', false],
    ['bob@shop.example', true],
    ['bob@sub.shop.example', false],
    ['bob@eu.group.example', true],
    ['bob@a.eu.group.example', true],
    ['bob@group.example', false],
    ['bob@evilgroup.example', false],
    ['eu.group.example', true],
    ['', false],
  ])('%s: %s', (sender, expected) => {
    expect(isListed(sender, list)).toBe(expected);
  });

  test('their names are found in expressions', () => {
    expect(
      listsIn(['sender in lists.a && !(sender in lists["b"])', "sender in lists ['a']", 'bad(']),
    ).toEqual(['a', 'b']);
  });

  test('a change normalizes entries, and names the first that is no sender', () => {
    expect(
      changedEntries(['b.example'], {
        add: ['Ann@A.Example', '*.Bücher.example'],
        remove: ['B.EXAMPLE'],
      }),
    ).toEqual({ entries: ['*.xn--bcher-kva.example', 'ann@a.example'] });
    expect(changedEntries(['b.example'], { entries: ['c.example'] })).toEqual({
      entries: ['c.example'],
    });
    expect(changedEntries([], { add: ['a.example', 'no sender'] })).toEqual({ invalid: 'add.1' });
  });
});

test.each<[string, Rule[], string | undefined]>([
  ['nothing', [rule('a', 'true', 'drop'), rule('b', 'true', 'tag', ['x'])], undefined],
  ['an expression', [rule('a', 'true', 'drop'), rule('b', '1 + 1', 'drop')], '1.when'],
  ['a tag without tags', [rule('a', 'true', 'tag')], '0.tags'],
  ['a hold with tags', [rule('a', 'true', 'hold', ['x'])], '0.tags'],
])('what is wrong with rules: %s', (_, rules, place) => {
  expect(rulesFault(rules)?.place).toBe(place);
});

test('redacted records show no fact about people or contents', () => {
  const { trace } = evaluateRules(
    address(rule('a', 'subject == "x" || from.domain == "y" || spam.score > 20.0', 'hold')),
    facts(),
  );
  const ruling = { action: null, reason: null, ...trace };
  expect(ruling.facts.map(({ name }) => name)).toEqual(['subject', 'from.domain', 'spam.score']);
  expect(impersonal(ruling).facts).toEqual([{ name: 'spam.score', value: '0' }]);
});
