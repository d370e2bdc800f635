/** What rules would decide about stored emails, compared with what was decided when they arrived. */
import type { Delivery } from '../delivery/delivery.ts';
import type { Ruling } from '../delivery/ruling.ts';
import type { RuleOutcome } from './rules.ts';

export type RulesDecision = Pick<RuleOutcome, 'action' | 'tags'>;

/**
 * What the rules of this recipient decided. An email that was held only because another recipient
 * accepted it was refused or deferred by them.
 */
export const pastDecision = ({
  ruling,
  tags = [],
}: Pick<Delivery, 'ruling' | 'tags'>): RulesDecision => ({
  action: pastAction(ruling),
  tags: [...tags],
});

function pastAction(ruling: Ruling | undefined): RulesDecision['action'] {
  if (ruling?.reason === 'refused_by_rule') return 'refuse';
  if (ruling?.reason === 'sender_not_checked') return 'later';
  if (ruling?.reason?.endsWith('hook')) return 'deliver'; // hooks are asked only about such email
  return ruling?.action ?? 'deliver';
}

/** Reasons that are found before rules are evaluated. */
const BEFORE_RULES: readonly Ruling['reason'][] = [
  'infected',
  'sender_not_allowed',
  'attachment_not_allowed',
];

/** Whether another setting held the email, so that no rule was evaluated. */
export const isHeldBeforeRules = ({ ruling }: Pick<Delivery, 'ruling'>): boolean =>
  ruling !== undefined &&
  (BEFORE_RULES.includes(ruling.reason) ||
    (ruling.reason === 'sender_not_checked' && ruling.rules.length === 0));

/** The order of tags means nothing. */
export const isSameDecision = (one: RulesDecision, other: RulesDecision): boolean =>
  one.action === other.action && one.tags.toSorted().join(' ') === other.tags.toSorted().join(' ');

/** How often a rule was evaluated, matched and failed. */
export type RuleCount = Omit<Ruling['rules'][number], 'result'> & {
  evaluated: number;
  matched: number;
  failed: number;
};

/** Counts by rule, the account's first, in the order in which they are evaluated. */
export function countRules(traces: readonly Pick<Ruling, 'rules'>[]): RuleCount[] {
  const counts = new Map<string, RuleCount>();
  for (const { rules } of traces)
    for (const [at, { result, ...rule }] of rules.entries()) {
      const key = `${at} ${rule.scope} ${rule.name}`;
      const count = counts.get(key) ?? { ...rule, evaluated: 0, matched: 0, failed: 0 };
      count.evaluated++;
      if (result === 'matched') count.matched++;
      if (result === 'failed') count.failed++;
      count.error ??= rule.error;
      counts.set(key, count);
    }
  return [...counts.values()];
}
