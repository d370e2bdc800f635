/** X.4: rules that refuse by the connection alone are decided at RCPT, in their order. */
import { expect, test } from 'vitest';

import type { Rule } from '../../../services/core/rule/rule.ts';
import { refusalBeforeData } from '../../../services/core/decision/before-data.ts';
import { changedEntries } from '../../../services/core/list/sender-list.ts';

const changed = changedEntries([], {
  entries: ['198.51.100.77/24', '203.0.113.7', '2001:DB8:0:1::/64', 'partner.example'],
});
if ('invalid' in changed) throw new Error(changed.invalid);
const lists = new Map([['blocked', new Set(changed.entries)]]);
const BEFORE = {
  mailFrom: 'ann@partner.example',
  heloDomain: 'mx.partner.example',
  remoteIp: '198.51.100.9',
  tlsVersion: '1.2',
  named: 'Orders+x@in.example',
};

const rule = (when: string, action: Rule['action'] = 'refuse'): Rule => ({
  name: when.slice(0, 20),
  when,
  action,
  ...(action === 'tag' && { tags: ['x'] }),
});
const refuses = (rules: Rule[], account_rules: Rule[] = [], before: Partial<typeof BEFORE> = {}) =>
  refusalBeforeData({ rules, account_rules, lists, plus_tag: 'x' }, { ...BEFORE, ...before })?.code;

const BLOCKED = rule('envelope.remote_ip in lists.blocked');
const OLD_TLS = rule('tls.version < "1.3"');

test('entries of lists are networks, too, in one spelling', () => {
  expect(changed.entries).toEqual([
    '198.51.100.0/24',
    '2001:db8:0:1::/64',
    '203.0.113.7',
    'partner.example',
  ]);
  expect(changedEntries(changed.entries, { remove: ['198.51.100.1/24'] })).toEqual({
    entries: changed.entries.slice(1),
  });
  for (const wrong of ['198.51.100.0/33', '2001:db8::/129', '1.2.3.4/x', 'a/24'])
    expect(changedEntries([], { entries: [wrong] })).toEqual({ invalid: 'entries.0' });
});

test.each([
  ['198.51.100.255', 550],
  ['198.51.101.0', undefined],
  ['203.0.113.7', 550],
  ['203.0.113.8', undefined],
  ['2001:db8:0:1:ffff::1', 550],
  ['2001:db8:0:2::1', undefined],
  ['::ffff:203.0.113.7', 550], // IPv4 within IPv6
  ['::', undefined],
])('a client at %s', (remoteIp, code) => {
  expect(refuses([BLOCKED], [], { remoteIp })).toBe(code);
});

test.each<[string, Rule[], number | undefined]>([
  ['TLS', [OLD_TLS], 550],
  ['TLS that is new enough', [rule('tls.version < "1.2"')], undefined],
  ['the name in HELO', [rule('envelope.helo_domain.endsWith(".partner.example")')], 550],
  ['the envelope sender', [rule('envelope.mail_from.endsWith("@partner.example")')], 550],
  ['the recipient', [rule('recipient.startsWith("Orders") && plus_tag == "x"')], 550],
  ['a header as well', [rule('tls.version < "1.3" && subject == ""')], undefined],
  ['a proof', [rule('sender == ""')], undefined],
  ['other recipients, which RCPT does not know', [rule('envelope.rcpt_to.size() > 1')], undefined],
  ['a list that does not exist', [rule('envelope.remote_ip in lists.nobody')], undefined],
  ['after a rule that may hold the email', [rule('is_list', 'hold'), BLOCKED], undefined],
  ['after a rule that drops it', [rule('tls.version == "1.2"', 'drop'), BLOCKED], undefined],
  ['after a rule that does not drop it', [rule('tls.version == ""', 'drop'), BLOCKED], 550],
  ['after one that may refuse it', [rule('is_list'), BLOCKED], 550],
  ['after one that tags', [rule('is_list', 'tag'), BLOCKED], 550],
  ['no variable', [rule('true')], undefined],
  ['a rule that holds', [rule('envelope.remote_ip in lists.blocked', 'hold')], undefined],
])('a rule by %s', (_, rules, code) => {
  expect(refuses(rules)).toBe(code);
});

test('the rules of the account come first', () => {
  expect(refuses([], [BLOCKED])).toBe(550);
  expect(refuses([BLOCKED], [rule('is_list', 'hold')])).toBeUndefined();
});

test('what costs too much is left for the end of DATA', () => {
  const others = Array.from({ length: 20 }, () =>
    rule(
      `[${Array.from({ length: 100 }, () => '1').join()}].exists(i, tls.version == "${'x'.repeat(30)}")`,
    ),
  );
  expect(refuses([OLD_TLS, ...others])).toBe(550);
  expect(refuses([...others, OLD_TLS])).toBeUndefined();
});
