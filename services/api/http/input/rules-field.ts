/** Rules in a request: they are compiled, and an error names its place. */
import { AppError } from '../../../core/error/app-error.ts';
import type { Rule } from '../../../core/rule/rule.ts';
import { rulesFault } from '../../../core/rule/rules-fault.ts';

/** @throws AppError `validation_failed` with the place of the rule, such as `rules.0.when` */
export function checkRules(field: string, rules: readonly Rule[] = []): void {
  const fault = rulesFault(rules);
  if (fault === undefined) return;
  const { place, message, code, position } = fault;
  throw new AppError('validation_failed', `${field}.${place}: ${message}`, {
    details: { field: `${field}.${place}`, code, ...(position !== undefined && { position }) },
  });
}
