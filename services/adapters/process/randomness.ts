/** Random bytes in blocks: one system call for each id would cost more than the rest of the id. */
import { randomFillSync } from 'node:crypto';

const BLOCK_BYTES = 8192;

/** A source of random bytes that never repeats a byte. Ask for less than a block. */
export function createRandomBytes(): (bytes: number) => Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  let used = BLOCK_BYTES;
  return function randomBytes(bytes) {
    if (used + bytes > BLOCK_BYTES) {
      randomFillSync(block);
      used = 0;
    }
    used += bytes;
    return block.slice(used - bytes, used);
  };
}
