import { describe, expect, test } from 'vitest';

import {
  afterHook,
  recipientReply,
  type DecidedFor,
  decideEach,
  decideTogether,
  type Decision,
  heldBecause,
  isDelivered,
  isProtected,
  isRefused,
} from '../../../services/core/decision/decision.ts';
import type { HookAnswer } from '../../../services/core/decision/hook-answer.ts';
import { expressionFacts } from '../expression/facts.ts';

const facts = expressionFacts({ from: 'ann@partner.example', subject: 'Order', dmarc: 'fail' });
const silent = expressionFacts({
  from: 'ann@partner.example',
  subject: 'Order',
  dmarc: 'temperror',
});
const attachments = [
  { filename: 'a.png', content_type: 'Image/PNG', size_bytes: 10 },
  { filename: 'b.pdf', content_type: 'application/pdf', size_bytes: 100 },
];
const decided = (recipients: DecidedFor[], spamScore = 0, email = facts, isInfected = false) =>
  decideTogether(
    recipients.map((recipient) => replyAt(recipient, spamScore, email, isInfected)),
    never,
  );
/** The sender has tried for long enough. */
const never = () => false;
const counted = () => {
  throw new Error('counted');
};
const replyAt = (recipient: DecidedFor, spamScore = 0, email = facts, isInfected = false) =>
  recipientReply(recipient, () => ({
    ...email,
    attachments,
    spam: { ...email.spam, score: spamScore },
    virus: {
      verdict: isInfected ? 'infected' : 'error',
      name: null,
      scanner: 'clamd',
      attachments: [],
    },
  }));

const open: DecidedFor = {};
const refusing: DecidedFor = { rules: [{ name: 'r', when: 'true', action: 'refuse' }] };
const holding: DecidedFor = { account_rules: [{ name: 'h', when: 'true', action: 'hold' }] };
const dropping: DecidedFor = { rules: [{ name: 'd', when: 'true', action: 'drop' }] };
const strict: DecidedFor = {
  allowed_senders: {
    senders: ['partner.example'],
    require_authenticated: true,
    accept_forwarded: false,
  },
};
const clean: DecidedFor = { refuse_infected: 'address' };
const only = (types: string[] | null, max_bytes: number | null = null): DecidedFor => ({
  allowed_attachments: { types, max_bytes },
});
const limited: DecidedFor = { spam_refuse_above: 5 };

/** One word for each recipient, or the name of the reply. */
function summary(
  recipients: DecidedFor[],
  spamScore?: number,
  email = facts,
  isInfected = false,
): string {
  const decisions = decided(recipients, spamScore, email, isInfected);
  const isOneReply = decisions.every(isRefused);
  return words(isOneReply ? decisions.slice(0, 1) : decisions).join(', ');
}
const words = (decisions: readonly Decision[]): string[] =>
  decisions.map((one) => {
    if (isRefused(one)) return one.refusal.name;
    return one.ruling?.action ? `${one.ruling.action} (${one.ruling.reason})` : 'deliver';
  });

