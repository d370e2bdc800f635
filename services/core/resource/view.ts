/** A resource as the API shows it. */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../api-reference.ts';
import { type ManagedBy, ManagedByView, managedByView } from '../managed-by.ts';
import { Timestamp, timestamp } from '../timestamp.ts';
import { type Fields, shapeOf, type ValuesAt } from './field.ts';

/**
 * @param name in the API reference and in generated clients
 * @param exampleId id of the example, which has the examples of the fields
 */
export function viewSchema<F extends Fields>(name: string, exampleId: string, fields: F) {
  const view = z.object({
    id: z.string(),
    ...shapeOf(fields, 'view'),
    created_at: Timestamp,
    updated_at: Timestamp,
    managed_by: ManagedByView.nullable().describe(
      'the Kubernetes resource that owns it; changes must be made there; null when there is none',
    ),
  });
  describeSchema(view, name, {
    id: exampleId,
    ...examplesOf(fields),
    created_at: EXAMPLE.created_at,
    updated_at: EXAMPLE.created_at,
    managed_by: null,
  } as z.output<typeof view>);
  return view;
}

type Shown = { id: string; created_at: Date; updated_at: Date; managed_by?: ManagedBy | undefined };

/** The values of the fields in the example of the view. */
export const examplesOf = <F extends Fields>(fields: F): ValuesAt<F, 'view'> =>
  Object.fromEntries(
    Object.keys(shapeOf(fields, 'view')).map((name) => [name, fields[name]?.example]),
  ) as ValuesAt<F, 'view'>;

/** As the API shows them: times as text, and the default or null for what is absent. */
export function shownFields<F extends Fields>(fields: F, record: object): ValuesAt<F, 'view'> {
  const values = new Map<string, unknown>(Object.entries(record));
  const shown = Object.keys(shapeOf(fields, 'view')).map((name) => {
    const value = values.get(name) ?? fields[name]?.default ?? null;
    return [name, value instanceof Date ? timestamp(value) : value];
  });
  return Object.fromEntries(shown) as ValuesAt<F, 'view'>;
}

/** A record as the API shows it. */
export function viewOf<F extends Fields>(fields: F, record: Shown) {
  return {
    id: record.id,
    ...shownFields(fields, record),
    created_at: timestamp(record.created_at),
    updated_at: timestamp(record.updated_at),
    managed_by: managedByView(record.managed_by),
  };
}
