/**
 * Lists, counts and removes refusals. An account has at most as many as one read of its index takes,
 * so all filters are checked on what that finds.
 */
import type { Db, Filter } from 'mongodb';

import { type AddressScope, ownedBy } from '../../../core/address/scope.ts';
import type { DateRange } from '../../../core/time/date-range.ts';
import { beginningIn } from '../../../core/delivery/search-terms.ts';
import type { Page, PageRequest } from '../../../core/resource/pagination.ts';
import type { Refusal } from '../../../core/refusal/refusal.ts';
import { createPages } from '../database/pages.ts';
import { REFUSALS, REFUSALS_BY_ACCOUNT, type StoredRefusal } from './refusals.ts';

export type RefusalFilter = DateRange & {
  address_id?: string | undefined;
  /** The domain of the mailbox. */
  domain?: string | undefined;
  reason?: string | undefined;
  /** All of them: see search-terms.ts. */
  terms?: readonly string[] | undefined;
};

export type Refusals = {
  /** The last one first. */
  page(scope: AddressScope, filter: RefusalFilter, page: PageRequest): Promise<Page<Refusal>>;
  find(scope: AddressScope, id: string): Promise<Refusal | undefined>;
  /** The refusals in all these records. */
  count(scope: AddressScope, filter: RefusalFilter): Promise<number>;
  /** Resolves with the number of records that were there. */
  remove(scope: AddressScope, which: { id: string } | RefusalFilter): Promise<number>;
};

export function createRefusals(db: Db): Refusals {
  const stored = db.collection<StoredRefusal>(REFUSALS);
  const pageOfRefusals = createPages(stored, refusalOf);
  return {
    page: (scope, filter, page) =>
      pageOfRefusals(
        {
          query: matching(scope, filter),
          sort: { last_at: -1, _id: -1 },
          hint: REFUSALS_BY_ACCOUNT,
        },
        page,
      ),
    find: async function findRefusal(scope, id) {
      const found = await stored.findOne({ _id: id, ...inScope(scope) });
      return found ? refusalOf(found) : undefined;
    },
    count: async function countRefusals(scope, filter) {
      const [counted] = await stored
        .aggregate<{ count: number }>(
          [
            { $match: matching(scope, filter) },
            { $group: { _id: null, count: { $sum: '$count' } } },
          ],
          { hint: REFUSALS_BY_ACCOUNT },
        )
        .toArray();
      return counted?.count ?? 0;
    },
    remove: async function removeRefusals(scope, which) {
      const query = 'id' in which ? { _id: which.id, ...inScope(scope) } : matching(scope, which);
      return (await stored.deleteMany(query)).deletedCount;
    },
  };
}

const refusalOf = ({ _id, until: _until, ...refusal }: StoredRefusal): Refusal => ({
  id: _id,
  ...refusal,
});

/** A token that is limited to addresses sees no mailbox without one. */
const inScope = (scope: AddressScope): Filter<StoredRefusal> => ({
  ...ownedBy(scope),
  ...(scope.address_ids && { address_id: { $in: [...scope.address_ids] } }),
});

function matching(
  scope: AddressScope,
  { address_id, domain, reason, terms = [], start, end }: RefusalFilter,
): Filter<StoredRefusal> {
  const conditions: Filter<StoredRefusal>[] = [
    ...(address_id === undefined ? [] : [{ address_id }]),
    ...(domain === undefined ? [] : [{ domain }]),
    ...(reason === undefined ? [] : [{ reason }]),
    ...terms.map((term) => ({ terms: termOf(term) })),
  ];
  return {
    ...inScope(scope),
    ...((start ?? end) && { last_at: { ...(start && { $gte: start }), ...(end && { $lt: end }) } }),
    ...(conditions.length > 0 && { $and: conditions }),
  };
}

function termOf(term: string) {
  const beginning = beginningIn(term);
  return beginning === undefined ? term : { $regex: `^${RegExp.escape(beginning)}` };
}
