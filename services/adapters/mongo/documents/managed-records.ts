/**
 * Finds the records of a Kubernetes resource in any collection, by the namespace and name of the
 * resource.
 */
import type { IndexDescription } from 'mongodb';

import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import type { Resource } from '../../../core/resource/resource.ts';

/** At most one of the records that match `of` has the same owner. */
export const managedIndex = (of: Record<string, unknown> = {}): IndexDescription => ({
  key: { 'managed_by.namespace': 1, 'managed_by.name': 1 },
  name: 'managed',
  unique: true,
  partialFilterExpression: { 'managed_by.name': { $exists: true }, ...of },
});

export const managedBy = ({ namespace, name }: ManagedBy) => ({
  'managed_by.namespace': namespace,
  'managed_by.name': name,
});

/** An owner of records has a number of places. A unique index holds each of them once. */
export const slotNumbers = ({ maximum }: Pick<Resource, 'maximum'>): readonly number[] =>
  Array.from({ length: maximum }, (_, place) => place);
