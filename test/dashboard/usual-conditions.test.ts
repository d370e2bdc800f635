/** The usual conditions that the form of a receiver offers are expressions that say what they claim. */
import { expect, test } from 'vitest';

import { compileExpression } from '../../services/core/expression/expression.ts';
import { variablesOf } from '../../services/core/expression/variables.ts';
import { EXAMPLE_PAYLOAD } from '../../services/core/webhook/example.ts';
import {
  USUAL_CONDITIONS,
  type UsualCondition,
  withCondition,
} from '../../services/dashboard/screens/addresses/usual-conditions.ts';

const isTrue = (text: string) =>
  compileExpression(text).expression?.evaluate(variablesOf(EXAMPLE_PAYLOAD)).value;

const VALUES: Record<UsualCondition, [yes: string, no: string] | boolean> = {
  domain: [' Sender.example', 'other.example'],
  author: ['Ann@sender.example', 'bob@sender.example'],
  subject: ['ORDER', 'say "no" \\'],
  plusTag: ['', 'billing'],
  recipient: ['orders@in.example.com', 'sales@in.example.com'],
  fileName: ['.TXT', '.pdf'],
  larger: ['0', '1'],
  attachment: true,
  notSpam: true,
  byPeople: true,
};

test.each(Object.entries(VALUES))('%s', (kind, value) => {
  const { asks, write } = USUAL_CONDITIONS[kind as UsualCondition];
  expect(asks).toBe(Array.isArray(value));
  const results = Array.isArray(value)
    ? value.map((one) => isTrue(write(one)))
    : [isTrue(write(''))];
  expect(results).toEqual(Array.isArray(value) ? [true, false] : [value]);
});

test('a second condition must be true as well', () => {
  expect(withCondition('', 'notSpam', '')).toBe('spam.verdict == "not_spam"');
  expect(isTrue(withCondition('is_list || true', 'plusTag', 'billing'))).toBe(false);
  expect(isTrue(withCondition('!is_list', 'plusTag', ''))).toBe(true);
});

test.each(['not a number', '-1', '1e400'])('a size of %s MiB is still an expression', (size) => {
  expect(compileExpression(USUAL_CONDITIONS.larger.write(size)).error).toBeNull();
});
