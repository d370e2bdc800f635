/** Types of fields that may have no value, each with its text for the reference. */
import type { z } from 'zod';

/** A field that may be absent. */
export const optional = <S extends z.ZodType>(value: S, about: string) =>
  value.optional().describe(about);

/** A field that may be null. */
export const orNull = <S extends z.ZodType>(value: S, about: string) =>
  value.nullable().describe(about);