describe('J1: the one reply to DATA', () => {
  test.each<[string, DecidedFor[], number, string]>([
    ['no conditions', [open], 10, 'deliver'],
    ['a rule refuses', [refusing], 0, 'rule_refused'],
    ['both refuse', [refusing, strict], 0, 'rule_refused'],
    ['one of two refuses', [refusing, open], 0, 'hold (refused_by_rule), deliver'],
    ['one holds', [holding, open], 0, 'hold (rule), deliver'],
    ['one drops', [dropping], 0, 'drop (rule)'],
    ['one refuses, one holds', [refusing, holding], 0, 'hold (refused_by_rule), hold (rule)'],
    ['one refuses, one drops', [refusing, dropping], 0, 'hold (refused_by_rule), drop (rule)'],
    ['the sender is not allowed', [strict], 0, 'sender_not_allowed'],
    [
      'the sender is not allowed at one of two',
      [strict, open],
      0,
      'hold (sender_not_allowed), deliver',
    ],
    ['spam at its limit', [limited], 5, 'deliver'],
    ['spam above its limit', [limited], 5.1, 'spam_refused'],
    ['zero refuses any positive score', [{ spam_refuse_above: 0 }], 0.1, 'spam_refused'],
    ['spam at one of two is delivered', [limited, open], 9, 'deliver, deliver'],
    ['spam above both limits', [limited, { spam_refuse_above: 8 }], 9, 'spam_refused'],
    ['spam above one limit', [limited, { spam_refuse_above: 8 }], 6, 'deliver, deliver'],
    ['spam here, a rule there', [limited, refusing], 6, 'spam_refused'],
    ['both types are allowed', [only(['application/pdf', 'image/*'])], 0, 'deliver'],
    ['one type is not', [only(['application/pdf'])], 0, 'attachment_type_refused'],
    ['no attachment is allowed', [only([])], 0, 'attachment_type_refused'],
    ['the kind of another type', [only(['application/*', 'ima/*'])], 0, 'attachment_type_refused'],
    ['attachments at their limit', [only(null, 100)], 0, 'deliver'],
    ['one above it', [only(['application/pdf', 'image/png'], 99)], 0, 'attachment_too_big'],
    ['a type at one of two', [only([]), open], 0, 'hold (attachment_not_allowed), deliver'],
    ['a size at one of two', [open, only(null, 1)], 0, 'deliver, hold (attachment_not_allowed)'],
    ['a size here, a rule there', [only(null, 1), refusing], 0, 'attachment_too_big'],
    [
      'attachments are judged before rules',
      [{ ...refusing, ...only([]) }],
      0,
      'attachment_type_refused',
    ],
    ['spam that a rule holds', [{ ...limited, ...holding }], 9, 'spam_refused'],
    ['spam that a rule drops', [{ ...limited, ...dropping }], 9, 'spam_refused'],
    ['spam that a rule refuses', [{ ...limited, ...refusing }], 9, 'rule_refused'],
    [
      'spam that a rule holds at one of two',
      [{ ...limited, ...holding }, open],
      9,
      'hold (rule), deliver',
    ],
    ['nobody', [], 10, ''],
  ])('%s', (_, recipients, score, expected) => {
    expect(summary(recipients, score)).toBe(expected);
  });

  test('D59: email that contains malware', () => {
    const infected = (...recipients: DecidedFor[]) => summary(recipients, 9, facts, true);
    expect(infected(open)).toBe('deliver');
    expect(infected(clean)).toBe('virus_refused');
    expect(infected(clean, { ...clean, ...strict })).toBe('virus_refused');
    expect(infected(clean, open)).toBe('hold (infected), deliver');
    expect(infected(open, { ...clean, ...holding })).toBe('deliver, hold (infected)');
    expect(infected(refusing, clean)).toBe('rule_refused');
    expect(infected(clean, limited)).toBe('virus_refused');
    expect(summary([clean, open], 9)).toBe('deliver, deliver');
  });

  test('while DNS does not answer', () => {
    expect(summary([strict], 0, silent)).toBe('try_later');
    expect(summary([strict, refusing], 0, silent)).toBe('try_later');
    expect(summary([refusing, strict], 0, silent)).toBe('try_later');
    expect(summary([strict, open], 0, silent)).toBe('hold (sender_not_checked), deliver');
  });

  test('a recipient without rules has no ruling, one whose rules match nothing has a trace', () => {
    const without: DecidedFor = { rules: [{ name: 'n', when: 'false', action: 'drop' }] };
    expect(decided([open, without])).toMatchObject([
      { tags: [], ruling: null },
      { ruling: { action: null, rules: [{ name: 'n', result: 'not_matched' }] } },
    ]);
  });
});

/** One text for each rule that was evaluated. */
const traced = (recipient: DecidedFor, spamScore = 0, email = facts, isInfected = false) => {
  const { outcome } = replyAt(recipient, spamScore, email, isInfected);
  return outcome?.trace.rules.map(
    ({ name, scope, result, is_built_in: isBuiltIn }) =>
      `${isBuiltIn ? 'field' : 'rule'} ${name} (${scope}): ${result}`,
  );
};
const nothing = () => {
  throw new Error('read');
};

describe('the trace of fields that are rules', () => {
  const all: DecidedFor = {
    refuse_infected: 'account',
    ...only(null, 100),
    allowed_senders: { ...strict.allowed_senders!, require_authenticated: false },
    account_rules: [{ name: 'of account', when: 'false', action: 'hold' }],
    rules: [{ name: 'own', when: 'false', action: 'refuse' }],
    ...limited,
  };

  test('one order: malware, senders, attachments, the rules, spam', () => {
    expect(traced(all)).toEqual([
      'field refuse_infected (account): not_matched',
      'field allowed_senders (address): not_matched',
      'field allowed_attachments (address): not_matched',
      'rule of account (account): not_matched',
      'rule own (address): not_matched',
      'field spam_refuse_above (address): not_matched',
    ]);
  });

  test('the one that refuses is the last one', () => {
    expect(traced(all, 9, facts, true)).toEqual(['field refuse_infected (account): matched']);
    expect(traced({ ...all, ...only([]) })?.at(-1)).toBe(
      'field allowed_attachments (address): matched',
    );
    expect(traced(all, 9)?.at(-1)).toBe('field spam_refuse_above (address): matched');
    expect(traced(strict, 0, silent)).toEqual(['field allowed_senders (address): failed']);
  });

  test('a rule that holds ends the evaluation, except of the spam score', () => {
    const held = { ...all, account_rules: holding.account_rules! };
    expect(traced(held, 9)?.slice(-2)).toEqual([
      'rule h (account): matched',
      'field spam_refuse_above (address): matched',
    ]);
  });

  test('it has the values that they read', () => {
    const { outcome } = replyAt({ ...clean, ...limited, ...only(null, 100) }, 9);
    expect(outcome?.trace.facts).toEqual([
      { name: 'virus.verdict', value: 'error' },
      { name: 'attachments', value: '2' },
      { name: 'spam.score', value: '9' },
    ]);
  });

  test('without fields and rules, nothing of the email is read', () => {
    expect(recipientReply(open, nothing)).toEqual({
      reply: undefined,
      accepted: { action: null, reason: null },
      outcome: undefined,
    });
  });
});

