/** What rules would decide, compared with what was decided when an email arrived. */
import { expect, test } from 'vitest';

import type { Ruling } from '../../../services/core/delivery/ruling.ts';
import {
  countRules,
  isHeldBeforeRules,
  isSameDecision,
  pastDecision,
} from '../../../services/core/rules/comparison.ts';

const EVALUATED: Ruling['rules'] = [
  { name: 'a', scope: 'account', action: 'refuse', result: 'matched', error: null },
];
const ruling = (
  action: Ruling['action'],
  reason: Ruling['reason'],
  rules: Ruling['rules'] = EVALUATED,
): Ruling => ({ action, reason, rules, facts: [] });

test.each([
  ['without rules', undefined, 'deliver', false],
  ['no match', ruling(null, null), 'deliver', false],
  ['held by a rule', ruling('hold', 'rule'), 'hold', false],
  ['dropped by a rule', ruling('drop', 'rule'), 'drop', false],
  ['held instead of refused', ruling('hold', 'refused_by_rule'), 'refuse', false],
  ['held instead of deferred', ruling('hold', 'sender_not_checked'), 'later', false],
  ['held without an answer of DNS', ruling('hold', 'sender_not_checked', []), 'later', true],
  ['held because of a virus', ruling('hold', 'infected', []), 'hold', true],
  [
    'held because of allowed_attachments',
    ruling('hold', 'attachment_not_allowed', []),
    'hold',
    true,
  ],
  ['held because of allowed_senders', ruling('hold', 'sender_not_allowed', []), 'hold', true],
])('%s', (_, one, action, isBeforeRules) => {
  const delivery = { ...(one && { ruling: one }), tags: ['x'] };
  expect(pastDecision(delivery)).toEqual({ action, tags: ['x'] });
  expect(isHeldBeforeRules(delivery)).toBe(isBeforeRules);
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
