/** Which emails a further receiver gets: its filter is an expression over the email. */
import { compileExpression } from './expression.ts';
import { type ExpressionFault, recordedFault } from './fault.ts';
import { type ExpressionFacts, type Variables, variablesOf } from './variables.ts';

/** A filter that failed counts as true, because no email may be lost. */
type Filtered = { passes: boolean; error?: string };

/** Evaluates filters over one email. Its variables are computed once, when the first one is read. */
export type EvaluateFilter = (when: string | null | undefined) => Filtered;

export function createFilter(facts: ExpressionFacts): EvaluateFilter {
  let variables: Variables | undefined;
  return function evaluateFilter(when) {
    if (when === null || when === undefined) return { passes: true };
    const { expression, error } = compileExpression(when);
    if (expression === null) return failed(error); // another version accepted it
    variables ??= variablesOf(facts);
    const { value, error: runtimeError } = expression.evaluate(variables);
    return value === null ? failed(runtimeError) : { passes: value };
  };
}

const failed = (fault: ExpressionFault): Filtered => ({
  passes: true,
  error: recordedFault(fault),
});
