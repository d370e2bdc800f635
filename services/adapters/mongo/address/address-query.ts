/** Conditions of queries of addresses: which are shown, which are in a scope, which a filter asks for. */
import type { Filter } from 'mongodb';

import { type AddressFilter, goneSince } from '../../../core/address/address.ts';
import { type AddressScope, type Owned, ownedBy, reaches } from '../../../core/address/scope.ts';
import {
  BY_LABEL,
  COUNTED,
  FAILED,
  FAILING,
  NAME_HELD_ONCE,
  NEWEST_FIRST,
  type StoredAddress,
} from '../documents/address-documents.ts';

/** Permanent, or expired for less than thirty days (D7). */
export const notRemoved = (now: Date) => ({ $not: { $lte: goneSince(now) } });

/** @param owned the ids of its limit are left to {@link one} and {@link narrowed} */
export const shown = (owned: Owned, now: Date): Filter<StoredAddress> => ({
  ...ownedBy(owned),
  deleted_at: null,
  expires_at: notRemoved(now),
});

export const one = ({ address_ids }: AddressScope, id: string): Filter<StoredAddress> => ({
  _id: address_ids === null ? id : { $eq: id, $in: [...address_ids] },
});

/** The same as {@link shown}, for one address. */
export const isShown = (
  { _id, account_id, environment, deleted_at, expires_at }: StoredAddress,
  scope: AddressScope,
  now: Date,
): boolean =>
  account_id === scope.account_id &&
  environment === scope.environment &&
  reaches(scope, _id) &&
  deleted_at === null &&
  !(expires_at !== null && expires_at <= goneSince(now));

/** The ids that are asked for, and in the scope; undefined for all of the account. */
export function within(
  { address_ids }: AddressScope,
  ids: readonly string[] | undefined,
): readonly string[] | undefined {
  if (address_ids === null) return ids;
  return ids === undefined ? address_ids : ids.filter((id) => address_ids.includes(id));
}

/** The second condition is that of the index. */
export const labelled = (labels: readonly string[]): Filter<StoredAddress> => ({
  labels: { $all: [...labels] },
  'labels.0': { $exists: true },
});

/** The index that lists, and the one that counts. A request names few ids. */
export function indexesFor({
  address,
  ids,
  labels,
  is_failing,
  has_failed,
}: AddressFilter): [list: string, count: string] {
  if (address !== undefined) return [NAME_HELD_ONCE, NAME_HELD_ONCE];
  if (ids) return ['_id_', '_id_'];
  if (labels) return [BY_LABEL, BY_LABEL];
  if (has_failed) return [FAILED, FAILED];
  return is_failing ? [FAILING, FAILING] : [NEWEST_FIRST, COUNTED];
}

/** `is_enabled` filters what is shown, and an expired address is shown as disabled (D7). */
export function narrowed(
  { search, ids, address, labels, is_enabled, is_permanent, is_failing, has_failed }: AddressFilter,
  now: Date,
): Filter<StoredAddress> {
  const query: Filter<StoredAddress> = {};
  if (ids) query._id = { $in: [...ids] };
  if (address !== undefined) query.address = address;
  if (labels) Object.assign(query, labelled(labels));
  if (is_permanent !== undefined) query.is_permanent = is_permanent;
  if (has_failed !== undefined) query.failing_since = { $exists: has_failed };
  if (is_failing !== undefined) query.failing_noticed_at = { $exists: is_failing };
  if (is_enabled === true)
    Object.assign(query, { is_enabled: true, expires_at: { $not: { $lte: now } } });
  if (is_enabled === false) query.$or = [{ is_enabled: false }, { expires_at: { $lte: now } }];
  const part = search !== undefined && { $regex: RegExp.escape(search), $options: 'i' };
  if (part) query.$and = [{ $or: [{ address: part }, { description: part }] }];
  return query;
}
