/** The newest addresses whose last attempt failed, and how many there are. */
import { call } from '../../client/api.ts';
import type { Address } from '../../../core/api/api-types.generated.ts';

export type FailingAddresses = { addresses: readonly Address[]; total: number };

/** Items of a list do not have the time since when they fail (spec 2.1): each is read. */
export async function failingAddresses(
  limit: number,
  signal: AbortSignal,
): Promise<FailingAddresses> {
  const { data, pagination } = await call('GET /addresses', {
    query: { has_failed: true, limit },
    signal,
  });
  const read = data.map(({ id: address_id }) =>
    call('GET /addresses/{address_id}', { params: { address_id }, signal }).catch(
      () => undefined, // it was deleted in the meantime
    ),
  );
  const addresses = (await Promise.all(read)).filter((one) => one !== undefined);
  return { addresses, total: pagination.total };
}
