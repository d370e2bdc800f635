/** The text of an expression, before it is compiled: see expression.ts. */
import { z } from 'zod';

export const EXPRESSION_MAX_CHARS = 2_000;

export const ExpressionText = z
  .string()
  .min(1)
  .max(EXPRESSION_MAX_CHARS)
  .meta({ format: 'cel-condition' });
