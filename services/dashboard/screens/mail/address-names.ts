/** The addresses of the account, to show their names instead of their ids. */
import { call } from '../../client/api.ts';
import type { AddressListItem } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';

/** The largest page of GET /addresses, and the most ids that it takes. */
const LIMIT = 100;

type AddressNames = {
  /** The newest ones, to choose from, and those that were asked for. */
  addresses: readonly AddressListItem[];
  /** There are older ones to choose from. */
  hasMore: boolean;
};

/** @param ids of addresses whose names are shown; deleted ones have no name */
export function useAddressNames(ids: readonly string[]): AddressNames {
  const mayRead = may('addresses:read');
  const { data: newest } = useResource('addresses', async (signal) =>
    mayRead ? call('GET /addresses', { query: { limit: LIMIT }, signal }) : undefined,
  );
  const known = new Set(newest?.data.map(({ id }) => id));
  const others = newest ? [...new Set(ids)].filter((id) => !known.has(id)).slice(0, LIMIT) : [];
  const query = { ids: others.toSorted().join(','), limit: LIMIT };
  const { data: named } = useResource(`addresses ${query.ids}`, async (signal) =>
    others.length > 0 ? call('GET /addresses', { query, signal }) : undefined,
  );
  return {
    addresses: [...(newest?.data ?? []), ...(named?.data ?? [])],
    hasMore: newest?.pagination.has_more ?? false,
  };
}
