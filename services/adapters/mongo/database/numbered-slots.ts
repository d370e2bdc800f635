/** Records of which an owner has a maximum: a unique index holds each of its slots once. */
import { isDuplicateKey } from './errors.ts';

/**
 * Inserts a record at the first free slot. `taken`: another record of the owner has its name.
 * `full`: there is no free slot.
 */
export async function insertWithinMaximum(
  slots: readonly number[],
  insertAt: (slot: number) => Promise<unknown>,
): Promise<'made' | 'taken' | 'full'> {
  for (const slot of slots) {
    try {
      await insertAt(slot);
      return 'made';
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      if ('name' in error.keyPattern) return 'taken';
      if (!('place' in error.keyPattern)) throw error;
    }
  }
  return 'full';
}
