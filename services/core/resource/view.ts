/** A resource as the API shows it. */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from './api-reference.ts';
import { type ManagedBy, ManagedByView, managedByView } from './managed-by.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { type Fields, shapeOf, type ValuesAt } from './field.ts';

/** The fields that most resources have, in addition to those of their table. */
const COMMON = {
  created_at: { view: Timestamp, example: EXAMPLE.created_at },
  updated_at: { view: Timestamp, example: EXAMPLE.created_at },
  managed_by: {
    view: ManagedByView.nullable().describe(
      'the Kubernetes resource that owns it; changes must be made there; null when there is none',
    ),
    example: null,
  },
} satisfies Fields;

export const viewSchema = <F extends Fields>(name: string, exampleId: string, fields: F) =>
  viewOfFields(name, exampleId, { ...fields, ...COMMON });

/**
 * A view that has no other fields than an id and these.
 * @param name in the API reference and in generated clients
 * @param exampleId id of the example, which has the examples of the fields
 */
export function viewOfFields<F extends Fields>(name: string, exampleId: string, fields: F) {
  const view = z.object({ id: z.string(), ...shapeOf(fields, 'view') });
  describeSchema(view, name, {
    id: exampleId,
    ...examplesOf(fields),
  } as z.output<typeof view>);
  return view;
}

type Shown = { id: string; created_at: Date; updated_at: Date; managed_by?: ManagedBy | undefined };

export const viewOf = <F extends Fields>(fields: F, record: Shown) => ({
  id: record.id,
  ...shownFields(
    { ...fields, ...COMMON },
    { ...record, managed_by: managedByView(record.managed_by) },
  ),
});

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
