/** The usual conditions of rules and filters say what they claim, and are recognized again. */
import { expect, test } from 'vitest';

import { createContentFacts } from '../../services/core/expression/content-facts.ts';
import { compileExpression } from '../../services/core/expression/expression.ts';
import { variablesOf } from '../../services/core/expression/variables.ts';
import { EXAMPLE_PAYLOAD } from '../../services/core/webhook/example.ts';
import {
  operandOf,
  type Condition,
  type ConditionKind,
  conditionsIn,
  conditionsInWords,
  expressionOf,
} from '../../services/dashboard/screens/rules/conditions.ts';
import { expressionFacts } from '../core/expression/facts.ts';

const PROVEN = expressionFacts({ from: 'Ann <ann@sender.example>', subject: 'x', dmarc: 'pass' });
const FACTS = {
  ...EXAMPLE_PAYLOAD,
  authentication: PROVEN.authentication,
  spam: { ...EXAMPLE_PAYLOAD.spam, score: 5 },
  tags: ['vip'],
  lists: new Map(),
  firstSeen: false,
  tlsVersion: '',
  contentFacts: createContentFacts({
    ...EXAMPLE_PAYLOAD,
    ...EXAMPLE_PAYLOAD.content,
    mailFrom: '',
    contentTypes: [],
  }),
};

const isTrue = (text: string) => compileExpression(text).expression?.evaluate(variablesOf(FACTS));
const one = (kind: ConditionKind, value = '', isNegated = false): Condition => ({
  kind,
  value,
  isNegated,
});

/** A value that the example meets, and one that it does not; or whether it meets it. */
const VALUES: Record<
  Exclude<ConditionKind, 'senderInList'>,
  [yes: string, no: string] | boolean
> = {
  senderDomain: [' @Sender.example', 'other.example'],
  senderAddress: ['Ann@sender.example', 'bob@sender.example'],
  notAuthenticated: false,
  fromDomain: ['Sender.example ', 'other.example'],
  fromAddress: ['ann@sender.example', 'bob@sender.example'],
  dmarc: true,
  subject: ['ORDER', 'say "no" && \\'],
  recipient: ['orders@in.example.com', 'sales@in.example.com'],
  plusTag: [FACTS.plus_tag ?? '', 'billing'],
  attachment: true,
  fileName: ['.TXT', '.pdf'],
  larger: ['0', '1.5'],
  largerInBytes: ['1', '1500000'],
  spam: false,
  spamScore: ['4.9', '5'],
  tagged: ['vip', 'other'],
  program: false,
  list: false,
  bounce: false,
  firstSeen: false,
  hiddenText: false,
  mismatchedLinks: false,
  forwarded: false,
  noTls: true,
};

test.each(Object.entries(VALUES))('%s', (name, value) => {
  const kind = name as ConditionKind;
  expect(operandOf(kind) !== 'nothing').toBe(Array.isArray(value));
  const results = (Array.isArray(value) ? value : ['']).map((text) =>
    [false, true].map((isNegated) => isTrue(expressionOf([one(kind, text, isNegated)], 'true'))),
  );
  const meets = Array.isArray(value) ? [true, false] : [value];
  expect(results).toEqual(
    meets.map((is) => [is, !is].map((result) => ({ value: result, error: null }))),
  );
});

test('what the form wrote is recognized, with each value as it is sent', () => {
  const conditions = [
    one('senderInList', 'partners', true),
    one('subject', 'say "no" && \\ $ $&'),
    one('senderDomain', 'sender.example'),
    one('larger', '0.5'),
    one('spamScore', '7.5', true),
    one('program', '', true),
    one('notAuthenticated'),
  ];
  const expression = expressionOf(conditions, 'true');
  expect(compileExpression(expression).error).toBeNull();
  expect(conditionsIn(expression, 'true')).toEqual(conditions);
  expect(conditionsIn('true', 'true')).toEqual([]);
  expect(conditionsIn('', '')).toEqual([]);
});

test('conditions in words', () => {
  expect(conditionsInWords('true')).toBe('Every email');
  expect(conditionsInWords('!(sender in lists.partners) && size_bytes > 5242880')).toBe(
    'Not: The sender is in the list “partners” · It is larger than (MiB) “5”',
  );
  expect(conditionsInWords('is_list || is_bounce')).toBeUndefined();
});

test.each([
  'sender in lists.partners || true',
  'is_list&&is_bounce',
  'subject.lowerAscii().contains("Upper")',
  'subject.lowerAscii().contains("a") || spam.verdict == "spam"',
  '(is_list || is_bounce) && auto_submitted',
  '!!is_list',
  'subject == "unfinished',
  'size_bytes > 1 + 1',
  'plus_tag == ""',
  'true && is_list',
  '',
])('%s was not written by the form, so it opens as text', (expression) => {
  expect(conditionsIn(expression, 'true')).toBeUndefined();
});

test.each(['not a number', '-1', '1e400'])('a size of %s MiB is still an expression', (size) => {
  expect(compileExpression(expressionOf([one('larger', size)], '')).error).toBeNull();
});

test.each([
  ['20000', 'It is larger than (bytes) “20000”'],
  ['5242880', 'It is larger than (MiB) “5”'],
  ['3292529', 'It is larger than (MiB) “3.14”'],
])('a size of %s bytes is shown as a person would write it', (size, words) => {
  expect(conditionsInWords(`size_bytes > ${size}`)).toBe(words);
});
