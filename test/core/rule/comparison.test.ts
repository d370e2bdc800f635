/** What rules would decide, compared with what was decided when an email arrived. */
import { expect, test } from 'vitest';

import type { Ruling } from '../../../services/core/delivery/ruling.ts';
import {
  countRules,
  isSameDecision,
  pastDecision,
} from '../../../services/core/rule/comparison.ts';

const EVALUATED: Ruling['rules'] = [
  { name: 'a', scope: 'account', action: 'refuse', result: 'matched', error: null },
];
const ruling = (
  action: Ruling['action'],
  reason: Ruling['reason'],
  rules: Ruling['rules'] = EVALUATED,
): Ruling => ({ action, reason, rules, facts: [] });

/** As the rule of a field is traced. */
const field = (name: string, result: 'matched' | 'not_matched' = 'matched') =>
  ({ name, scope: 'address', action: 'refuse', result, error: null, is_built_in: true }) as const;
const HELD = { ...EVALUATED[0]!, action: 'hold' as const };

test.each([
  ['without rules', undefined, 'deliver'],
  ['no match', ruling(null, null, [field('spam_refuse_above', 'not_matched')]), 'deliver'],
  ['held by a rule', ruling('hold', 'rule', [HELD]), 'hold'],
  ['dropped by a rule', ruling('drop', 'rule', []), 'drop'],
  ['held instead of refused', ruling('hold', 'refused_by_rule'), 'refuse'],
  ['held instead of deferred', ruling('hold', 'sender_not_checked', []), 'later'],
  ['held because of a virus', ruling('hold', 'infected', [field('refuse_infected')]), 'refuse'],
  ['the same of an earlier release', ruling('hold', 'infected', []), 'refuse'],
  ['held because of its attachments', ruling('hold', 'attachment_not_allowed', []), 'refuse'],
  ['held because of its sender', ruling('hold', 'sender_not_allowed', []), 'refuse'],
  ['spam, delivered', ruling(null, null, [field('spam_refuse_above')]), 'refuse'],
  ['spam, held', ruling('hold', 'rule', [HELD, field('spam_refuse_above')]), 'refuse'],
])('%s', (_, one, action) => {
  const delivery = { ...(one && { ruling: one }), tags: ['x'] };
  expect(pastDecision(delivery)).toEqual({ action, tags: ['x'] });
});

test('fields are counted once, whatever other fields the addresses have, and in their order', () => {
  const own = { name: 'a', scope: 'account', action: 'tag', error: null } as const;
  const counts = countRules([
    { rules: [{ ...own, result: 'matched' }, field('spam_refuse_above')] },
    {
      rules: [
        field('refuse_infected', 'not_matched'),
        field('allowed_senders', 'not_matched'),
        { ...own, result: 'not_matched' },
        field('spam_refuse_above', 'not_matched'),
      ],
    },
  ]);
  expect(counts.map(({ name, evaluated, matched }) => [name, evaluated, matched])).toEqual([
    ['refuse_infected', 1, 0],
    ['allowed_senders', 1, 0],
    ['a', 2, 1],
    ['spam_refuse_above', 2, 1],
  ]);
});

test('tags in another order are the same, other tags are not', () => {
  const held = { action: 'hold' as const, tags: ['a', 'b'] };
  expect(isSameDecision(held, { action: 'hold', tags: ['b', 'a'] })).toBe(true);
  expect(isSameDecision(held, { action: 'hold', tags: ['a'] })).toBe(false);
  expect(isSameDecision(held, { action: 'drop', tags: ['a', 'b'] })).toBe(false);
});

test('rules are counted in their order, with their first error', () => {
  const first = { name: 'a', scope: 'account', action: 'tag' } as const;
  const second = { name: 'b', scope: 'address', action: 'hold' } as const;
  const counts = countRules([
    { rules: [{ ...first, result: 'failed', error: 'no such list' }] },
    {
      rules: [
        { ...first, result: 'failed', error: 'another error' },
        { ...second, result: 'matched', error: null },
      ],
    },
  ]);
  expect(counts).toEqual([
    { ...first, error: 'no such list', evaluated: 2, matched: 0, failed: 2 },
    { ...second, error: null, evaluated: 1, matched: 1, failed: 0 },
  ]);
});
