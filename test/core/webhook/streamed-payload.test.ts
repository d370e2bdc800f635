/**
 * The payload of a later attempt, streamed: equal to the one that the dispatcher sends, however it
 * is cut.
 */
import { expect, test } from 'vitest';

import {
  growthBytes,
  piecesOfAttempt,
  streamOfAttempt,
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
      fc.constantFrom(undefined, '{"name":"ä"}'),
      async (lengths, retryCount, storage) => {
        const chunks = await Array.fromAsync(
          streamOfAttempt(cut(payload, lengths), { retryCount, storage }),
        );
        const streamed = Buffer.concat(chunks);
        const whole = Buffer.concat(piecesOfAttempt([payload], { retryCount, storage }));
        expect(streamed.toString()).toBe(whole.toString());
        expect(streamed.byteLength).toBe(payload.byteLength + growthBytes({ retryCount, storage }));
      },
    ),
  );
});

test('bytes that are not a first payload are refused', async () => {
  for (const text of ['', '}}', '{"retry_count":1}}'])
    await expect(
      Array.fromAsync(streamOfAttempt(cut(Buffer.from(text), [1]), { retryCount: 1 })),
    ).rejects.toThrow('retry count');
});
