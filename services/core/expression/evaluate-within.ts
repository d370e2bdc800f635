/** Evaluates an expression at the expense of its account. */
import type { Budget } from './budget.ts';
import type { Evaluation, Expression } from './expression.ts';
import type { Variables } from './variables.ts';

const notEvaluated = (why: string): Evaluation => ({
  value: null,
  error: { message: `Not evaluated: ${why}`, position: 0 },
  isExhausted: true,
});
const USED_UP = notEvaluated('the rules and filters of the account have used their CPU time');
const TAGS_MISSING = notEvaluated('a rule that tags took too long');

/** @param of the recipient; undefined where nothing is counted */
export function evaluateWithin(
  of: Budget | undefined,
  expression: Expression,
  variables: Variables,
): Evaluation {
  if (of === undefined) return expression.evaluate(variables);
  const evaluation = evaluateOnce(of, expression, variables);
  if (isIncomplete(evaluation)) of.markIncomplete();
  return evaluation;
}

function evaluateOnce(of: Budget, expression: Expression, variables: Variables): Evaluation {
  if (of.isUsedUp()) return USED_UP;
  if (of.areTagsMissing() && expression.variables.includes('tags')) return TAGS_MISSING;
  return of.charge(() => expression.evaluate(variables));
}

/** Nobody knows what the expression would say. */
export const isIncomplete = (evaluation: Evaluation): boolean =>
  evaluation.value === null && evaluation.isExhausted === true;
