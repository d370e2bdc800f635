/**
 * The payload of a later attempt, streamed: equal to the one that the dispatcher sends, however it
 * is cut.
 */
import { expect, test } from 'vitest';

import {
  growthBytes,
  piecesWithRetryCount,
  streamWithRetryCount,
} from '../../../services/core/webhook/payload-bytes.ts';
import { fc } from '../../support/random.ts';

async function* cut(bytes: Buffer, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const length of lengths) {
    yield bytes.subarray(at, at + length);
    at += length;
  }
  yield bytes.subarray(at);
}

test('equals the payload with the retry count, for every cut', async () => {
  const payload = Buffer.from('{"event_id":"evt_1","metadata":{"retry_count":0}}');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 20 }), { maxLength: 12 }),
      fc.nat({ max: 120 }),
      async (lengths, retryCount) => {
        const chunks = await Array.fromAsync(
          streamWithRetryCount(cut(payload, lengths), retryCount),
        );
        const streamed = Buffer.concat(chunks);
        const whole = Buffer.concat(piecesWithRetryCount([payload], retryCount));
        expect(streamed.toString()).toBe(whole.toString());
        expect(streamed.byteLength).toBe(payload.byteLength + growthBytes(retryCount));
      },
    ),
  );
});

test('bytes that are not a first payload are refused', async () => {
  for (const text of ['', '}}', '{"retry_count":1}}'])
    await expect(
      Array.fromAsync(streamWithRetryCount(cut(Buffer.from(text), [1]), 1)),
    ).rejects.toThrow('retry count');
});
