/** The spam score, ours and rspamd's, and which recipients refuse at which score. */
import { describe, expect, test } from 'vitest';

import { type Authentication, UNKNOWN } from '../../../services/core/mail/authentication.ts';
import { builtInScore, rspamdScore, SPAM_RULES, spamOf } from '../../../services/core/mail/spam.ts';

const headers = { from: 'Ann <ann@sender.test>', date: new Date(0), message_id: '<1@sender.test>' };
const passed: Authentication = {
  spf: { result: 'pass', domain: 'sender.test', reason: null },
  dkim: [{ result: 'pass', domain: 'sender.test', selector: 's', aligned: true, reason: null }],
  dmarc: {
    result: 'pass',
    domain: 'sender.test',
    policy: 'reject',
    alignment: { spf: true, dkim: true },
    override: null,
    reason: null,
  },
  arc: { result: 'none', chain: [], reason: null },
  iprev: { result: 'pass', name: 'mail.sender.test' },
};
const spf = (result: Authentication['spf']['result']): Authentication['spf'] => ({
  ...passed.spf,
  result,
});
const dkim = (result: Authentication['dkim'][number]['result']): Authentication['dkim'] =>
  passed.dkim.map((one) => ({ ...one, result }));
const dmarc = (
  result: Authentication['dmarc']['result'],
  policy: Authentication['dmarc']['policy'] = null,
): Authentication['dmarc'] => ({ ...passed.dmarc, result, policy });
const unvouched = { dmarc: dmarc('none'), dkim: [] };

describe('the built-in score', () => {
  test.each<[string, Partial<Authentication>, number, string[]]>([
    ['an email that passes', {}, 0, []],
    ['an email whose lookups all failed', UNKNOWN, 0, []],
    [
      'the domain asks for rejection',
      { ...unvouched, spf: spf('none'), dmarc: dmarc('fail', 'reject') },
      8.5,
      ['dmarc_fail_reject', 'nothing_vouches'],
    ],
    [
      'the domain asks for quarantine',
      { dmarc: dmarc('fail', 'quarantine') },
      5,
      ['dmarc_fail_quarantine'],
    ],
    ['the domain only asks for reports', { dmarc: dmarc('fail', 'none') }, 2, ['dmarc_fail_none']],
    ['an SPF failure', { ...unvouched, spf: spf('fail') }, 2, ['spf_fail']],
    ['an SPF failure of an email that passes DMARC', { spf: spf('fail') }, 0, []],
    [
      'a soft failure with a broken signature',
      { ...unvouched, spf: spf('softfail'), dkim: dkim('fail') },
      2,
      ['spf_softfail', 'dkim_fail'],
    ],
    [
      'nothing authenticates the sender',
      { ...unvouched, spf: spf('none') },
      1.5,
      ['nothing_vouches'],
    ],
    [
      'a signature that may be good',
      { dmarc: dmarc('none'), spf: spf('none'), dkim: dkim('temperror') },
      0,
      [],
    ],
    [
      'an address without a name',
      { iprev: { result: 'permerror', name: null } },
      1,
      ['no_reverse_dns'],
    ],
    [
      'several authors, which could evade DMARC',
      { dmarc: dmarc('permerror') },
      5,
      ['dmarc_permerror'],
    ],
  ])('%s', (_, found, score, rules) => {
    const judged = builtInScore({ authentication: { ...passed, ...found }, headers });
    expect(judged).toMatchObject({ score, scored_by: 'inlet' });
    expect(judged.rules.map(({ name }) => name)).toEqual(rules);
  });

  test('a failure that a trusted forwarder explains does not count', () => {
    const override = { reason: 'trusted_arc', sealer: 'list.test' } as const;
    expect(
      builtInScore({
        authentication: {
          ...passed,
          spf: spf('fail'),
          dkim: dkim('fail'),
          dmarc: { ...dmarc('fail', 'reject'), override },
        },
        headers,
      }).score,
    ).toBe(0);
  });

  test('missing headers count, also without authentication', () => {
    expect(
      builtInScore({
        authentication: undefined,
        headers: { from: null, date: null, message_id: null },
      }),
    ).toMatchObject({ score: 3.5 });
    expect(builtInScore({ authentication: undefined, headers })).toMatchObject({
      score: 0,
      rules: [],
    });
  });

  test('ten is the maximum', () => {
    const worst = {
      ...passed,
      spf: spf('fail'),
      dkim: dkim('fail'),
      dmarc: dmarc('fail', 'reject'),
      iprev: { result: 'fail', name: null },
    } as const;
    expect(
      builtInScore({ authentication: worst, headers: { from: null, date: null, message_id: null } })
        .score,
    ).toBe(10);
    expect(new Set(SPAM_RULES.map(({ name }) => name)).size).toBe(SPAM_RULES.length);
  });
});

describe("rspamd's score", () => {
  const symbols = { SMALL: { score: 0.1 }, HEAVY: { score: 6 }, GOOD: { score: -2 } };

  test('its rejection threshold is ten; what it rejects regardless of score is ten, too', () => {
    expect(
      rspamdScore({ score: 7.5, required_score: 15, action: 'add header', symbols }),
    ).toMatchObject({ score: 5, scored_by: 'rspamd' });
    expect(
      rspamdScore({ score: -3, required_score: 15, action: 'no action', symbols: {} }).score,
    ).toBe(0);
    expect(
      rspamdScore({ score: 40, required_score: 15, action: 'reject', symbols: {} }).score,
    ).toBe(10);
    expect(rspamdScore({ score: 0, required_score: 0, action: 'reject', symbols: {} }).score).toBe(
      10,
    );
    expect(
      rspamdScore({ score: 1, required_score: 15, action: 'no action', symbols }).rules.map(
        ({ name }) => name,
      ),
    ).toEqual(['HEAVY', 'GOOD', 'SMALL']);
  });

  test('it replaces ours; the verdict begins at the threshold', () => {
    const facts = { authentication: undefined, headers: { ...headers, date: null } };
    const rspamd = { score: 5, scored_by: 'rspamd', rules: [] } as const;
    expect(spamOf(facts, { ...rspamd, rules: [] }, 5)).toMatchObject({
      score: 5,
      verdict: 'spam',
      scored_by: 'rspamd',
      details: { spf: 'none', dkim: 'none', dmarc: 'none' },
    });
    expect(spamOf(facts, { ...rspamd, rules: [] }, 5.1).verdict).toBe('not_spam');
    expect(spamOf(facts, undefined, 5)).toMatchObject({
      score: 1,
      scored_by: 'inlet',
      verdict: 'not_spam',
    });
  });
});
