/** Random bytes in blocks: one system call for each id would cost more than the rest of the id. */
import { randomFillSync } from 'node:crypto';

const block = new Uint8Array(8192);
let used = block.byteLength;

/** Never repeats a byte. Ask for less than a block. */
export function pooledRandom(bytes: number): Uint8Array {
  if (used + bytes > block.byteLength) {
    randomFillSync(block);
    used = 0;
  }
  used += bytes;
  return block.slice(used - bytes, used);
}
