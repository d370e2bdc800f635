/**
 * A field of a resource, written once: its schema at each place where it appears. record.ts, view.ts
 * and spec.ts make the record, the view of the API and the spec of the custom resource from it; bodies
 * are the shapes of `create` and `change`. docs/architecture.md shows how a field and a noun are added.
 */
import type { z } from 'zod';

export type Field = {
  /** As it is stored. Absent for a field that is only shown, or only sent. */
  record?: z.ZodType;
  /** As the API shows it. */
  view?: z.ZodType;
  /** In the body of a creation. */
  create?: z.ZodType;
  /** In the body of a change. */
  change?: z.ZodType;
  /** In the spec of the custom resource, where it has its name in camelCase. */
  spec?: z.ZodType;
  /** The value in a new record when the request has none. */
  default?: unknown;
  /**
   * The events of the audit trail that have it: every one, or the creation only. An update names what
   * it changed in any case. Secrets are in none.
   */
  inEvents?: 'every' | 'created';
  /** Whether a gateway reads it when a mail client names a recipient: see rcpt.ts. */
  atRcpt?: true;
  /** The value in the examples of the API reference. */
  example?: unknown;
};
export type Fields = Readonly<Record<string, Field>>;
type Surface = 'record' | 'view' | 'create' | 'change' | 'spec';

/** The schemas of the fields that appear at a place. */
export type Shape<F extends Fields, At extends Surface> = {
  [Name in keyof F as F[Name] extends Record<At, z.ZodType> ? Name : never]: F[Name] extends Record<
    At,
    infer Schema extends z.ZodType
  >
    ? Schema
    : never;
};

/** The values of the fields that appear at a place. */
export type ValuesAt<F extends Fields, At extends Surface> = z.infer<z.ZodObject<Shape<F, At>>>;

export const shapeOf = <F extends Fields, At extends Surface>(fields: F, at: At): Shape<F, At> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (field[at] ? [[name, field[at]]] : [])),
  ) as Shape<F, At>;
