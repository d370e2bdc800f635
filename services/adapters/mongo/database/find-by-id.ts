/**
 * Reads documents by id. Requests at the same time share one query, because a query costs the API
 * more than all the rest of such a request.
 */
import type { Collection, Document, Filter } from 'mongodb';

import { createBatches } from '../../async/batches.ts';

/** The caller checks who may see the document: the query names only ids. */
export function createFindTogether<T extends Document & { _id: string }>(
  collection: Collection<T>,
  projection?: Document,
): (id: string) => Promise<T | undefined> {
  return createBatches<string, T | undefined>(async function findTogether(ids) {
    const _id = ids.length === 1 ? ids[0] : { $in: [...ids] };
    const found = await collection
      .find({ _id } as Filter<T>, { ...(projection && { projection }) })
      .toArray();
    const byId = new Map(found.map((document) => [document._id as string, document as T]));
    return ids.map((id) => byId.get(id));
  });
}
