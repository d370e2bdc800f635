/**
 * The usual kinds of fields. A field that differs at one place overrides that place:
 * `{ ...required(Region, 'region that is signed'), example: 'eu-central-1' }`.
 */
import { z } from 'zod';

import { EXAMPLE } from './api-reference.ts';
import { Timestamp } from '../time/timestamp.ts';

/** For a resource that does not say when it changed. */
export const CREATED_AT = { record: z.date(), view: Timestamp, example: EXAMPLE.created_at };

/** A field that is set at the creation and never changes. */
export const fixed = <S extends z.ZodType>(value: S, about: string) => {
  const described = value.describe(about);
  return { record: stored(value), view: described, create: described, spec: described };
};

/** A field without a default. */
export const required = <S extends z.ZodType>(value: S, about: string) => ({
  ...fixed(value, about),
  change: value.describe(about).optional(),
});

/** A field with a value of its own when the request has none. */
export const withDefault = <S extends z.ZodType>(
  value: S,
  about: string,
  initial: z.util.NoUndefined<z.output<S>>,
) => {
  const described = value.describe(about);
  return {
    ...required(value, about),
    create: described.optional(),
    spec: described.default(initial),
    default: initial,
  };
};

/** A field that is null without a value. A custom resource leaves it out. */
export const nullable = <S extends z.ZodType>(value: S, about: string) => {
  const described = value.nullable().describe(about);
  return {
    record: stored(value).nullable(),
    view: described,
    create: described.optional(),
    change: described.optional(),
    spec: value.describe(about).optional(),
    default: null,
  };
};

/**
 * A setting without a value in most records: null in the API, and absent in a custom resource.
 * @param none what that means, such as `no limit`
 * @param shown the values that the API may show
 */
export const setting = <S extends z.ZodType>(
  value: S,
  about: string,
  none: string,
  shown: z.ZodType<z.output<S>> = stored(value),
) => ({
  ...objectSetting(shown, value.nullable(), about, none),
  record: stored(value).nullable().optional(),
  spec: value.optional().describe(`${about}; when absent: ${none}`),
});

/**
 * A {@link setting} that is an object. The custom resource has other names for its fields, so its
 * spec is written there.
 * @param requested as requests have it, or null
 */
export const objectSetting = <S extends z.ZodType, A extends z.ZodType>(
  value: S,
  requested: A,
  about: string,
  none: string,
) => {
  const described = requested.optional().describe(`${about}; default: null (${none})`);
  return {
    record: value.nullable().optional(),
    view: value.nullable().describe(`${about}; null: ${none}`),
    create: described,
    change: described,
    default: null,
    example: null,
  };
};

/** A field that documents of earlier releases lack: absent, it has its default. */
export const later = <F extends { record: z.ZodType }>(field: F) => ({
  ...field,
  record: field.record.optional() as z.ZodOptional<F['record']>,
});

/**
 * The type of a value without its other rules: a rule that becomes stricter must not make stored
 * records unreadable.
 */
function stored<S extends z.ZodType>(schema: S): z.ZodType<z.output<S>> {
  const type: z.ZodType =
    schema instanceof z.ZodString
      ? z.string()
      : schema instanceof z.ZodNumber
        ? schema.isInt
          ? z.int()
          : z.number()
        : schema instanceof z.ZodArray
          ? z.array(stored(schema.element as z.ZodType))
          : schema;
  return type as z.ZodType<z.output<S>>;
}
