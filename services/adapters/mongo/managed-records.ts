/** How records that belong to a Kubernetes resource are found again, in whichever collection: by the namespace and the name of their owner. */
import type { IndexDescription } from 'mongodb';

import type { ManagedBy } from '../../core/account/managed-by.ts';

/** One record an owner. `of` says which records count. */
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
