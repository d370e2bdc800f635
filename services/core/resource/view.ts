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
  const examples = Object.entries(fields)
    .filter(([, field]) => field.view !== undefined)
    .map(([field, { example }]) => [field, example]);
  describeSchema(view, name, {
    id: exampleId,
    ...Object.fromEntries(examples),
    created_at: EXAMPLE.created_at,
    updated_at: EXAMPLE.created_at,
    managed_by: null,
  } as z.output<typeof view>);
  return view;
}

type Shown = { id: string; created_at: Date; updated_at: Date; managed_by?: ManagedBy | undefined };

/** A record as the API shows it: times as text, and null for what is absent. */
export function viewOf<F extends Fields>(fields: F, record: Shown) {
  const values = new Map<string, unknown>(Object.entries(record));
  const shown = Object.keys(shapeOf(fields, 'view')).map((name) => {
    const value = values.get(name);
    return [name, value instanceof Date ? timestamp(value) : (value ?? null)];
  });
  return {
    id: record.id,
    ...(Object.fromEntries(shown) as ValuesAt<F, 'view'>),
    created_at: timestamp(record.created_at),
    updated_at: timestamp(record.updated_at),
    managed_by: managedByView(record.managed_by),
  };
}
