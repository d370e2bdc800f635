/** Rules trust an author as `allowed_senders` does: the same matrix of spoofs (D54, D55). */
import { expect, test } from 'vitest';

import { senderLists } from '../../../services/core/expression/sender-list.ts';
import type { Rule } from '../../../services/core/rule/rule.ts';
import { evaluateRules } from '../../../services/core/decision/rules.ts';
import { changedEntries } from '../../../services/core/list/sender-list.ts';
import { expressionFacts } from '../expression/facts.ts';
import { type Cell, CELLS, LIST } from '../mail/spoofs.ts';

const stored = changedEntries([], { entries: LIST });
const lists = senderLists(
  new Map([['partners', new Set('entries' in stored ? stored.entries : [])]]),
);
const base = expressionFacts({ from: 'x@y.example', subject: '', dmarc: 'none' });

/** What an address with this one rule does with the email of a cell. */
const outcome = (when: string, { email }: Cell, action: Rule['action']) => {
  const headers = { ...base.headers, ...email.headers };
  const facts = { ...base, headers, authentication: email.authentication, lists };
  const rules = { account: [], address: [{ name: 'r', when, action }] };
  return evaluateRules(rules, facts).action;
};

test(`sender in lists.partners: ${CELLS.length} cells`, () => {
  const found = CELLS.map((cell) => [
    cell.title,
    outcome('sender in lists.partners', cell, 'hold'),
  ]);
  const expected = CELLS.map((cell, at) => {
    if (cell.isListed)
      return [cell.title, { allowed: 'hold', refused: 'deliver', later: 'later' }[cell.proof]];
    // an author who is not listed is not known either, while DNS does not answer
    const mayBeLater = cell.proof === 'later' && found[at]?.[1] === 'later';
    return [cell.title, mayBeLater ? 'later' : 'deliver'];
  });
  expect(found).toEqual(expected);
});

test('a rule that refuses strangers never refuses a listed author who is proven, and lets no spoof in', () => {
  for (const cell of CELLS) {
    const action = outcome('!(sender in lists.partners)', cell, 'refuse');
    const accepts = cell.isListed && cell.proof === 'allowed';
    const allowed = accepts
      ? ['deliver']
      : cell.proof === 'later'
        ? ['refuse', 'later']
        : ['refuse'];
    expect([cell.title, allowed.includes(action)]).toEqual([cell.title, true]);
  }
});

test('from.address in lists.partners: whatever From claims', () => {
  const found = CELLS.map((cell) => [
    cell.title,
    outcome('from.address in lists.partners', cell, 'hold'),
  ]);
  expect(found).toEqual(
    CELLS.map(({ title, claimsListed }) => [title, claimsListed ? 'hold' : 'deliver']),
  );
});
