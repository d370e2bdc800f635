/** Records of which an owner has a maximum: a unique index holds each of its places once. */
import { isDuplicateKey } from './errors.ts';

/**
 * Inserts a record at the first free place. `taken`: another record of the owner has its name.
 * `full`: there is no free place.
 */
export async function insertWithinMaximum(
  places: readonly number[],
  insertAt: (place: number) => Promise<unknown>,
): Promise<'made' | 'taken' | 'full'> {
  for (const place of places) {
    try {
      await insertAt(place);
      return 'made';
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      if ('name' in error.keyPattern) return 'taken';
      if (!('place' in error.keyPattern)) throw error;
    }
  }
  return 'full';
}
