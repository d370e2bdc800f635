/**
 * One step lets a refused sender in, and says whether anybody else could come in by it. Another one holds
 * what was refused.
 */
import { expect, test } from 'vitest';

import { Rules } from '../../../services/core/rule/rule.ts';
import { allowSender, holdInstead } from '../../../services/core/api/refusal-steps.ts';

const listed = {
  senders: ['partner.example'],
  require_authenticated: true,
  accept_forwarded: false,
};
const settings = {
  allowed_senders: listed,
  spam_refuse_above: 5.5,
  refuse_infected: true,
  rules: [],
};
const refused = (reason: string, from: string | null, dmarc = 'pass') => ({
  reason,
  from,
  authentication: { dmarc },
});
const ann = '"Ann, \\"A\\"" <Ann@Sender.example>';

test('by the list of senders', () => {
  expect(allowSender(refused('sender_not_allowed', ann, 'fail'), settings)).toEqual({
    sender: 'ann@sender.example',
    change: { allowed_senders: { ...listed, senders: ['partner.example', 'ann@sender.example'] } },
    isProven: true,
  });
  const open = { ...settings, allowed_senders: { ...listed, require_authenticated: false } };
  expect(allowSender(refused('sender_not_allowed', ann), open)).toMatchObject({ isProven: false });
});

test.each([
  ['pass', 'spam.score > 5.5 && sender != "ann@sender.example"', true],
  ['fail', 'spam.score > 5.5 && from.address != "ann@sender.example"', false],
])('by the spam score, DMARC %s: a rule takes the place of the field', (dmarc, when, isProven) => {
  const rule = { name: 'mine', when: 'is_list', action: 'drop' as const };
  const allowed = allowSender(refused('spam_refused', 'ann@sender.example', dmarc), {
    ...settings,
    rules: [rule],
  });
  const refusing = { name: 'spam, unless from ann@sender.example', when, action: 'refuse' };
  expect(allowed).toEqual({
    sender: 'ann@sender.example',
    change: { spam_refuse_above: null, rules: [rule, refusing] },
    isProven,
  });
  expect(Rules.safeParse([rule, refusing]).success).toBe(true);
});

test('a domain with other letters is written as expressions have it', () => {
  const allowed = allowSender(refused('spam_refused', 'ann@Bücher.example'), settings);
  expect(allowed).toMatchObject({ sender: 'ann@xn--bcher-kva.example' });
});

test.each([
  ['another reason', refused('no_such_address', ann), 'other_reason'],
  ['no From', refused('spam_refused', null), 'no_sender'],
  ['two authors', refused('spam_refused', 'a@sender.example, b@sender.example'), 'no_sender'],
  [
    'a domain that is listed',
    refused('sender_not_allowed', 'x@partner.example'),
    'listed_but_unproven',
  ],
])('not with %s', (_, refusal, why) => {
  expect(allowSender(refusal, settings)).toBe(why);
});

test('not when the address has changed', () => {
  const changed = { ...settings, allowed_senders: null, spam_refuse_above: null };
  for (const reason of ['sender_not_allowed', 'spam_refused'])
    expect(allowSender(refused(reason, ann), changed)).toBe('no_longer_set');
});

const refusing = [
  { name: 'mine', when: 'is_list', action: 'refuse' as const },
  { name: 'other', when: 'is_list', action: 'drop' as const },
];
const [mine, other] = refusing;
const by = (name: string, scope: 'account' | 'address' = 'address') =>
  ({ kind: 'field', name, scope }) as const;

test.each([
  ['rule_refused', by('mine'), { rules: [{ ...mine, action: 'hold' }, other] }],
  [
    'spam_refused',
    by('spam_refuse_above'),
    {
      spam_refuse_above: null,
      rules: [...refusing, { name: 'spam', when: 'spam.score > 5.5', action: 'hold' }],
    },
  ],
  [
    'virus_refused',
    by('refuse_infected'),
    {
      refuse_infected: false,
      rules: [
        ...refusing,
        { name: 'malware', when: 'virus.verdict == "infected"', action: 'hold' },
      ],
    },
  ],
  ['rule_refused', by('other'), undefined],
  ['rule_refused', by('mine', 'account'), undefined],
  ['sender_not_allowed', by('allowed_senders'), undefined],
  ['no_such_address', null, undefined],
] as const)('held instead: %s by %j', (reason, decided_by, change) => {
  const held = holdInstead({ reason, decided_by }, { ...settings, rules: refusing });
  expect(held).toEqual(change);
  expect(Rules.safeParse(held?.rules ?? []).success).toBe(true);
});
