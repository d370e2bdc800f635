/**
 * The fields that a gateway reads when a mail client names a recipient (RCPT): those with `atRcpt`, as
 * they are stored. What a field means there may also depend on its account: see core/address/recipient.ts.
 */
import type { z } from 'zod';

import { isEqual } from './changed-fields.ts';
import type { Fields } from './field.ts';

/** Absent: the field has its default. */
export type AtRcpt<F extends Fields> = {
  [Name in keyof F as F[Name] extends { atRcpt: true } ? Name : never]?: F[Name] extends {
    record: infer Schema extends z.ZodType;
  }
    ? NonNullable<z.infer<Schema>>
    : never;
};

const namesAtRcpt = (fields: Fields): string[] =>
  Object.keys(fields).filter((name) => fields[name]?.atRcpt);

/** What MongoDB returns of them. */
export const rcptProjection = (fields: Fields): Record<string, 1> =>
  Object.fromEntries(namesAtRcpt(fields).map((name) => [name, 1]));

/** @param stored documents of earlier releases may lack fields */
export function atRcpt<F extends Fields>(fields: F, stored: object): AtRcpt<F> {
  const values = new Map<string, unknown>(Object.entries(stored));
  return Object.fromEntries(
    namesAtRcpt(fields).flatMap((name) => {
      const value = values.get(name) ?? undefined;
      const isDefault = value === undefined || isEqual(value, fields[name]?.default);
      return isDefault ? [] : [[name, value]];
    }),
  ) as AtRcpt<F>;
}
