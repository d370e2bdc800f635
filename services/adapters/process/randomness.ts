/** Random bytes drawn in blocks: for a few bytes at a time, asking the system each time costs more than all else about an id. */
import { randomFillSync } from 'node:crypto';

const BLOCK_BYTES = 8192;

/** A source of random bytes, each given out once. Ask for less than a block. */
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
