/** Expressions in a request: its schema compiles them, and an error names its place and position. */
import type { z } from 'zod';

import { issueOf } from '../../../core/error/app-error.ts';
import { compileExpression } from '../../../core/expression/expression.ts';
import { faultText } from '../../../core/expression/fault.ts';

/** The schema of an expression, or of what has one in its field `when`, or of a list of these. */
export const compiled = <S extends z.ZodType>(schema: S): S =>
  schema.superRefine((value, context) => {
    for (const { path, text } of expressionsIn(value)) {
      const { error } = compileExpression(text);
      if (error === null) continue;
      const { params, ...issue } = issueOf('invalid_value', value, `: ${faultText(error)}`);
      context.issues.push({ ...issue, path, params: { ...params, position: error.position } });
    }
  });

type Found = { path: (string | number)[]; text: string };

function expressionsIn(value: unknown): Found[] {
  if (typeof value === 'string') return [{ path: [], text: value }];
  if (typeof value !== 'object' || value === null) return [];
  const parts: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : 'when' in value
      ? [['when', value.when]]
      : [];
  return parts.flatMap(([at, part]) =>
    expressionsIn(part).map(({ path, text }) => ({ path: [at, ...path], text })),
  );
}
