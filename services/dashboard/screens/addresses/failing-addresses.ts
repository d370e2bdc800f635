/**
 * The addresses that fail now. Items of GET /addresses have no such field (spec 2.1), so they are
 * found by the events that report them.
 */
import { call } from '../../app/api.ts';
import type { Address } from '../../app/api-types.golden.ts';
import { may } from '../../app/session.ts';

const ADDRESSES_MAX = 5;
const EVENTS_READ = 50;

/** Those of the latest reports that still fail; undefined when the session may not read them. */
export async function failingAddresses(signal: AbortSignal): Promise<Address[] | undefined> {
  if (!may('addresses:read') || !may('usage:read')) return undefined;
  const query = { event_type: 'address.failing', limit: EVENTS_READ } as const;
  const { data } = await call('GET /usage/events', { query, signal });
  const ids = [...new Set(data.flatMap(({ address_id }) => address_id ?? []))];
  const addresses = ids.slice(0, ADDRESSES_MAX).map((address_id) =>
    call('GET /addresses/{address_id}', { params: { address_id }, signal }).catch(
      () => undefined, // it was deleted since
    ),
  );
  return (await Promise.all(addresses)).filter(
    (one) => one !== undefined && one.is_failing,
  ) as Address[];
}
