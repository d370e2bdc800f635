/** What rules would decide about stored emails, compared with what was decided when they arrived. */
import type { Delivery } from '../delivery/delivery.ts';
import type { Ruling } from '../delivery/ruling.ts';
import { BUILT_IN_NAMES } from './built-in-rules.ts';
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
  action: ruling ? pastAction(ruling) : 'deliver',
  tags: [...tags],
});

function pastAction({ action, reason, rules }: Ruling): RulesDecision['action'] {
  const hasRefused = rules.some((one) => one.result === 'matched' && one.action === 'refuse');
  if (hasRefused || (reason !== null && REFUSED.includes(reason))) return 'refuse';
  if (reason === 'sender_not_checked') return 'later';
  if (reason?.endsWith('hook')) return 'deliver'; // hooks are asked only about such email
  return action ?? 'deliver';
}

/** The traces of earlier releases have no rule for all of them. */
const REFUSED: readonly Ruling['reason'][] = [
  'refused_by_rule',
  'infected',
  'sender_not_allowed',
  'attachment_not_allowed',
];

/** The order of tags means nothing. */
export const isSameDecision = (one: RulesDecision, other: RulesDecision): boolean =>
  one.action === other.action && one.tags.toSorted().join(' ') === other.tags.toSorted().join(' ');

/** How often a rule was evaluated, matched and failed. */
type RuleCount = Omit<Ruling['rules'][number], 'result'> & {
  evaluated: number;
  matched: number;
  failed: number;
};

/** Counts by rule, in the order in which they are evaluated. */
export function countRules(traces: readonly Pick<Ruling, 'rules'>[]): RuleCount[] {
  const counts = new Map<string, RuleCount>();
  for (const { rules } of traces) {
    let index = 0; // among those of users: addresses have different built-in ones before them
    for (const { result, ...rule } of rules) {
      const at = rule.is_built_in ? 'built in' : index++;
      const key = `${at} ${rule.scope} ${rule.name}`;
      const count = counts.get(key) ?? { ...rule, evaluated: 0, matched: 0, failed: 0 };
      count.evaluated++;
      if (result === 'matched') count.matched++;
      if (result === 'failed') count.failed++;
      count.error ??= rule.error;
      counts.set(key, count);
    }
  }
  return [...counts.values()].toSorted((one, other) => orderOf(one) - orderOf(other));
}

const [LAST] = BUILT_IN_NAMES.slice(-1);
function orderOf({ name, scope, is_built_in: isBuiltIn }: RuleCount): number {
  const ofUsers = BUILT_IN_NAMES.length;
  if (!isBuiltIn) return ofUsers + (scope === 'account' ? 0 : 1);
  return name === LAST ? ofUsers + 2 : BUILT_IN_NAMES.findIndex((one) => one === name);
}
