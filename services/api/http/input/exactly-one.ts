/** A body that needs exactly one of several optional fields, as its schema in the document says it. */
import type { z } from 'zod';

/** Client generators make unions of `oneOf`, and ignore `not`. */
export const exactlyOneOf = (...fields: string[]) => ({
  not: { anyOf: [{ properties: each(fields, { not: {} }) }, ...pairs(fields).map(both)] },
});

/** Whether a body has that metadata. Its schema itself accepts an empty object. */
export function needsOneField(body: z.ZodObject): boolean {
  const not = body.meta()?.not as { anyOf?: { required?: string[] }[] } | undefined;
  return not?.anyOf?.some(({ required }) => required === undefined) ?? false;
}

const each = (fields: readonly string[], schema: object) =>
  Object.fromEntries(fields.map((field) => [field, schema]));
const pairs = (fields: readonly string[]) =>
  fields.flatMap((field, index) => fields.slice(index + 1).map((other) => [field, other]));
const both = (pair: readonly string[]) => ({ required: pair, properties: each(pair, {}) });
