/** M.1: an object above 16 MiB is uploaded in parts, of which two are in memory at most. */
import { expect, test } from 'vitest';

import { inParts } from '../../../services/adapters/bucket/parts.ts';

const MIB = 1024 * 1024;
const sum = (pieces: readonly Uint8Array[]) => pieces.reduce((all, one) => all + one.byteLength, 0);

test.each<[mib: number, parts: number[]]>([
  [0, [0]],
  [16, [16]],
  [17, [16, 1]],
  [40, [16, 8, 8, 8]],
])('M.1: an object of %i MiB', async (mib, expected) => {
  let read = 0;
  let sent = 0;
  let most = 0;
  async function* content() {
    for (; read < mib; read++) {
      most = Math.max(most, read - sent);
      yield Buffer.alloc(MIB, read);
    }
  }
  const parts: number[] = [];
  for await (const { pieces } of inParts(content())) {
    parts.push(sum(pieces) / MIB);
    sent += sum(pieces) / MIB;
  }
  expect(parts).toEqual(expected);
  expect(most).toBeLessThanOrEqual(16);
});
