/**
 * Rules of an account or an address: what happens to an email before it is stored (D55,
 * docs/rules.md). core/rules evaluates them.
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { ExpressionText } from '../text/expression-text.ts';

/** An account has at most so many rules, and so has an address. */
const RULES_MAX = 20;
const RULE_NAME_MAX_CHARS = 64;
/** A rule adds at most so many tags, and so does a hook's answer. */
export const RULE_TAGS_MAX = 5;

/** Terminal, except tag. */
const RULE_ACTIONS = ['refuse', 'drop', 'hold', 'tag'] as const;

export const Tag = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,31}$/,
    'must be 1 to 32 of a-z, 0-9, _ and -, and begin with a letter or digit',
  );

export const Rule = z.object({
  name: z.string().min(1).max(RULE_NAME_MAX_CHARS).describe('shown in traces'),
  when: ExpressionText.describe('expression in CEL: docs/filters.md lists its variables'),
  action: z
    .enum(RULE_ACTIONS)
    .describe(
      'refuse: 550 after DATA; drop: accept, and send no webhook; hold: accept, and wait for a ' +
        'release; tag: add tags, and go on with the next rule',
    ),
  tags: z
    .array(Tag)
    .min(1)
    .max(RULE_TAGS_MAX)
    .optional()
    .describe('that the action tag adds; absent for other actions'),
});
export type Rule = z.infer<typeof Rule>;
describeSchema(Rule, 'Rule', {
  name: 'unknown sender',
  when: '!(sender in lists.partners)',
  action: 'hold',
});

export const Rules = z.array(Rule).max(RULES_MAX);

const { name, when, tags } = Rule.shape;

/** As requests have them: an unknown field is an error (D4). */
const RuleRequest = z.discriminatedUnion('action', [
  z.strictObject({
    name,
    when,
    action: z.literal('tag').describe('add tags, and go on with the next rule'),
    tags: tags.unwrap().describe('to add'),
  }),
  z.strictObject({
    name,
    when,
    action: z
      .enum(['refuse', 'drop', 'hold'])
      .describe(
        'refuse: 550 after DATA; drop: accept, and send no webhook; hold: accept, and wait for a ' +
          'release',
      ),
  }),
]);
describeSchema(RuleRequest, 'RuleRequest', {
  name: 'unknown sender',
  when: '!(sender in lists.partners)',
  action: 'hold',
});
export const RulesRequest = z.array(RuleRequest).max(RULES_MAX);

/** A tag without tags does nothing, and other actions have none. */
export const tagsContradict = (rule: Pick<Rule, 'action' | 'tags'>): boolean =>
  (rule.action === 'tag') !== (rule.tags ?? []).length > 0;
