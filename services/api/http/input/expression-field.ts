/** An expression in a request: it is compiled, and an error names its place. */
import { AppError } from '../../../core/error/app-error.ts';
import { compileExpression, type Expression } from '../../../core/expression/expression.ts';
import { faultText } from '../../../core/expression/fault.ts';

/** @throws AppError `validation_failed` with the position of an error in its filter */
export function checkHook(
  field: string,
  requested: { when: string | null } | null | undefined,
): void {
  if (typeof requested?.when === 'string') compiledField(`${field}.when`, requested.when);
}

/** @throws AppError `validation_failed` with the position of the error */
export function compiledField(field: string, text: string): Expression {
  const { expression, error } = compileExpression(text);
  if (expression !== null) return expression;
  throw new AppError('validation_failed', `${field}: ${faultText(error)}`, {
    details: { field, code: 'invalid_value', position: error.position },
  });
}
