/** The text of an expression, before it is compiled: see expression.ts. */
import { z } from 'zod';

export const EXPRESSION_MAX_CHARS = 2_000;

export const ExpressionText = z
  .string()
  .min(1)
  .max(EXPRESSION_MAX_CHARS)
  .meta({ format: 'cel-condition' });

const LIST = /\blists\s*(?:\.\??\s*|\[\??\s*r?["']+)([a-z][a-z0-9_]*)/g;

/** The lists of the account that these expressions name. */
export const listsIn = (expressions: readonly string[]): string[] => [
  ...new Set(expressions.flatMap((text) => [...text.matchAll(LIST)].map(([, name = '']) => name))),
];
