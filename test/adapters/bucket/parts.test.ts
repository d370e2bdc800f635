/** M.1: an object above 16 MiB is uploaded in parts of 8 MiB, of which two are in memory at most. */
import { expect, test } from 'vitest';

import { inParts } from '../../../services/adapters/bucket/parts.ts';

const MIB = 1024 * 1024;
const sum = (pieces: readonly Uint8Array[]) => pieces.reduce((all, one) => all + one.byteLength, 0);

test.each<[mib: number, parts: number[]]>([
  [0, [0]],
  [16, [16]],
  [17, [8, 8, 1]],
  [40, [8, 8, 8, 8, 8]],
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

test('M.1: all parts but the last have the same size, however the content comes', async () => {
  const content = Buffer.from(Array.from({ length: 100 }, (_, index) => index));
  async function* uneven() {
    for (const [start, end] of [
      [0, 7],
      [7, 7],
      [7, 45],
      [45, 46],
      [46, 100],
    ])
      yield await Promise.resolve(content.subarray(start, end));
  }
  const parts = await Array.fromAsync(inParts(uneven(), 16));
  expect(parts.map(({ pieces }) => sum(pieces))).toEqual([...Array<number>(12).fill(8), 4]);
  expect(parts.map(({ isLast }) => isLast).indexOf(true)).toBe(12);
  expect(Buffer.concat(parts.flatMap(({ pieces }) => pieces)).equals(content)).toBe(true);
});
