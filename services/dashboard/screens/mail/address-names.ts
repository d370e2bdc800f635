/** The addresses of the account, to show their names instead of their ids. */
import { call } from '../../app/api.ts';
import type { AddressListItem } from '../../app/api-types.golden.ts';
import { useResource } from '../../app/resource.ts';
import { may } from '../../app/session.ts';

/** The largest page of GET /addresses. An address beyond it is shown by its id. */
const LIMIT = 100;

export function useAddressNames(): readonly AddressListItem[] {
  const { data } = useResource('addresses', async (signal) =>
    may('addresses:read') ? call('GET /addresses', { query: { limit: LIMIT }, signal }) : undefined,
  );
  return data?.data ?? [];
}
