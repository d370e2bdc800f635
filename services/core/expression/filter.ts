/** Which emails a further receiver gets: its filter is an expression over the email. */
import { evaluateWithin, isIncomplete } from './evaluate-within.ts';
import { compileExpression } from './expression.ts';
import { type ExpressionFault, recordedFault } from './fault.ts';
import { type ExpressionFacts, type Variables, variablesOf } from './variables.ts';

/**
 * A filter that failed counts as true, because no email may be lost. One that was not evaluated, for
 * lack of time, does not: it may be a proof. The receiver's email is held.
 */
type Filtered = { passes: boolean; error?: string; isNotEvaluated?: true };

/** Evaluates filters over one email. Its variables are computed once, when the first one is read. */
export type EvaluateFilter = (when: string | null | undefined) => Filtered;

export function createFilter(facts: ExpressionFacts): EvaluateFilter {
  let variables: Variables | undefined;
  return function evaluateFilter(when) {
    if (when === null || when === undefined) return { passes: true };
    const { expression, error } = compileExpression(when);
    if (expression === null) return failed(error); // another version accepted it
    variables ??= variablesOf(facts);
    const evaluation = evaluateWithin(facts.budget, expression, variables);
    if (evaluation.value !== null) return { passes: evaluation.value };
    const filtered = failed(evaluation.error);
    return isIncomplete(evaluation)
      ? { ...filtered, passes: false, isNotEvaluated: true }
      : filtered;
  };
}

const failed = (fault: ExpressionFault): Filtered => ({
  passes: true,
  error: recordedFault(fault),
});
