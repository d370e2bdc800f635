/** An expression in a request: it is compiled, and an error names its place. */
import { AppError } from '../../../core/app-error.ts';
import { compileExpression, type Expression } from '../../../core/expression/expression.ts';

/** @throws AppError `validation_failed` with the position of the error */
export function compiledField(field: string, text: string): Expression {
  const { expression, error } = compileExpression(text);
  if (expression !== null) return expression;
  const { message, position } = error;
  throw new AppError('validation_failed', `${field}: ${message} (at character ${position})`, {
    details: { field, code: 'invalid_value', position },
  });
}
