/** Faults in a list of rules that its schema does not find. */
import { type Rule, tagsContradict } from './rule.ts';
import { compileExpression } from '../expression/expression.ts';
import { faultText } from '../expression/fault.ts';

/** The place is that of the field, such as `0.when`; the position, that in an expression. */
type RulesFault = {
  place: string;
  message: string;
  code: 'conflict' | 'invalid_value';
  position?: number;
};

/** Undefined when they can be evaluated. */
export function rulesFault(rules: readonly Rule[]): RulesFault | undefined {
  for (const [at, rule] of rules.entries()) {
    const { error } = compileExpression(rule.when);
    if (error !== null)
      return {
        place: `${at}.when`,
        message: faultText(error),
        code: 'invalid_value',
        position: error.position,
      };
    if (tagsContradict(rule))
      return {
        place: `${at}.tags`,
        message:
          rule.action === 'tag'
            ? 'the action tag needs tags'
            : `the action ${rule.action} has no tags: put a rule with the action tag before it`,
        code: 'conflict',
      };
  }
  return undefined;
}
