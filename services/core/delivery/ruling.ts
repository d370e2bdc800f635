/** What rules decided about an email, as its event and its record say it (D55). */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';

/** An email that is neither is delivered. */
const RULED_ACTIONS = ['hold', 'drop'] as const;

/**
 * `rule`: a rule with this action matched; `hook`: the hook decided so; `not_evaluated`: an expression
 * would have taken too much time. Most others are refusals at
 * one of several recipients: the others accepted the email, so this one could not refuse it.
 */
export const RULING_REASONS = [
  'rule',
  'cut',
  'not_evaluated',
  'refused_by_rule',
  'infected',
  'sender_not_allowed',
  'sender_not_checked',
  'attachment_not_allowed',
  'hook',
  'refused_by_hook',
  'deferred_by_hook',
] as const;

export const EvaluatedRule = z.object({
  name: z.string(),
  scope: z.enum(['account', 'address']).describe('whose rule it is'),
  action: z.enum(['refuse', 'drop', 'hold', 'tag']),
  result: z.enum(['matched', 'not_matched', 'failed']).describe('a rule that failed does nothing'),
  error: z.string().nullable().describe('why it failed; null when it did not'),
  is_built_in: z
    .literal(true)
    .optional()
    .describe('name is a field of the address or the account, such as allowed_senders'),
});
export type EvaluatedRule = z.infer<typeof EvaluatedRule>;
describeSchema(EvaluatedRule, 'EvaluatedRule', {
  name: 'unknown sender',
  scope: 'address',
  action: 'hold',
  result: 'matched',
  error: null,
});

/** The call of a deciding hook (docs/deciding-hooks.md). */
export const HookTrace = z.object({
  decision: z
    .enum(['accept', 'refuse', 'defer', 'hold', 'drop'])
    .describe('of the hook, or of on_error if there is an error'),
  error: z.string().nullable().describe('why the hook did not decide; null when it did'),
  duration_ms: z.int().describe('time of the call; 0 when it was not made'),
});
export type HookTrace = z.infer<typeof HookTrace>;
describeSchema(HookTrace, 'HookTrace', { decision: 'accept', error: null, duration_ms: 120 });

export const Ruling = z.object({
  action: z.enum(RULED_ACTIONS).nullable().describe('null: it is delivered'),
  reason: z
    .enum(RULING_REASONS)
    .nullable()
    .describe(
      'rule: a rule with this action matched; cut: a rule that refuses, drops or holds read what is ' +
        'longer than rules see, or the email was not read as a whole; not_evaluated: such a rule, or the ' +
        'filter of the receiver, would have taken too much time; hook: the hook decided so; the ' +
        'others are refusals that could not be sent to the client, because another recipient accepted ' +
        'the email; null when it is delivered',
    ),
  rules: z.array(EvaluatedRule).describe('that were evaluated, in their order: docs/rules.md'),
  facts: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .describe('the variables that these rules read, cut to 100 characters; without redacted ones'),
  hook: HookTrace.optional().describe('absent when no hook was asked'),
});
export type Ruling = z.infer<typeof Ruling>;
describeSchema(Ruling, 'Ruling', {
  action: 'hold',
  reason: 'rule',
  rules: [
    {
      name: 'unknown sender',
      scope: 'address',
      action: 'hold',
      result: 'matched',
      error: null,
    },
  ],
  facts: [{ name: 'sender', value: '' }],
});
