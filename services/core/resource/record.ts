/** The stored record of a resource that belongs to an account, and what events say about it. */
import { z } from 'zod';

import { Environment } from './environment.ts';
import { ManagedBy } from './managed-by.ts';
import { type Fields, shapeOf, type ValuesAt } from './field.ts';
import type { Resource } from './resource.ts';

/** The owner of records that both environments share. */
export const IN_ACCOUNT = { account_id: z.string() };
export const IN_ENVIRONMENT = { account_id: z.string(), environment: Environment };

/** @param owner {@link IN_ACCOUNT} or {@link IN_ENVIRONMENT} */
export const recordSchema = <O extends z.ZodRawShape, F extends Fields>(owner: O, fields: F) =>
  z.object({
    id: z.string(),
    ...owner,
    ...shapeOf(fields, 'record'),
    managed_by: ManagedBy.optional().describe('absent for one created through the API'),
    created_at: z.date(),
    updated_at: z.date(),
  });

/** The stored fields that are given, and the defaults of the others. */
export const withDefaults = <F extends Fields>(
  fields: F,
  given: Partial<Record<keyof F, unknown>>,
): ValuesAt<F, 'record'> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = given[name] ?? field.default;
      return field.record === undefined || value === undefined ? [] : [[name, value]];
    }),
  ) as ValuesAt<F, 'record'>;

/** What Inlet gives a new record. */
export type Stamp = { id: string; managed_by?: ManagedBy | undefined; now: Date };

/** A new record of the fields that a request asks for, in the order of {@link recordSchema}. */
export const newRecord = <O extends object, F extends Fields>(
  fields: F,
  requested: Partial<Record<keyof F, unknown>>,
  owner: O,
  { id, managed_by, now }: Stamp,
) => ({
  id,
  ...owner,
  ...withDefaults(fields, requested),
  ...(managed_by && { managed_by }),
  created_at: now,
  updated_at: now,
});

type Happened = 'created' | 'updated' | 'deleted';

/**
 * What an event of the audit trail says, apart from what an update changed.
 * @param shown the record as events show it
 */
export const resourceEvent = <N extends Resource['name'], E extends Happened>(
  { name, fields, idInEvents = () => `${name}_id` }: Resource & { name: N },
  event: E,
  shown: { id: string; address_id?: string },
) => ({
  type: `${name}.${event}` as const,
  address_id: shown.address_id ?? null,
  data: { [idInEvents(event)]: shown.id, ...eventFields(fields, shown, event) },
});

/** For a field that events have only when it is not null. */
export const withoutNulls = <R extends object>(record: R): R =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)) as R;

export const eventFields = (
  fields: Fields,
  record: object,
  event: Happened,
): Record<string, unknown> => {
  const values = new Map<string, unknown>(Object.entries(record));
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, { inEvents }]) => inEvents === 'every' || inEvents === event)
      .map(([name]) => [name, values.get(name)])
      .filter(([, value]) => value !== undefined),
  );
};
