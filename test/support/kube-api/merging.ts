/**
 * The two ways to patch an object: server-side apply, in which each manager owns the fields that it
 * applied, and the JSON merge patch (RFC 7396).
 */
import { isDeepStrictEqual } from 'node:util';

export type Json = { [field: string]: unknown };

/** Lists whose items are merged: by this field of each item, or the items themselves. */
const MERGED_LISTS: Record<string, string | undefined> = {
  finalizers: undefined,
  ownerReferences: 'uid',
  conditions: 'type',
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A merged list as an object, so that both are treated alike. */
function keyed(name: string, value: unknown): unknown {
  if (!(name in MERGED_LISTS) || !Array.isArray(value)) return value;
  const key = MERGED_LISTS[name];
  return Object.fromEntries(
    value.map((item): [string, unknown] =>
      key === undefined ? [String(item), item] : [String((item as Json)[key]), item],
    ),
  );
}
const unkeyed = (name: string, value: unknown): unknown =>
  name in MERGED_LISTS && isObject(value) ? Object.values(value) : value;

/**
 * The object after a manager has applied its configuration: without the fields that the manager
 * applied before and no longer sends, unless another manager has set them too.
 */
export function applied(
  live: Json,
  { before = {}, now, others }: { before?: Json | undefined; now: Json; others: readonly Json[] },
): Json {
  const result: Json = { ...live };
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [was, is, has] = [before[name], now[name], live[name]].map((value) => keyed(name, value));
    const held = others.filter((other) => name in other).map((other) => keyed(name, other[name]));
    if (is === undefined && !isObject(was)) {
      if (held.length === 0) delete result[name];
    } else if (isObject(is) || (is === undefined && isObject(was))) {
      const merged = applied(isObject(has) ? has : {}, {
        before: isObject(was) ? was : {},
        now: isObject(is) ? is : {},
        others: held.filter(isObject),
      });
      if (is === undefined && Object.keys(merged).length === 0) delete result[name];
      else result[name] = unkeyed(name, merged);
    } else result[name] = is;
  }
  return result;
}

/** What is left of a manager's fields after another one has set some of them to other values. */
export function withoutTaken(owned: Json, taken: Json): Json {
  const left = Object.entries(owned).flatMap(([name, value]): [string, unknown][] => {
    if (!(name in taken)) return [[name, value]];
    const [mine, theirs] = [keyed(name, value), keyed(name, taken[name])];
    if (isObject(mine) && isObject(theirs))
      return [[name, unkeyed(name, withoutTaken(mine, theirs))]];
    return isDeepStrictEqual(mine, theirs) ? [[name, value]] : [];
  });
  return Object.fromEntries(left);
}

/** RFC 7396: null removes a field, lists are replaced. */
export function mergePatched(live: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(live) ? { ...live } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatched(result[name], value);
  }
  return result;
}
