/**
 * The keys of accounts next to the backups in a bucket (D287): what becomes of two records of an account, and
 * whether a restore takes the keys from there.
 */

/** A record of `account_keys`. */
export type KeyRecord = {
  account_id: string;
  isErased: boolean;
  /** The first encrypts. The same key has the same id in both records, also when it was encrypted again. */
  keys: readonly { id: string; sealed: string }[];
};

/**
 * One record of two: erased if either is, else with the keys of both (D289).
 * @param current its first key encrypts
 */
export function mergedRecord<T extends KeyRecord>(stored: T, current: T): T {
  if (stored.isErased) return stored;
  if (current.isErased) return current;
  const known = new Set(current.keys.map(({ id }) => id));
  return { ...current, keys: [...current.keys, ...stored.keys.filter(({ id }) => !known.has(id))] };
}

export const ACCOUNT_KEYS_NAME = 'backups/account-keys';

/**
 * All records of both lists, which are in ascending order, merged where both have one of an account.
 * @param stored what the bucket has: also keys of old backups that the database no longer has
 */
export async function* unionOf<T extends KeyRecord>(
  stored: AsyncIterable<T>,
  current: AsyncIterable<T>,
): AsyncGenerator<T> {
  await using former = ascending(stored);
  await using latest = ascending(current);
  let [one, other] = [await nextOf(former), await nextOf(latest)];
  while (one !== undefined || other !== undefined) {
    const difference = one && other ? order(one, other) : one ? -1 : 1;
    if (one && other && difference === 0) yield mergedRecord(one, other);
    else yield (difference < 0 ? one : other) as T;
    if (difference <= 0) one = await nextOf(former);
    if (difference >= 0) other = await nextOf(latest);
  }
}

const nextOf = async <T>(list: AsyncGenerator<T>): Promise<T | undefined> =>
  (await list.next()).value as T | undefined;

const order = (one: KeyRecord, other: KeyRecord): number =>
  one.account_id === other.account_id ? 0 : one.account_id < other.account_id ? -1 : 1;

async function* ascending<T extends KeyRecord>(list: AsyncIterable<T>): AsyncGenerator<T> {
  let former: T | undefined;
  for await (const record of list) {
    if (former && order(former, record) >= 0)
      throw new Error(`the key of ${record.account_id} is not in order`);
    yield (former = record);
  }
}

/** When a file was begun, as in its head. */
type Dated = { created_at: string };

/**
 * Where a restore from the bucket finds the keys of accounts. A backup of an earlier release has them itself. Those
 * next to it are newer, unless that release has made the newest backup, after an upgrade was taken back.
 * @param stored the keys in the bucket; undefined when it has none
 */
export function keySource(
  file: Dated & { isWithoutKeys: boolean },
  stored: Dated | undefined,
): 'file' | 'bucket' | 'missing' {
  if (stored === undefined) return file.isWithoutKeys ? 'missing' : 'file';
  const isNewer = Date.parse(stored.created_at) > Date.parse(file.created_at);
  return file.isWithoutKeys || isNewer ? 'bucket' : 'file';
}
