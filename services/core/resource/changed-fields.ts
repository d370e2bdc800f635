/**
 * What a change changes: the fields whose values differ from those of the record (D29). Every noun
 * of the API asks here, so a change without a difference is none for all of them.
 */

/** The fields of a change whose values differ from the record's. Undefined fields are not part of it. */
export const changedFields = <Change extends object>(
  record: object,
  change: Change,
): Partial<Change> => {
  const before = new Map(Object.entries(record));
  return Object.fromEntries(
    Object.entries(change).filter(
      ([name, value]) => value !== undefined && !isEqual(before.get(name), value),
    ),
  ) as Partial<Change>;
};

/** The named fields of two states of a record whose values differ, with the later values. */
export function fieldsBetween(
  before: object,
  after: object,
  names: readonly string[],
): Record<string, unknown> {
  const later = Object.entries(after).filter(([name]) => names.includes(name));
  return changedFields(before, Object.fromEntries(later));
}

export const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0;

/** Whether two values are the same as data: a field that is undefined is an absent field. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  if (one instanceof Date || other instanceof Date)
    return one instanceof Date && other instanceof Date && one.getTime() === other.getTime();
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, i) => isEqual(item, other[i]))
    );
  const theirs = new Map(definedEntries(other));
  const ours = definedEntries(one);
  return (
    ours.length === theirs.size &&
    ours.every(([name, value]) => theirs.has(name) && isEqual(value, theirs.get(name)))
  );
}

const definedEntries = (fields: object) =>
  Object.entries(fields).filter(([, value]) => value !== undefined);