describe('J2: what a hook decides', () => {
  type Decides = HookAnswer['decision'];
  const answered = (decision: Decides, tags: string[] = []): HookAnswer => ({
    decision,
    message: 'because',
    tags,
    error: null,
    durationMs: 3,
  });
  /** The first recipient has a hook, the second is open. */
  const withHook = (decision: Decides, recipients: DecidedFor[] = [open]) =>
    decideTogether(repliesWithHook(decision, recipients), never);
  const repliesWithHook = (decision: Decides, recipients: DecidedFor[]) =>
    recipients.map((one, at) =>
      at === 0 ? afterHook(replyAt(one), answered(decision, ['seen']), false) : replyAt(one),
    );

  test.each<[Decides, number | undefined]>([
    ['accept', undefined],
    ['hold', undefined],
    ['drop', undefined],
    ['refuse', 550],
    ['defer', 451],
  ])('%s at the only recipient', (decision, code) => {
    const [one] = withHook(decision);
    const refusal = one && isRefused(one) ? one.refusal : undefined;
    expect(refusal?.code).toBe(code);
    expect(refusal?.text ?? 'because').toBe('because');
  });

  test.each<[Decides, string | null, string | null]>([
    ['accept', null, null],
    ['hold', 'hold', 'hook'],
    ['drop', 'drop', 'hook'],
    ['refuse', 'hold', 'refused_by_hook'],
    ['defer', 'hold', 'deferred_by_hook'],
  ])('%s at one of two recipients', (decision, action, reason) => {
    const [first, second] = withHook(decision, [open, {}]);
    expect(first).toEqual({
      tags: ['seen'],
      ruling: {
        action,
        reason,
        rules: [],
        facts: [],
        hook: { decision, error: null, duration_ms: 3 },
      },
    });
    expect(second).toEqual({ tags: [], ruling: null });
  });

  test('D190: one that cannot decide now has the sender try again, for a while', () => {
    const replies = repliesWithHook('defer', [open, open]);
    const inReply = decideTogether(replies, () => true).map(
      (one) => isRefused(one) && one.refusal.code,
    );
    expect(inReply).toEqual([451, 451]);
    expect(words(decideTogether(replies, never))).toEqual(['hold (deferred_by_hook)', 'deliver']);
  });

  test('one that refuses for good does not, and nobody counts the tries', () => {
    const replies = repliesWithHook('refuse', [open, open]);
    expect(words(decideTogether(replies, counted))).toEqual(['hold (refused_by_hook)', 'deliver']);
  });

  test('LMTP: each replies for itself', () => {
    const replies = [...repliesWithHook('defer', [open, open]), replyAt(refusing)];
    expect(words(decideEach(replies))).toEqual(['hook_deferred', 'deliver', 'rule_refused']);
  });

  test('it is asked only about email that would be delivered', () => {
    expect([open, refusing, holding, dropping].map((one) => isDelivered(replyAt(one)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

const rule = (action: 'refuse' | 'drop' | 'hold' | 'tag') =>
  action === 'tag'
    ? { name: 'one', when: 'true', action, tags: ['a'] }
    : { name: 'one', when: 'true', action };

describe('an email that was not read as a whole (D174)', () => {
  test.each([
    ['nothing', {}, false],
    ['a rule that only tags', { rules: [rule('tag')] }, false],
    ['a rule that refuses', { rules: [rule('refuse')] }, true],
    ['a rule of the account that holds', { account_rules: [rule('hold')] }, true],
    ['a rule that drops', { rules: [rule('tag'), rule('drop')] }, true],
    ['allowed attachments', { allowed_attachments: { types: [], max_bytes: null } }, true],
  ])('%s needs all of it: %s', (_, recipient, expected) => {
    expect(isProtected(recipient as Parameters<typeof isProtected>[0])).toBe(expected);
  });

  test('it is held, unless it is held or dropped already', () => {
    expect(heldBecause('cut', { tags: ['a'], ruling: null })).toEqual({
      tags: ['a'],
      ruling: { rules: [], facts: [], action: 'hold', reason: 'cut' },
    });
    const dropped = {
      tags: [],
      ruling: { rules: [], facts: [], action: 'drop', reason: 'rule' } as const,
    };
    expect(heldBecause('cut', dropped as never)).toEqual(dropped);
  });
});
